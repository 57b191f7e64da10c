//! The inner request: which call, from whom, and when.

use std::fmt;

use bhttp::Message;

use crate::message::{self, FramingError, Kind};
use crate::request::{RankRequest, body};
use crate::{Bearer, Code, Event, PageToken, Problem, REQUEST_MAX, ShopperId, date, event};

/// The route of rankings: POST.
pub const RANK_PATH: &str = "/v1/rank";
/// The route of events: POST.
pub const EVENTS_PATH: &str = "/v1/events";
/// The route of what is kept about a shopper: GET exports it, DELETE erases it.
pub const SHOPPER_PATH: &str = "/v1/shopper";

/// Header: the class's pin.
pub const PIN: &str = "domicile-pin";
/// Header: the shopper's id, until tokens replace it; taken on loopback only.
pub const SHOPPER: &str = "domicile-shopper";
/// Header: the shopper's token, `Bearer` and the token.
pub const AUTHORIZATION: &str = "authorization";
/// Header: when the request was sealed, by the client's clock.
pub const DATE: &str = "date";
/// Header: what the caller has left, in whole milliseconds; caps the cell's budget, never lengthens it.
pub const BUDGET: &str = "domicile-budget-ms";

const JSON: &str = "application/json";
const PAGE: &str = "page=";

/// A call of the cell's API.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Call {
    /// A shelf.
    Rank(RankRequest),
    /// What the shopper did.
    Events(Vec<Event>),
    /// What is kept about the shopper, a page of it.
    Export(Option<PageToken>),
    /// The end of what is kept.
    Erase,
}

impl Call {
    /// Every call's name in labels and receipts.
    pub const NAMES: [&str; 4] = ["rank", "events", "export", "erasure"];

    /// The call's name in labels and receipts.
    pub const fn as_str(&self) -> &'static str {
        match self {
            Self::Rank(_) => "rank",
            Self::Events(_) => "events",
            Self::Export(_) => "export",
            Self::Erase => "erasure",
        }
    }
}

/// Who asks. What a token says is known once it is verified, and not before.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Caller {
    /// Nobody is named.
    Nobody,
    /// A plain id: interim, on loopback only.
    Plain(ShopperId),
    /// A token.
    Token(Bearer),
}

/// The whole inner request, headers read.
#[derive(Clone, PartialEq, Eq)]
pub struct Request {
    /// The pin's text, unchecked.
    pub pin: String,
    /// Who asks.
    pub caller: Caller,
    /// When it was sealed, seconds since 1970 by the client's clock.
    pub date_s: Option<i64>,
    /// What the caller has left, in milliseconds.
    pub budget_ms: Option<u32>,
    /// The call.
    pub call: Call,
}

impl fmt::Debug for Request {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Request")
            .field("caller", &self.caller)
            .field("date_s", &self.date_s)
            .field("budget_ms", &self.budget_ms)
            .field("call", &self.call)
            .finish_non_exhaustive()
    }
}

/// Why a request was not read.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum RequestError {
    /// The bytes are no message.
    Framing(FramingError),
    /// The message asks for what it cannot have.
    Refused(Problem),
}

impl Request {
    /// The request as binary HTTP, unpadded.
    pub fn encode(&self) -> Vec<u8> {
        let (method, path, content): (&str, String, Option<Vec<u8>>) = match &self.call {
            Call::Rank(rank) => {
                ("POST", RANK_PATH.into(), Some(serde_json::to_vec(rank).unwrap_or_default()))
            }
            Call::Events(events) => ("POST", EVENTS_PATH.into(), Some(event::encode(events))),
            Call::Export(None) => ("GET", SHOPPER_PATH.into(), None),
            Call::Export(Some(page)) => ("GET", format!("{SHOPPER_PATH}?{PAGE}{}", page.text()), None),
            Call::Erase => ("DELETE", SHOPPER_PATH.into(), None),
        };
        let mut message = Message::request(method.into(), b"https".into(), Vec::new(), path.into());
        if content.is_some() {
            message.put_header("content-type", JSON);
        }
        message.put_header(PIN, self.pin.as_str());
        match &self.caller {
            Caller::Nobody => {}
            Caller::Plain(shopper) => message.put_header(SHOPPER, shopper.expose()),
            Caller::Token(token) => message.put_header(AUTHORIZATION, format!("Bearer {}", token.expose())),
        }
        if let Some(seconds) = self.date_s {
            message.put_header(DATE, date::text(seconds));
        }
        if let Some(budget) = self.budget_ms {
            message.put_header(BUDGET, budget.to_string());
        }
        message.write_content(content.unwrap_or_default());
        message::write(&message)
    }
}

/// Reads a request of at most [`REQUEST_MAX`] bytes.
///
/// Of the headers, only those named here are looked at: `traceparent`, `forwarded`, `via` and all others go no
/// further than this function.
///
/// # Errors
/// [`RequestError`], framing before meaning.
pub fn decode_request(bytes: &[u8]) -> Result<Request, RequestError> {
    let message = message::read(bytes, Kind::Request, REQUEST_MAX).map_err(RequestError::Framing)?;
    interpret(&message).map_err(RequestError::Refused)
}

fn interpret(message: &Message) -> Result<Request, Problem> {
    let control = message.control();
    let target = control.path().and_then(|path| str::from_utf8(path).ok()).unwrap_or_default();
    let (path, query) = target.split_once('?').map_or((target, None), |(path, query)| (path, Some(query)));
    let method = control.method().unwrap_or_default();
    let posted = match (path, method) {
        (RANK_PATH | EVENTS_PATH, b"POST") => true,
        (SHOPPER_PATH, b"GET" | b"DELETE") => false,
        (RANK_PATH | EVENTS_PATH, _) => return Err(answers(path, "POST")),
        (SHOPPER_PATH, _) => return Err(answers(path, "GET and DELETE")),
        _ => {
            let known = format!("this cell answers {RANK_PATH}, {EVENTS_PATH} and {SHOPPER_PATH}");
            return Err(Problem::new(Code::UnknownRoute, known));
        }
    };
    if query.is_some() && (path, method) != (SHOPPER_PATH, b"GET") {
        return Err(Problem::new(Code::UnknownRoute, "only an export takes a query, its page"));
    }
    let media = single(message, "content-type")?.unwrap_or_default();
    if posted && media.split(';').next().map(str::trim) != Some(JSON) {
        return Err(Problem::new(Code::UnsupportedType, format!("the body has to be {JSON}")));
    }
    if !posted && !message.content().is_empty() {
        return Err(Problem::new(Code::BodyInvalid, "this call takes no body"));
    }
    let pin = single(message, PIN)?.ok_or_else(|| Problem::new(Code::PinMissing, format!("send {PIN}")))?;
    let caller = caller(message)?;
    let date_s = single(message, DATE)?
        .map(|text| date::seconds(text).ok_or_else(|| invalid(DATE, "an IMF-fixdate (RFC 9110)")))
        .transpose()?;
    let budget_ms = single(message, BUDGET)?
        .map(|text| whole(text).ok_or_else(|| invalid(BUDGET, "whole milliseconds, in digits")))
        .transpose()?;
    let call = match (path, method) {
        (RANK_PATH, _) => Call::Rank(body(message.content())?),
        (EVENTS_PATH, _) => Call::Events(event::decode(message.content())?),
        (_, b"GET") => Call::Export(query.map(page).transpose()?),
        _ => Call::Erase,
    };
    Ok(Request { pin: pin.to_owned(), caller, date_s, budget_ms, call })
}

/// One of the two ways to say who asks, never both: they could name two shoppers.
fn caller(message: &Message) -> Result<Caller, Problem> {
    match (single(message, AUTHORIZATION)?, single(message, SHOPPER)?) {
        (None, None) => Ok(Caller::Nobody),
        (Some(value), None) => {
            let token = Bearer::of_header(value);
            token.map(Caller::Token).ok_or_else(|| Problem::new(Code::TokenMissing, "send one bearer token"))
        }
        (None, Some(text)) => {
            let shopper = ShopperId::new(text);
            shopper.map(Caller::Plain).ok_or_else(|| invalid(SHOPPER, "1 to 128 visible ASCII characters"))
        }
        (Some(_), Some(_)) => {
            Err(Problem::new(Code::HeaderInvalid, format!("send {AUTHORIZATION} or {SHOPPER}, not both")))
        }
    }
}

fn page(query: &str) -> Result<PageToken, Problem> {
    let token = query.strip_prefix(PAGE).and_then(PageToken::parse);
    token.ok_or_else(|| Problem::new(Code::PageInvalid, "send ?page= with the token of the page before"))
}

fn answers(path: &str, methods: &str) -> Problem {
    Problem::new(Code::MethodNotAllowed, format!("{path} answers {methods}"))
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

#[cfg(test)]
mod tests;
