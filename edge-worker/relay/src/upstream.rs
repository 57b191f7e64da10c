//! The way to a cell and back.
//!
//! Two things cross, each as a handle: the body stream of a sealed request, and the body stream of an answer. Headers
//! are fixed lists both ways, trailers are fresh and empty both ways (those of the peers would be a header channel),
//! and of the cell's answer only the status is looked at.

use domicile_tables::{CellAddress, FIXED_HEADERS, FallbackReason, RelayTable, UriScheme};

use crate::bindings::domicile::boundary::routing::Relay;
use crate::bindings::wasi::http::client;
use crate::bindings::wasi::http::types::{
    ErrorCode, Fields, Method, Request, RequestOptions, Response, Scheme,
};
use crate::bindings::wit_future;

/// The media type of what goes to a cell, whatever the caller called it (RFC 9458, section 9.2).
const REQUEST_TYPE: &str = "message/ohttp-req";

/// The share of the wait that connecting may take, in tenths. A host counts connecting and waiting for the first
/// byte apart, and together they have to stay within the wait that the page's limit was checked against.
const CONNECT_TENTHS: u64 = 4;

/// The limit between two pieces of an answer's body, so that a dripping cell does not hold a page.
const BETWEEN_BYTES_NS: u64 = 1_000 * NS_PER_MS;

const NS_PER_MS: u64 = 1_000_000;

/// What a relayed answer carries besides [`FIXED_HEADERS`].
type Headers = [(&'static str, &'static str); 3];

const SEALED: Headers = [
    // RFC 9458, section 9.3.
    ("content-type", "message/ohttp-res"),
    ("cache-control", "no-store"),
    ("domicile-outcome", "relayed"),
];

/// The same keys for everybody; the cell signs them, and they say themselves until when they hold.
const KEYS: Headers = [
    ("content-type", "application/json"),
    ("cache-control", "public, max-age=3600"),
    ("domicile-outcome", "relayed"),
];

/// A future that somebody waits for: what was sent is through, or not.
type Sent = wit_bindgen::rt::async_support::FutureReader<Result<(), ErrorCode>>;

/// Hands a request's body to the cell and makes an answer of the cell's body, or says why there is none.
pub(crate) async fn relay(
    table: &RelayTable,
    relay: &Relay,
    incoming: Request,
) -> Result<Response, FallbackReason> {
    let cell = table.cell(relay.cell).ok_or(FallbackReason::CellFailed)?;
    let wait_ms = table.wait_ms(relay.slot).ok_or(FallbackReason::CellFailed)?;

    let (received, ok) = wit_future::new(|| Ok(()));
    let (body, trailers) = Request::consume_body(incoming, ok);
    drop(trailers);
    let (no_more, no_trailers) = wit_future::new(|| Ok(None));
    let headers = fields(&[("content-type", REQUEST_TYPE)])?;
    let (outgoing, sent) = Request::new(headers, Some(body), no_trailers, Some(limits(wait_ms)));
    // Dropping the end that was never written to resolves the future to its default: no trailers. A body is only over
    // once its trailers are known, so this must not wait for anything.
    drop(no_more);
    address(&outgoing, &Method::Post, cell, &cell.path).map_err(|()| FallbackReason::CellFailed)?;

    let answer = spliced(client::send(outgoing).await, sent, SEALED);
    // Dropped unwritten, this resolves to "received". It must not be held until the bodies are through: a body is only
    // through once it has resolved, and an instance that waits for itself is never free again.
    drop(received);
    answer
}

/// Asks a cell for its sealing keys and makes an answer of the cell's body, or says why there is none.
pub(crate) async fn keys(table: &RelayTable, cell: u8) -> Result<Response, FallbackReason> {
    let cell = table.cell(cell).ok_or(FallbackReason::CellFailed)?;
    let (no_more, no_trailers) = wit_future::new(|| Ok(None));
    let (outgoing, sent) = Request::new(Fields::new(), None, no_trailers, Some(limits(table.keys_wait_ms)));
    drop(no_more);
    address(&outgoing, &Method::Get, cell, &cell.keys).map_err(|()| FallbackReason::CellFailed)?;
    spliced(client::send(outgoing).await, sent, KEYS)
}

/// An answer whose body is the cell's, if the cell answered 200.
fn spliced(
    response: Result<Response, ErrorCode>,
    sent: Sent,
    headers: Headers,
) -> Result<Response, FallbackReason> {
    let response = response.map_err(|_| FallbackReason::CellFailed)?;
    if let Some(reason) = FallbackReason::of_status(response.get_status_code()) {
        return Err(reason);
    }
    let (got, ok) = wit_future::new(|| Ok(()));
    let (body, trailers) = Response::consume_body(response, ok);
    drop(trailers);
    let (no_more, no_trailers) = wit_future::new(|| Ok(None));
    let headers = fields(FIXED_HEADERS.iter().chain(&headers))?;
    let (answer, delivered) = Response::new(headers, Some(body), no_trailers);
    // Both as in `relay`.
    drop((no_more, got));
    // A completion that is dropped aborts the body it stands for, so these are awaited.
    wit_bindgen::spawn(async move {
        let _: Result<(), ErrorCode> = delivered.await;
        let _: Result<(), ErrorCode> = sent.await;
    });
    Ok(answer)
}

fn fields<'a>(list: impl IntoIterator<Item = &'a (&'a str, &'a str)>) -> Result<Fields, FallbackReason> {
    let list: Vec<_> =
        list.into_iter().map(|(name, value)| ((*name).to_owned(), value.as_bytes().to_vec())).collect();
    Fields::from_list(&list).map_err(|_| FallbackReason::CellFailed)
}

fn address(request: &Request, method: &Method, cell: &CellAddress, path: &str) -> Result<(), ()> {
    let scheme = match cell.scheme {
        UriScheme::Http => Scheme::Http,
        UriScheme::Https => Scheme::Https,
    };
    request.set_method(method)?;
    request.set_scheme(Some(&scheme))?;
    request.set_authority(Some(&cell.authority))?;
    request.set_path_with_query(Some(path))
}

/// A host that lacks one of these options still has the others, so each is set on its own and a refusal is no error.
fn limits(wait_ms: u32) -> RequestOptions {
    let options = RequestOptions::new();
    let wait = u64::from(wait_ms) * NS_PER_MS;
    let connect = wait / 10 * CONNECT_TENTHS;
    let _ = options.set_connect_timeout(Some(connect));
    let _ = options.set_first_byte_timeout(Some(wait - connect));
    let _ = options.set_between_bytes_timeout(Some(BETWEEN_BYTES_NS));
    options
}
