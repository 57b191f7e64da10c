//! HTTP/1.1 messages as they are on the wire (RFC 9112): the bytes themselves, and what a reader makes of them.

use std::io::{BufRead, Error, ErrorKind, Result};

/// A message.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Message {
    /// Every byte of it.
    pub(crate) raw: Vec<u8>,
    /// The start line and the headers, with the empty line.
    pub(crate) head: String,
    /// The body, without chunks.
    pub(crate) body: Vec<u8>,
}

/// Which kind of message: where its body ends depends on that.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Kind {
    Request,
    Answer,
}

impl Message {
    /// Reads the next message; none when the other side is done.
    pub(crate) fn read(from: &mut impl BufRead, kind: Kind) -> Result<Option<Self>> {
        let mut raw = Vec::new();
        while !raw.ends_with(b"\r\n\r\n") {
            if from.read_until(b'\n', &mut raw)? == 0 {
                return if raw.is_empty() { Ok(None) } else { Err(ErrorKind::UnexpectedEof.into()) };
            }
        }
        let head = String::from_utf8(raw.clone()).map_err(|_error| broken("a head that is no text"))?;
        let mut message = Self { raw, head, body: Vec::new() };
        let status = message.start().split(' ').nth(1).unwrap_or_default();
        let bodiless = kind == Kind::Answer && ["204", "304"].contains(&status);
        if message.value("transfer-encoding").is_some_and(|coding| coding.eq_ignore_ascii_case("chunked")) {
            message.chunks(from)?;
        } else if let Some(length) = message.value("content-length") {
            let length = length.parse().map_err(|_error| broken("a length that is no number"))?;
            let mut body = vec![0; length];
            from.read_exact(&mut body)?;
            message.raw.extend_from_slice(&body);
            message.body = body;
        } else if kind == Kind::Answer && !bodiless {
            let mut body = Vec::new();
            from.read_to_end(&mut body)?;
            message.raw.extend_from_slice(&body);
            message.body = body;
        }
        Ok(Some(message))
    }

    fn chunks(&mut self, from: &mut impl BufRead) -> Result<()> {
        loop {
            let line = self.line(from)?;
            let size = line.split(';').next().unwrap_or_default().trim();
            let size = usize::from_str_radix(size, 16).map_err(|_error| broken("a chunk without a size"))?;
            if size == 0 {
                while !self.line(from)?.is_empty() {}
                return Ok(());
            }
            let mut chunk = vec![0; size];
            from.read_exact(&mut chunk)?;
            self.raw.extend_from_slice(&chunk);
            self.body.extend_from_slice(&chunk);
            self.line(from)?;
        }
    }

    fn line(&mut self, from: &mut impl BufRead) -> Result<String> {
        let begin = self.raw.len();
        from.read_until(b'\n', &mut self.raw)?;
        let line = self.raw.get(begin..).unwrap_or_default();
        let line = line.strip_suffix(b"\r\n").ok_or_else(|| broken("a line without an end"))?;
        Ok(String::from_utf8_lossy(line).into_owned())
    }

    /// The first line.
    pub(crate) fn start(&self) -> &str {
        self.head.lines().next().unwrap_or_default()
    }

    /// The target of a request.
    pub(crate) fn path(&self) -> &str {
        self.start().split(' ').nth(1).unwrap_or_default()
    }

    /// Names, as they were sent, and values.
    pub(crate) fn headers(&self) -> impl Iterator<Item = (&str, &str)> {
        let lines = self.head.lines().skip(1);
        lines.filter_map(|line| line.split_once(':')).map(|(name, value)| (name, value.trim()))
    }

    /// The value of a header.
    pub(crate) fn value(&self, name: &str) -> Option<&str> {
        self.headers().find(|(found, _)| found.eq_ignore_ascii_case(name)).map(|(_, value)| value)
    }

    /// The same answer with another body.
    pub(crate) fn with_body(&self, body: &[u8]) -> Self {
        let framing = |name: &str| {
            ["content-length", "transfer-encoding"].iter().any(|known| name.eq_ignore_ascii_case(known))
        };
        let mut head = format!("{}\r\n", self.start());
        for (name, value) in self.headers().filter(|(name, _)| !framing(name)) {
            head.push_str(&format!("{name}: {value}\r\n"));
        }
        head.push_str(&format!("content-length: {}\r\n\r\n", body.len()));
        Self { raw: [head.as_bytes(), body].concat(), head, body: body.to_vec() }
    }
}

fn broken(what: &'static str) -> Error {
    Error::new(ErrorKind::InvalidData, what)
}
