//! The page's way to the edge: every request goes on as it came, and the capture keeps it.
//!
//! Bodies are read whole before they go on, which costs a millisecond and makes the record and what the edge gets one
//! and the same. A body over its limit is refused here, as the edge's host would.

use std::sync::Arc;

use axum::Router;
use axum::body::{Body, to_bytes};
use axum::extract::State;
use axum::response::{IntoResponse as _, Response};
use bytes::Bytes;
use http::{HeaderValue, Request, StatusCode, Uri, header};
use http_body_util::Full;
use hyper_util::client::legacy::Client;
use hyper_util::client::legacy::connect::HttpConnector;
use hyper_util::rt::TokioExecutor;

use crate::capture::{Answer, Asked, Came, Capture};
use crate::clock;

/// Longest body of a request, in bytes: sealed ones have 4,096.
const ASKED_MAX: usize = 64 * 1024;
/// Longest body of an answer, in bytes: sealed ones have 256 KiB at most.
const ANSWER_MAX: usize = 1024 * 1024;

struct Pass {
    /// `http://ADDRESS` of the edge.
    edge: String,
    client: Client<HttpConnector, Full<Bytes>>,
    capture: Arc<Capture>,
}

/// Passes on to the edge at `edge` (`http://ADDRESS`).
pub(crate) fn router(edge: String, capture: Arc<Capture>) -> Router {
    let mut connector = HttpConnector::new();
    connector.set_nodelay(true);
    let client = Client::builder(TokioExecutor::new()).build(connector);
    Router::new().fallback(pass).with_state(Arc::new(Pass { edge, client, capture }))
}

async fn pass(State(pass): State<Arc<Pass>>, request: Request<Body>) -> Response {
    let (head, body) = request.into_parts();
    let Ok(body) = to_bytes(body, ASKED_MAX).await else { return open(StatusCode::PAYLOAD_TOO_LARGE) };
    let target = head.uri.path_and_query().map_or("/", |target| target.as_str());
    let Ok(uri) = format!("{}{target}", pass.edge).parse::<Uri>() else {
        return open(StatusCode::BAD_REQUEST);
    };
    let number = pass.capture.asked(Asked::of(&head.method, target, &head.headers, &body));
    let mut onward = Request::new(Full::new(body));
    (*onward.method_mut(), *onward.uri_mut()) = (head.method, uri);
    *onward.headers_mut() = head.headers;
    // A body that came in chunks goes on in one piece.
    onward.headers_mut().remove(header::TRANSFER_ENCODING);
    let came = ask(&pass, onward).await;
    let (came, answer) =
        came.map_or((Came::Nothing, open(StatusCode::BAD_GATEWAY)), |(c, a)| (Came::Answer(c), a));
    pass.capture.came(number, came);
    answer
}

/// The edge's answer, as it is kept and as it goes back.
async fn ask(pass: &Pass, onward: Request<Full<Bytes>>) -> Option<(Answer, Response)> {
    let began = clock::now();
    let (mut head, body) = pass.client.request(onward).await.ok()?.into_parts();
    let body = to_bytes(Body::new(body), ANSWER_MAX).await.ok()?;
    let ms = u64::try_from(began.elapsed().as_millis()).unwrap_or(u64::MAX);
    let kept = Answer::of(head.status, &head.headers, &body, ms);
    for name in [header::TRANSFER_ENCODING, header::CONNECTION] {
        head.headers.remove(name);
    }
    Some((kept, Response::from_parts(head, Body::from(body))))
}

/// An answer of the pass-through's own, which pages of any origin may read as they may the edge's.
fn open(status: StatusCode) -> Response {
    let any = (header::ACCESS_CONTROL_ALLOW_ORIGIN, HeaderValue::from_static("*"));
    (status, [any], "the demo's recorder could not pass this on\n").into_response()
}

#[cfg(test)]
#[path = "pass/tests.rs"]
mod tests;
