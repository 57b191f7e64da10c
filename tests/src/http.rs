//! Raw HTTP/1.1 exchanges: tests have to be able to send what a well-behaved client would not.

use std::io::{Read as _, Write as _};
use std::net::TcpStream;
use std::time::Duration;

use anyhow::Context as _;

/// Longer than every clock of edge and cell together: reaching it means that something hangs.
const PATIENCE: Duration = Duration::from_secs(10);

/// An answer.
#[derive(Debug)]
pub struct Answer {
    /// The status.
    pub status: u16,
    /// Header names in lower case, with values.
    pub headers: Vec<(String, String)>,
    /// The body.
    pub body: Vec<u8>,
}

impl Answer {
    /// The value of a header, or an empty text.
    pub fn header(&self, name: &str) -> &str {
        self.headers.iter().find(|(n, _)| n == name).map_or("", |(_, v)| v)
    }

    /// The body as JSON, or null.
    pub fn json(&self) -> serde_json::Value {
        serde_json::from_slice(&self.body).unwrap_or_default()
    }

    /// The `code` of a problem document, or an empty text.
    pub fn code(&self) -> String {
        self.json().get("code").and_then(|c| c.as_str()).unwrap_or_default().to_owned()
    }
}

/// Sends one request on a connection of its own and reads the whole answer.
///
/// # Errors
/// When the other side hangs, closes early, or answers what is not HTTP/1.1.
pub fn send(
    authority: &str,
    method: &str,
    path: &str,
    headers: &[(&str, &str)],
    body: &[u8],
) -> anyhow::Result<Answer> {
    let mut connection =
        TcpStream::connect(authority).with_context(|| format!("cannot reach {authority}"))?;
    connection.set_read_timeout(Some(PATIENCE))?;
    let mut head = format!("{method} {path} HTTP/1.1\r\nhost: {authority}\r\nconnection: close\r\n");
    for (name, value) in headers {
        head.push_str(&format!("{name}: {value}\r\n"));
    }
    if !body.is_empty() || method == "POST" {
        head.push_str(&format!("content-length: {}\r\n", body.len()));
    }
    head.push_str("\r\n");
    // A server that refuses early may close before it has read all: what it answered still counts.
    let _ = connection.write_all(head.as_bytes()).and_then(|()| connection.write_all(body));
    let mut bytes = Vec::new();
    connection.read_to_end(&mut bytes).context("the answer broke off or hangs")?;
    parse(&bytes).with_context(|| format!("{method} {path:.80}: no HTTP answer in {} bytes", bytes.len()))
}

fn parse(bytes: &[u8]) -> Option<Answer> {
    let split = bytes.windows(4).position(|w| w == b"\r\n\r\n")?;
    let head = std::str::from_utf8(bytes.get(..split)?).ok()?;
    let mut lines = head.split("\r\n");
    let status = lines.next()?.split(' ').nth(1)?.parse().ok()?;
    let headers: Vec<(String, String)> = lines
        .filter_map(|line| line.split_once(':'))
        .map(|(name, value)| (name.to_ascii_lowercase(), value.trim().to_owned()))
        .collect();
    let rest = bytes.get(split + 4..)?;
    let chunked = headers.iter().any(|(n, v)| n == "transfer-encoding" && v.eq_ignore_ascii_case("chunked"));
    let body = if chunked { dechunk(rest)? } else { rest.to_vec() };
    Some(Answer { status, headers, body })
}

/// Joins chunks (RFC 9112 §7.1); none when the last one is missing.
fn dechunk(mut rest: &[u8]) -> Option<Vec<u8>> {
    let mut body = Vec::new();
    loop {
        let line = rest.windows(2).position(|w| w == b"\r\n")?;
        let size = std::str::from_utf8(rest.get(..line)?).ok()?;
        let size = usize::from_str_radix(size.split(';').next()?.trim(), 16).ok()?;
        rest = rest.get(line + 2..)?;
        if size == 0 {
            return Some(body);
        }
        body.extend_from_slice(rest.get(..size)?);
        rest = rest.get(size + 2..)?;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn chunks_are_joined_and_a_missing_end_is_noticed() {
        let whole =
            b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n3\r\nabc\r\n1;x=y\r\nd\r\n0\r\n\r\n";
        assert_eq!(parse(whole).unwrap().body, b"abcd");
        assert!(parse(&whole[..whole.len() - 5]).is_none());
    }
}
