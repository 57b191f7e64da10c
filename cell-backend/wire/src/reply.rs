//! Inner answers: JSON content or a problem, with the marks that a cell puts on them.

use std::fmt;

use base64::Engine as _;
use base64::engine::general_purpose::URL_SAFE_NO_PAD as BASE64URL;
use bhttp::{Message, StatusCode};
use serde::de::DeserializeOwned;

use crate::message::{self, FramingError, Kind};
use crate::steer::TRY;
use crate::{ANSWER_MAX, Problem, Steer, date};

/// Header: the cell's receipt, the envelope's JSON as base64url.
pub const RECEIPT: &str = "domicile-receipt";

const JSON: &str = "application/json";
const PROBLEM_JSON: &str = "application/problem+json";

/// What stands beside an answer's content.
#[derive(Clone, Copy, Debug, Default)]
pub struct Marks<'m> {
    /// The cell's clock, seconds since 1970: a client learns its own clock's offset from it.
    pub date_s: Option<i64>,
    /// The receipt's envelope, JSON.
    pub receipt: Option<&'m str>,
    /// The cell that is to be asked for a while instead.
    pub steer: Option<&'m Steer>,
}

/// Content as binary HTTP, unpadded.
pub fn encode_content(content: &[u8], marks: Marks<'_>) -> Vec<u8> {
    encode(StatusCode::OK, JSON, content, marks)
}

/// A problem as binary HTTP, unpadded.
pub fn encode_problem(problem: &Problem, marks: Marks<'_>) -> Vec<u8> {
    let status = StatusCode::try_from(problem.status).unwrap_or(StatusCode::OK);
    encode(status, PROBLEM_JSON, &serde_json::to_vec(problem).unwrap_or_default(), marks)
}

fn encode(status: StatusCode, media: &str, content: &[u8], marks: Marks<'_>) -> Vec<u8> {
    let mut message = Message::response(status);
    message.put_header("content-type", media);
    message.put_header("cache-control", "no-store");
    if let Some(seconds) = marks.date_s {
        message.put_header("date", date::text(seconds));
    }
    if let Some(receipt) = marks.receipt {
        message.put_header(RECEIPT, BASE64URL.encode(receipt));
    }
    if let Some(steer) = marks.steer {
        message.put_header(TRY, steer.to_string());
    }
    message.write_content(content);
    message::write(&message)
}

/// An inner answer as a client reads it. Its `Debug` shows the status alone.
#[derive(Clone, PartialEq, Eq)]
pub struct Reply {
    /// The HTTP status.
    pub status: u16,
    /// The cell's clock.
    pub date_s: Option<i64>,
    /// The receipt's envelope, JSON; nothing is known about its signature.
    pub receipt: Option<String>,
    /// The cell that is to be asked for a while instead; none as well when the header is not of its form.
    pub steer: Option<Steer>,
    /// The content exactly as it was sent: what a receipt covers.
    pub content: Vec<u8>,
}

impl Reply {
    /// Reads an answer of at most [`ANSWER_MAX`] bytes.
    ///
    /// # Errors
    /// [`FramingError`] when the bytes are no answer of a cell.
    pub fn decode(bytes: &[u8]) -> Result<Self, FramingError> {
        let message = message::read(bytes, Kind::Response, ANSWER_MAX)?;
        let text = |name: &str| {
            let value = message.header().get(name.as_bytes());
            value.map(|value| str::from_utf8(value).map_err(|_| FramingError::Malformed)).transpose()
        };
        let receipt =
            |text: &str| BASE64URL.decode(text).ok().and_then(|bytes| String::from_utf8(bytes).ok());
        Ok(Self {
            status: message.control().status().map_or(0, StatusCode::code),
            date_s: text("date")?
                .map(|date| date::seconds(date).ok_or(FramingError::Malformed))
                .transpose()?,
            receipt: text(RECEIPT)?.map(|text| receipt(text).ok_or(FramingError::Malformed)).transpose()?,
            steer: text(TRY).ok().flatten().and_then(Steer::parse),
            content: message.content().to_vec(),
        })
    }

    /// Its content, or the problem in its place.
    ///
    /// # Errors
    /// [`FramingError::Malformed`] when the content is neither.
    pub fn parse<T: DeserializeOwned>(&self) -> Result<Result<T, Problem>, FramingError> {
        let read = match self.status {
            200 => serde_json::from_slice(&self.content).map(Ok),
            _ => serde_json::from_slice(&self.content).map(Err),
        };
        read.map_err(|_| FramingError::Malformed)
    }
}

impl fmt::Debug for Reply {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Reply({}, redacted)", self.status)
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::{Code, EventsAnswer};

    #[test]
    fn an_answer_and_its_marks_survive() {
        let answer = EventsAnswer { accepted: 2, duplicates: 1, erased: 0 };
        let content = serde_json::to_vec(&answer).unwrap();
        let steer = Steer { cell: "eu-b".into(), seconds: 30, permille: 250 };
        let receipt = Some("{\"payload\":\"\"}");
        let marks = Marks { date_s: Some(784_111_777), receipt, steer: Some(&steer) };
        let reply = Reply::decode(&encode_content(&content, marks)).unwrap();
        assert_eq!((reply.status, reply.date_s), (200, Some(784_111_777)));
        assert_eq!((reply.receipt.as_deref(), reply.steer.as_ref()), (receipt, Some(&steer)));
        assert_eq!((reply.content.clone(), reply.parse::<EventsAnswer>()), (content, Ok(Ok(answer))));
        let skewed = Problem::from(Code::DateSkew);
        let reply = Reply::decode(&encode_problem(&skewed, Marks { receipt: None, ..marks })).unwrap();
        assert_eq!((reply.status, reply.date_s, reply.receipt.clone()), (400, Some(784_111_777), None));
        assert_eq!(reply.parse::<EventsAnswer>(), Ok(Err(skewed)));
        assert!(String::from_utf8(reply.content).unwrap().contains("http-problem-types#date"));
    }

    proptest! {
        #[test]
        fn an_altered_answer_is_read_or_refused(at in any::<prop::sample::Index>(), byte in any::<u8>()) {
            let marks = Marks { date_s: Some(784_111_777), receipt: Some("{}"), steer: None };
            let mut bytes = encode_content(b"{}", marks);
            let at = at.index(bytes.len());
            bytes[at] = byte;
            if let Ok(reply) = Reply::decode(&bytes) {
                let _ = reply.parse::<EventsAnswer>();
            }
        }
    }
}
