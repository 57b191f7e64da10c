//! What a cell may do wrong.

use std::io::Write as _;
use std::net::TcpStream;
use std::time::Duration;

use super::seen::Seen;

/// What the capture server answers.
#[derive(Clone, Debug)]
pub(in crate::test::boundary) enum Does {
    /// The request's body, after `answer to `, with headers and a trailer that must not get through.
    Echoes,
    /// This status, with a body.
    Answers(u16),
    /// So many bytes.
    Large(usize),
    /// Nothing.
    Hangs,
    /// Promises a body and closes.
    SendsNoBody,
    /// Promises more than it sends, then closes.
    SendsLess,
    /// Promises less than it sends: the rest is a second answer that nobody asked for.
    SendsMore,
    /// Closes within a chunk.
    BreaksOff,
    /// One byte, then nothing.
    Stalls,
    /// A byte every so often, without end.
    Drips(Duration),
    /// Interim heads without end.
    HintsForEver,
    /// Something that is no HTTP.
    Babbles,
    /// Two lengths.
    Ambiguous,
}

/// The bytes of a second answer, which must reach nobody.
pub(in crate::test::boundary) const STOWAWAY: &str = "stowaway";

/// Answers; none when the connection is over.
pub(super) fn answer(stream: &mut TcpStream, does: &Does, request: &Seen) -> Option<()> {
    let mut send = |bytes: &[u8]| stream.write_all(bytes).ok();
    match does {
        Does::Echoes => {
            let body = [b"answer to ", request.body.as_deref().unwrap_or_default()].concat();
            send(b"HTTP/1.1 200 OK\r\nset-cookie: canary-answer\r\nx-rung: canary-answer\r\ntransfer-encoding: chunked\r\n")?;
            send(format!("trailer: x-end\r\n\r\n{:x}\r\n", body.len()).as_bytes())?;
            send(&body)?;
            send(b"\r\n0\r\nx-end: canary-answer\r\n\r\n")
        }
        Does::Answers(status) => {
            let head = format!("HTTP/1.1 {status} Told\r\nx-rung: canary-answer\r\nretry-after: 77\r\n");
            send(format!("{head}content-length: 13\r\n\r\ncanary-answer").as_bytes())
        }
        Does::Large(length) => {
            send(format!("HTTP/1.1 200 OK\r\ncontent-length: {length}\r\n\r\n").as_bytes())?;
            send(&large(*length))
        }
        Does::Hangs => {
            hold(stream);
            None
        }
        Does::SendsNoBody => {
            send(b"HTTP/1.1 200 OK\r\ncontent-length: 1000\r\n\r\n")?;
            None
        }
        Does::SendsLess => {
            send(b"HTTP/1.1 200 OK\r\ncontent-length: 1000\r\n\r\nhello")?;
            None
        }
        Does::SendsMore => {
            let more = format!("HTTP/1.1 200 OK\r\ncontent-length: {}\r\n\r\n{STOWAWAY}", STOWAWAY.len());
            send(format!("HTTP/1.1 200 OK\r\ncontent-length: 5\r\n\r\nhello{more}").as_bytes())
        }
        Does::BreaksOff => {
            send(b"HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\n400\r\nhello")?;
            None
        }
        Does::Stalls => {
            send(b"HTTP/1.1 200 OK\r\ncontent-length: 1000\r\n\r\nh")?;
            hold(stream);
            None
        }
        Does::Drips(pause) => {
            send(b"HTTP/1.1 200 OK\r\ncontent-length: 100000\r\n\r\n")?;
            loop {
                send(b"h")?;
                std::thread::sleep(*pause);
            }
        }
        Does::HintsForEver => loop {
            send(&b"HTTP/1.1 103 Early Hints\r\nlink: </canary-answer>\r\n\r\n".repeat(64))?;
        },
        Does::Babbles => {
            send(b"220 mail.example ESMTP\r\n\r\n")?;
            None
        }
        Does::Ambiguous => {
            send(b"HTTP/1.1 200 OK\r\ncontent-length: 5\r\ncontent-length: 7\r\n\r\nhello!!")?;
            None
        }
    }
}

/// A body whose every byte depends on its place.
pub(in crate::test::boundary) fn large(length: usize) -> Vec<u8> {
    (0..length).map(|at| u8::try_from(at % 251).unwrap_or(0)).collect()
}

/// Keeps a connection open until the other side gives it up.
fn hold(stream: &TcpStream) {
    let mut byte = [0];
    let mut stream = stream;
    while std::io::Read::read(&mut stream, &mut byte).is_ok_and(|count| count > 0) {}
}
