//! What reaches a cell, read strictly: no request but well-formed ones, and nothing between them.

use std::io::Read as _;
use std::net::TcpStream;

use anyhow::Context as _;

/// A request as it arrived.
#[derive(Debug, PartialEq, Eq)]
pub(in crate::test::boundary) struct Seen {
    /// The request line.
    pub(in crate::test::boundary) line: String,
    /// Names in lower case, with values.
    pub(in crate::test::boundary) headers: Vec<(String, String)>,
    /// The body; none when it never came to its end.
    pub(in crate::test::boundary) body: Option<Vec<u8>>,
    /// Lines behind a chunked body.
    pub(in crate::test::boundary) trailers: Vec<String>,
}

/// A body, the lines behind it, and the bytes it takes.
struct Body {
    bytes: Vec<u8>,
    trailers: Vec<String>,
    length: usize,
}

impl Seen {
    pub(in crate::test::boundary) fn header(&self, name: &str) -> &str {
        self.headers.iter().find(|(n, _)| n == name).map_or("", |(_, value)| value)
    }
}

/// Splits what a connection has sent into requests. The last one may be cut short.
pub(super) fn requests(bytes: &[u8]) -> anyhow::Result<Vec<Seen>> {
    let (mut all, mut rest) = (Vec::new(), bytes);
    while !rest.is_empty() {
        let (request, length) = one(rest)?;
        let whole = request.body.is_some();
        all.push(request);
        rest = rest.get(length..).filter(|_| whole).unwrap_or_default();
    }
    Ok(all)
}

/// Reads the next whole request from a connection; every byte that comes in goes to `keep` first.
pub(super) fn read(stream: &mut TcpStream, unread: &mut Vec<u8>, keep: impl Fn(&[u8])) -> Option<Seen> {
    let mut piece = [0; 16 * 1024];
    loop {
        if let Ok((request, length)) = one(unread)
            && request.body.is_some()
        {
            unread.drain(..length.min(unread.len()));
            return Some(request);
        }
        let count = stream.read(&mut piece).ok().filter(|&count| count > 0)?;
        let new = piece.get(..count)?;
        keep(new);
        unread.extend_from_slice(new);
    }
}

/// The first request of some bytes, and how many it takes.
fn one(bytes: &[u8]) -> anyhow::Result<(Seen, usize)> {
    let shown =
        || String::from_utf8_lossy(bytes.get(..bytes.len().min(200)).unwrap_or_default()).into_owned();
    let end = bytes.windows(4).position(|four| four == b"\r\n\r\n");
    let end = end.with_context(|| format!("a head without an end: {:?}", shown()))?;
    let head = std::str::from_utf8(bytes.get(..end).unwrap_or_default())?;
    anyhow::ensure!(
        !head.replace("\r\n", "").contains(['\r', '\n', '\0']),
        "a stray end of line: {:?}",
        shown()
    );
    let mut lines = head.split("\r\n");
    let line = lines.next().unwrap_or_default().to_owned();
    anyhow::ensure!(line.split(' ').count() == 3 && line.ends_with(" HTTP/1.1"), "no request line: {line:?}");
    let mut headers = Vec::new();
    for header in lines {
        let (name, value) = header.split_once(':').with_context(|| format!("no header: {header:?}"))?;
        let plain = !name.is_empty() && name.bytes().all(|b| b.is_ascii_alphanumeric() || b == b'-');
        anyhow::ensure!(plain, "a strange header name: {name:?}");
        headers.push((name.to_ascii_lowercase(), value.trim().to_owned()));
    }
    let start = end + 4;
    let rest = bytes.get(start..).unwrap_or_default();
    let framing: Vec<_> = headers
        .iter()
        .filter(|(name, _)| ["content-length", "transfer-encoding"].contains(&name.as_str()))
        .collect();
    let body = match framing.as_slice() {
        [] => Some(Body { bytes: Vec::new(), trailers: Vec::new(), length: 0 }),
        [(name, value)] if name == "content-length" => {
            let length: usize = value.parse().with_context(|| format!("content-length {value:?}"))?;
            rest.get(..length).map(|body| Body { bytes: body.to_vec(), trailers: Vec::new(), length })
        }
        [(_, value)] if value == "chunked" => chunks(rest),
        more => anyhow::bail!("framed more than once, or strangely: {more:?}"),
    };
    let length = start + body.as_ref().map_or(0, |body| body.length);
    let (body, trailers) = body.map_or((None, Vec::new()), |body| (Some(body.bytes), body.trailers));
    Ok((Seen { line, headers, body, trailers }, length))
}

/// A chunked body; none when it is cut short.
fn chunks(bytes: &[u8]) -> Option<Body> {
    let (mut body, mut at) = (Vec::new(), 0);
    let next_line = |at: &mut usize| {
        let rest = bytes.get(*at..)?;
        let length = rest.windows(2).position(|two| two == b"\r\n")?;
        *at += length + 2;
        std::str::from_utf8(rest.get(..length)?).ok()
    };
    loop {
        // What stands behind a semicolon belongs to this hop alone.
        let size = usize::from_str_radix(next_line(&mut at)?.split(';').next()?, 16).ok()?;
        if size == 0 {
            break;
        }
        body.extend_from_slice(bytes.get(at..at.checked_add(size)?)?);
        at += size;
        if !next_line(&mut at)?.is_empty() {
            return None;
        }
    }
    let mut trailers = Vec::new();
    loop {
        match next_line(&mut at)? {
            "" => return Some(Body { bytes: body, trailers, length: at }),
            trailer => trailers.push(trailer.to_owned()),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn well_formed_requests_are_told_apart() {
        let bytes = b"POST /a HTTP/1.1\r\nhost: x\r\ncontent-length: 2\r\n\r\nhiPOST /b HTTP/1.1\r\nTransfer-Encoding: chunked\r\n\r\n2\r\nho\r\n0\r\n\r\n";
        let all = requests(bytes).unwrap();
        let bodies: Vec<_> = all.iter().map(|seen| seen.body.clone().unwrap()).collect();
        assert_eq!(bodies, [b"hi", b"ho"]);
        assert_eq!(requests(&bytes[..bytes.len() - 5]).unwrap()[1].body, None);
    }

    #[test]
    fn what_could_be_read_in_two_ways_is_an_error() {
        for bytes in [
            &b"POST /a HTTP/1.1\r\ncontent-length: 2\r\ntransfer-encoding: chunked\r\n\r\n0\r\n\r\n"[..],
            b"POST /a HTTP/1.1\r\ncontent-length: 2\r\ncontent-length: 2\r\n\r\nhi",
            b"POST /a HTTP/1.1\r\nx: a\nb: c\r\n\r\n",
            b"POST /a b HTTP/1.1\r\n\r\n",
            b"POST /a HTTP/1.1\r\ncontent-length: 2\r\n\r\nhi and more",
            b"POST /a HTTP/1.1\r\ntransfer-encoding: chunked\r\n\r\n0\r\n\r\nPOST",
        ] {
            assert!(requests(bytes).is_err(), "{}", String::from_utf8_lossy(bytes));
        }
    }

    #[test]
    fn trailers_are_told() {
        let bytes =
            b"POST /a HTTP/1.1\r\ntransfer-encoding: chunked\r\n\r\n1;x=y\r\na\r\n0\r\nx-end: b\r\n\r\n";
        let all = requests(bytes).unwrap();
        assert_eq!((all.len(), &all[0].trailers[..]), (1, &["x-end: b".to_owned()][..]));
    }
}
