//! A caller that sends bytes as they are, and reads what comes back.

use std::io::{BufRead, BufReader, Read as _, Write as _};
use std::net::{SocketAddr, TcpStream};
use std::time::Duration;

use anyhow::Context as _;

/// Longer than every clock of host and guest: past it, something hangs.
const PATIENCE: Duration = Duration::from_secs(15);
/// How long to wait for more from a connection that was left in the middle of something.
const LULL: Duration = Duration::from_millis(1_500);

/// An answer.
#[derive(Debug, Default)]
pub(super) struct Answer {
    pub(super) status: u16,
    /// Names in lower case.
    pub(super) headers: Vec<(String, String)>,
    pub(super) body: Vec<u8>,
    /// Whether the body came to the end it announced.
    pub(super) whole: bool,
}

impl Answer {
    pub(super) fn header(&self, name: &str) -> &str {
        self.headers.iter().find(|(n, _)| n == name).map_or("", |(_, value)| value)
    }

    pub(super) fn outcome(&self) -> &str {
        self.header("domicile-outcome")
    }

    pub(super) fn text(&self) -> String {
        String::from_utf8_lossy(&self.body).into_owned()
    }
}

/// One request on a connection of its own. `headers` are whole lines.
pub(super) fn ask(
    to: SocketAddr,
    method: &str,
    path: &str,
    headers: &str,
    body: &str,
) -> anyhow::Result<Answer> {
    try_ask(to, method, path, headers, body)?.with_context(|| format!("no answer to {method} {path:.60}"))
}

/// The same; none when the connection is closed without an answer.
pub(super) fn try_ask(
    to: SocketAddr,
    method: &str,
    path: &str,
    headers: &str,
    body: &str,
) -> anyhow::Result<Option<Answer>> {
    let mut connection = Connection::open(to)?;
    let length = body.len();
    let head = format!(
        "{method} {path} HTTP/1.1\r\nhost: edge.example\r\nconnection: close\r\ncontent-length: {length}\r\n"
    );
    connection.send(format!("{head}{headers}\r\n{body}").as_bytes())?;
    connection.answer()
}

/// Sends bytes and reads answers until the other side closes, or nothing more comes.
pub(super) fn raw(to: SocketAddr, bytes: &[u8]) -> anyhow::Result<Vec<Answer>> {
    let mut connection = Connection::open(to)?;
    // Whoever refuses the beginning may close before the end is sent.
    let _ = connection.send(bytes);
    connection.reader.get_ref().set_read_timeout(Some(LULL))?;
    let mut answers = Vec::new();
    while let Ok(Some(answer)) = connection.answer() {
        let whole = answer.whole;
        answers.push(answer);
        if !whole {
            break;
        }
    }
    Ok(answers)
}

/// A kept connection.
pub(super) struct Connection {
    reader: BufReader<TcpStream>,
}

impl Connection {
    pub(super) fn open(to: SocketAddr) -> anyhow::Result<Self> {
        let stream = TcpStream::connect(to).with_context(|| format!("nobody listens on {to}"))?;
        stream.set_read_timeout(Some(PATIENCE))?;
        stream.set_write_timeout(Some(PATIENCE))?;
        stream.set_nodelay(true)?;
        Ok(Self { reader: BufReader::new(stream) })
    }

    pub(super) fn send(&mut self, bytes: &[u8]) -> std::io::Result<()> {
        self.reader.get_mut().write_all(bytes)
    }

    /// The next answer; none when the other side has closed. Interim answers (1xx) are passed over.
    pub(super) fn answer(&mut self) -> anyhow::Result<Option<Answer>> {
        loop {
            let Some(first) = line(&mut self.reader)? else { return Ok(None) };
            let status = first.split(' ').nth(1).and_then(|s| s.parse().ok());
            let mut answer = Answer {
                status: status.with_context(|| format!("no HTTP: {first:.80}"))?,
                ..Answer::default()
            };
            while let Some(header) = line(&mut self.reader)?.filter(|line| !line.is_empty()) {
                let (name, value) =
                    header.split_once(':').with_context(|| format!("no header: {header:.80}"))?;
                answer.headers.push((name.to_ascii_lowercase(), value.trim().to_owned()));
            }
            if answer.status >= 200 {
                self.body(&mut answer)?;
                return Ok(Some(answer));
            }
        }
    }

    fn body(&mut self, answer: &mut Answer) -> anyhow::Result<()> {
        if answer.header("transfer-encoding") == "chunked" {
            answer.whole = chunks(&mut self.reader, answer).unwrap_or(false);
        } else if let Ok(length) = answer.header("content-length").parse::<u64>() {
            let read = (&mut self.reader).take(length).read_to_end(&mut answer.body);
            answer.whole = read.is_ok() && u64::try_from(answer.body.len())? == length;
        } else if answer.status != 204 && answer.status != 304 {
            answer.whole = self.reader.read_to_end(&mut answer.body).is_ok();
        } else {
            answer.whole = true;
        }
        Ok(())
    }
}

/// A line without its end; none at the end of everything.
fn line(reader: &mut impl BufRead) -> std::io::Result<Option<String>> {
    let mut line = Vec::new();
    if reader.read_until(b'\n', &mut line)? == 0 {
        return Ok(None);
    }
    let text = String::from_utf8_lossy(&line);
    Ok(Some(text.trim_end_matches(['\r', '\n']).to_owned()))
}

/// Joins chunks (RFC 9112, section 7.1); false when the last one is missing. Trailers count as headers.
fn chunks(reader: &mut BufReader<TcpStream>, answer: &mut Answer) -> std::io::Result<bool> {
    loop {
        let Some(size) = line(reader)? else { return Ok(false) };
        let Ok(size) = u64::from_str_radix(size.split(';').next().unwrap_or_default().trim(), 16) else {
            return Ok(false);
        };
        if size == 0 {
            while let Some(trailer) = line(reader)?.filter(|line| !line.is_empty()) {
                answer.headers.push(("trailer".to_owned(), trailer));
            }
            return Ok(true);
        }
        let before = answer.body.len();
        reader.take(size).read_to_end(&mut answer.body)?;
        if u64::try_from(answer.body.len() - before).unwrap_or(0) < size || line(reader)?.is_none() {
            return Ok(false);
        }
    }
}
