//! What the edge is asked and how its answers are read.
//!
//! A sealed request leaves without a content type, so that a browser sends no preflight; every other header would only
//! be something more to tell pages apart by.

use bytes::Bytes;
use domicile_deadline::Deadline;
use domicile_route::{RouteCell, Transport, is_answer_size};
use domicile_seal::{ANSWER_TYPE, REQUEST_TYPE};
use domicile_wire::GATEWAY_PATH;
use http::header::{CACHE_CONTROL, CONTENT_TYPE};
use http::{HeaderName, Request, Response, StatusCode};
use serde_json::Value;

use crate::outside::{Outside, within};
use crate::{EdgeProblem, Lost, Page, Reason};

/// The header that says what an outer answer is.
pub(crate) const OUTCOME: HeaderName = HeaderName::from_static("domicile-outcome");
/// The outcome of a cell's answer.
const RELAYED: &str = "relayed";
/// What the outcome of a fallback begins with.
const FALLBACK: &str = "fallback; reason=";

/// Whether caches on the way may answer.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Caches {
    May,
    MayNot,
}

/// What came of a sealed request, before it is opened.
pub(crate) enum Outer {
    /// Bytes that are said to be a cell's answer, of the right type and size.
    Sealed(Bytes),
    /// None, for this reason.
    None(Reason),
    /// The edge refused.
    Refused(EdgeProblem),
}

/// Fetches a document.
pub(crate) async fn get(
    outside: &impl Outside,
    url: String,
    caches: Caches,
    deadline: Deadline,
) -> Result<Response<Bytes>, Lost> {
    let mut request = Request::get(url);
    if caches == Caches::MayNot {
        request = request.header(CACHE_CONTROL, "no-cache");
    }
    let request = request.body(Bytes::new()).map_err(|_error| Lost::Unreachable)?;
    within(outside, deadline, outside.send(request)).await.unwrap_or(Err(Lost::BrokeOff))
}

/// A document that came with 200, as text.
pub(crate) fn text(answer: Result<Response<Bytes>, Lost>) -> Option<String> {
    let answer = answer.ok().filter(|answer| answer.status() == StatusCode::OK)?;
    String::from_utf8(answer.into_body().into()).ok()
}

/// The request that carries sealed bytes to a cell, the way that the manifest names.
pub(crate) fn sealed(
    edge: &str,
    pin: &str,
    page: &Page,
    cell: &RouteCell,
    body: &[u8],
) -> Option<Request<Bytes>> {
    let request = match &cell.transport {
        Transport::Relay => {
            let (name, locale, slot) = (&cell.name, page.locale(), page.slot());
            Request::post(format!("{edge}/v1/sealed/{pin}/{name}/{locale}/{slot}"))
        }
        // Nobody's leave is asked here, so the type that RFC 9458, section 6.2, names goes along.
        Transport::Direct(origin) => Request::post(format!("{}{GATEWAY_PATH}", origin.trim_end_matches('/')))
            .header(CONTENT_TYPE, REQUEST_TYPE),
    };
    request.body(Bytes::copy_from_slice(body)).ok()
}

/// Reads what came back of a sealed request. Whatever is not plainly a cell's answer is none.
pub(crate) fn read(cell: &RouteCell, answer: Response<Bytes>) -> Outer {
    let status = answer.status();
    let text = |name: &HeaderName| {
        let mut values = answer.headers().get_all(name).iter();
        let first = values.next().and_then(|value| value.to_str().ok());
        first.filter(|_| values.next().is_none()).unwrap_or_default()
    };
    match &cell.transport {
        Transport::Relay if status != StatusCode::OK => {
            let problem = serde_json::from_slice(answer.body()).unwrap_or(Value::Null);
            return Outer::Refused(EdgeProblem { status: status.as_u16(), problem });
        }
        Transport::Relay => match text(&OUTCOME) {
            RELAYED => {}
            other => {
                let reason = other.strip_prefix(FALLBACK).and_then(Reason::of_edge);
                return Outer::None(reason.unwrap_or(Reason::NotAnAnswer));
            }
        },
        Transport::Direct(_) if status != StatusCode::OK => {
            return Outer::None(Reason::of_status(status.as_u16()));
        }
        Transport::Direct(_) => {}
    }
    let sound =
        text(&CONTENT_TYPE) == ANSWER_TYPE && u32::try_from(answer.body().len()).is_ok_and(is_answer_size);
    if sound { Outer::Sealed(answer.into_body()) } else { Outer::None(Reason::NotAnAnswer) }
}
