//! The inner request: `POST /v1/rank`.

use std::fmt;

use bhttp::Message;
use serde::{Deserialize, Serialize};
use serde_json::Value;

use crate::message::{self, FramingError, Kind};
use crate::nearest::nearest;
use crate::{Code, Problem, REQUEST_MAX, ShopperId};

/// Most anchors of a request: a long basket's first items say what it is about.
pub const ANCHORS_MAX: usize = 32;
/// The route.
pub const RANK_PATH: &str = "/v1/rank";
/// Header: the class's pin.
pub const PIN: &str = "domicile-pin";
/// Header: the shopper's id, until tokens replace it; taken on loopback only.
pub const SHOPPER: &str = "domicile-shopper";
/// Header: what the caller has left, in whole milliseconds; caps the cell's budget, never lengthens it.
pub const BUDGET: &str = "domicile-budget-ms";

const JSON: &str = "application/json";
const BODY_FIELDS: [&str; 3] = ["locale", "slot", "anchor"];

/// What a shelf is asked for.
#[derive(Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct RankRequest {
    /// The locale's BCP 47 tag, as in the topology.
    pub locale: String,
    /// The slot's name, as in the topology.
    pub slot: String,
    /// Ids of the items the page is about: the basket's, or the product's. At most [`ANCHORS_MAX`]; a model looks at
    /// the first few (its snapshot's `limits.anchor`).
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub anchor: Vec<String>,
}

impl fmt::Debug for RankRequest {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "RankRequest({} {}, {} anchors)", self.locale, self.slot, self.anchor.len())
    }
}

/// The whole inner request, headers read.
#[derive(Clone, PartialEq, Eq)]
pub struct InnerRequest {
    /// The pin's text, unchecked.
    pub pin: String,
    /// The shopper, if the caller has one.
    pub shopper: Option<ShopperId>,
    /// What the caller has left, in milliseconds.
    pub budget_ms: Option<u32>,
    /// The body.
    pub rank: RankRequest,
}

impl fmt::Debug for InnerRequest {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("InnerRequest")
            .field("shopper", &self.shopper)
            .field("budget_ms", &self.budget_ms)
            .field("rank", &self.rank)
            .finish_non_exhaustive()
    }
}

/// Why a request was not read.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum RequestError {
    /// The bytes are no message: answered outside the seal.
    Framing(FramingError),
    /// The message asks for what it cannot have: answered inside it.
    Refused(Problem),
}

/// The request as binary HTTP, unpadded.
pub fn encode_request(request: &InnerRequest) -> Vec<u8> {
    let mut message = Message::request(b"POST".into(), b"https".into(), Vec::new(), RANK_PATH.into());
    message.put_header("content-type", JSON);
    message.put_header(PIN, request.pin.as_str());
    if let Some(shopper) = &request.shopper {
        message.put_header(SHOPPER, shopper.expose());
    }
    if let Some(budget) = request.budget_ms {
        message.put_header(BUDGET, budget.to_string());
    }
    message.write_content(serde_json::to_vec(&request.rank).unwrap_or_default());
    message::write(&message)
}

/// Reads a request of at most [`REQUEST_MAX`] bytes.
///
/// Of the headers, only those named here are looked at: `traceparent`, `forwarded`, `via` and all others go no
/// further than this function.
///
/// # Errors
/// [`RequestError`], framing before meaning.
pub fn decode_request(bytes: &[u8]) -> Result<InnerRequest, RequestError> {
    let message = message::read(bytes, Kind::Request, REQUEST_MAX).map_err(RequestError::Framing)?;
    interpret(&message).map_err(RequestError::Refused)
}

fn interpret(message: &Message) -> Result<InnerRequest, Problem> {
    let control = message.control();
    if control.path() != Some(RANK_PATH.as_bytes()) {
        return Err(Problem::new(Code::UnknownRoute, format!("this cell answers POST {RANK_PATH}")));
    }
    if control.method() != Some(b"POST") {
        return Err(Problem::new(Code::MethodNotAllowed, format!("{RANK_PATH} answers POST")));
    }
    let media = single(message, "content-type")?.unwrap_or_default();
    if media.split(';').next().map(str::trim) != Some(JSON) {
        return Err(Problem::new(Code::UnsupportedType, format!("the body has to be {JSON}")));
    }
    let pin = single(message, PIN)?.ok_or_else(|| Problem::new(Code::PinMissing, format!("send {PIN}")))?;
    let shopper = single(message, SHOPPER)?
        .map(|text| ShopperId::new(text).ok_or_else(|| invalid(SHOPPER, "1 to 128 visible ASCII characters")))
        .transpose()?;
    let budget_ms = single(message, BUDGET)?
        .map(|text| whole(text).ok_or_else(|| invalid(BUDGET, "whole milliseconds, in digits")))
        .transpose()?;
    Ok(InnerRequest { pin: pin.to_owned(), shopper, budget_ms, rank: body(message.content())? })
}

fn single<'m>(message: &'m Message, name: &str) -> Result<Option<&'m str>, Problem> {
    let mut values = message.header().get_all(name.as_bytes());
    let first = values.next();
    if values.next().is_some() {
        return Err(Problem::new(Code::HeaderInvalid, format!("{name} is there twice")));
    }
    first.map(|value| str::from_utf8(value).map_err(|_| invalid(name, "UTF-8"))).transpose()
}

/// A number of digits and nothing else: `parse` takes a sign as well.
fn whole(text: &str) -> Option<u32> {
    text.bytes().all(|byte| byte.is_ascii_digit()).then(|| text.parse().ok())?
}

fn invalid(name: &str, form: &str) -> Problem {
    Problem::new(Code::HeaderInvalid, format!("{name} has to be {form}"))
}

fn body(bytes: &[u8]) -> Result<RankRequest, Problem> {
    let refused = |detail: String| Problem::new(Code::BodyInvalid, detail);
    let place = |e: serde_json::Error| {
        refused(format!("not the JSON of a ranking request near column {}", e.column()))
    };
    // The names are looked at first: serde's own message would quote what was sent.
    let value: Value = serde_json::from_slice(bytes).map_err(place)?;
    for name in value.as_object().into_iter().flatten().map(|(name, _)| name) {
        if !BODY_FIELDS.contains(&name.as_str()) {
            let nearest = nearest(name, BODY_FIELDS).unwrap_or_default();
            return Err(refused(format!("unknown field; the nearest known one is {nearest:?}")));
        }
    }
    let request: RankRequest = serde_json::from_slice(bytes).map_err(place)?;
    if request.anchor.len() > ANCHORS_MAX {
        return Err(Problem::new(Code::TooManyAnchors, format!("at most {ANCHORS_MAX} anchors")));
    }
    Ok(request)
}

#[cfg(test)]
mod tests;
