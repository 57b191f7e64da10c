//! What hyper does not tell of a request's head.
//!
//! hyper hands over a target with its fragment cut off, and takes lines that end in a bare line feed, and a length beside
//! chunks: the first is another resource than was asked for, the others are how two parsers are made to see two requests
//! (RFC 9112 §6.3, §11.2). All are refused here, which needs the bytes, so this reads along. It has to know where a body
//! ends to find the next head; it knows that for a plain content-length only. After anything else the connection ends
//! with its answer, so what this reader makes of the bytes can never differ from what hyper makes of them.
//!
//! A proxy's own parser instead of hyper's was the alternative, rejected: this one can only refuse.

use std::collections::VecDeque;
use std::sync::{Arc, Mutex, PoisonError};

use crate::tapped::Tap;

/// What a head is like.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Head {
    /// As it should be; what follows its body is a head again.
    Sound,
    /// Sound, but where its body ends only hyper knows: the connection ends with the answer.
    Last,
    /// A fragment in the target, a bare line feed, or a length beside chunks.
    Odd,
    /// It came as frames, which have neither.
    Framed,
}

/// Heads read, in order, until they are taken with their requests.
#[derive(Debug, Default)]
pub(super) struct Heads(Mutex<VecDeque<Head>>);

impl Heads {
    /// The next request's. One that was not seen is odd: nothing is answered on the strength of a guess.
    pub(super) fn take(&self) -> Head {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).pop_front().unwrap_or(Head::Odd)
    }
}

/// Longer than any line this reader has to understand.
const LINE: usize = 64;

/// Reads heads along.
pub(super) struct Reads {
    heads: Arc<Heads>,
    reader: Reader,
}

impl Reads {
    pub(super) fn new(heads: Arc<Heads>) -> Self {
        Self { heads, reader: Reader::default() }
    }
}

/// Where the reader is, and what it knows of the head it is in.
#[derive(Debug, Default)]
struct Reader {
    at: At,
    /// The current line as far as it matters, and how long it is.
    line: Vec<u8>,
    length: usize,
    carriage_return: bool,
    /// Lines of this head so far, its request line included.
    lines: usize,
    odd: bool,
    /// Whether a length was stated, and whether a coding was.
    stated: bool,
    coded: bool,
    body: Body,
}

#[derive(Debug, Default, Clone, Copy)]
enum At {
    #[default]
    Head,
    /// So many bytes of a body are left.
    Body(u64),
    /// Nothing more is understood.
    End,
}

#[derive(Debug, Default, Clone, Copy)]
enum Body {
    #[default]
    None,
    Bytes(u64),
    Unclear,
}

impl Reader {
    /// Reads on; whole heads go into `heads`.
    fn read(&mut self, mut bytes: &[u8], heads: &Heads) {
        while let Some((&byte, rest)) = bytes.split_first() {
            match self.at {
                At::End => return,
                At::Body(left) => {
                    let skipped = usize::try_from(left).map_or(bytes.len(), |left| left.min(bytes.len()));
                    bytes = bytes.get(skipped..).unwrap_or_default();
                    let left = left.saturating_sub(skipped as u64);
                    self.at = if left == 0 { At::Head } else { At::Body(left) };
                }
                At::Head => {
                    bytes = rest;
                    if let Some(head) = self.byte(byte) {
                        heads.0.lock().unwrap_or_else(PoisonError::into_inner).push_back(head);
                    }
                }
            }
        }
    }

    fn byte(&mut self, byte: u8) -> Option<Head> {
        if byte != b'\n' {
            self.carriage_return = byte == b'\r';
            self.odd |= byte == b'#' && self.lines == 0;
            self.length += 1;
            if self.line.len() < LINE {
                self.line.push(byte);
            }
            return None;
        }
        let bare = !self.carriage_return;
        let empty = self.length == usize::from(self.carriage_return);
        // Empty lines before a request are skipped (RFC 9112 §2.2).
        if !(empty && self.lines == 0) {
            self.odd |= bare;
            self.stated |= is_named(&self.line, b"content-length");
            self.coded |= is_named(&self.line, b"transfer-encoding");
            self.body = self.body.and(&self.line);
            self.lines += 1;
        }
        (self.length, self.carriage_return) = (0, false);
        self.line.clear();
        (empty && self.lines > 0).then(|| self.ends())
    }

    fn ends(&mut self) -> Head {
        let (odd, body) = (self.odd || self.stated && self.coded, self.body);
        let at = match body {
            Body::None | Body::Bytes(0) => At::Head,
            Body::Bytes(length) => At::Body(length),
            Body::Unclear => At::End,
        };
        *self = Self { at, ..Self::default() };
        match (odd, body) {
            (true, _) => Head::Odd,
            (false, Body::Unclear) => Head::Last,
            (false, Body::None | Body::Bytes(_)) => Head::Sound,
        }
    }
}

/// A line's name and, with its colon, its value.
fn parted(line: &[u8]) -> Option<(&[u8], &[u8])> {
    line.iter().position(|byte| *byte == b':').map(|at| line.split_at(at))
}

fn is_named(line: &[u8], name: &[u8]) -> bool {
    parted(line).is_some_and(|(found, _)| found.eq_ignore_ascii_case(name))
}

impl Body {
    /// With one more line.
    fn and(self, line: &[u8]) -> Self {
        if is_named(line, b"transfer-encoding") {
            return Self::Unclear;
        }
        if !is_named(line, b"content-length") {
            return self;
        }
        let value = parted(line).map_or(&b""[..], |(_, value)| value);
        let digits = value.get(1..).unwrap_or_default().trim_ascii();
        let plain = digits.iter().all(u8::is_ascii_digit) && line.len() < LINE;
        let length = std::str::from_utf8(digits).ok().filter(|_| plain).and_then(|text| text.parse().ok());
        match (self, length) {
            (Self::None, Some(length)) => Self::Bytes(length),
            _ => Self::Unclear,
        }
    }
}

impl Tap for Reads {
    fn read(&mut self, bytes: &[u8]) {
        self.reader.read(bytes, &self.heads);
    }
}

#[cfg(test)]
mod tests;
