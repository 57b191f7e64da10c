//! The direct API: the cell's calls as ordinary HTTP, for backends inside the boundary, over mutual TLS.
//!
//! A request becomes the binary HTTP message that a sealed one would hold, and goes the same way: what is checked, in
//! which order, and what is answered, cannot differ between the two. Of its headers only those of a sealed request are
//! taken over. Its receipt covers the content of the request, as it was sent, in place of the sealed bytes.

use std::io::Cursor;

use axum::Router;
use axum::body::Body;
use axum::extract::{Request, State};
use axum::http::request::Parts;
use axum::http::{HeaderName, HeaderValue, StatusCode, header};
use axum::middleware::from_fn_with_state;
use axum::response::{IntoResponse as _, Response};
use bhttp::{Message, Mode};
use domicile_wire::REQUEST_MAX;
use domicile_wire::call::{AUTHORIZATION, BUDGET, DATE, PIN, SHOPPER};

use super::{Gateway, RETRY_AFTER_S, one_host};
use crate::pipeline::Way;
use crate::telemetry::Turned;

/// The headers of a request that are looked at.
const HEADERS: [&str; 6] = [PIN, AUTHORIZATION, "content-type", DATE, BUDGET, SHOPPER];

impl Gateway {
    /// The direct API's routes: every path is answered by the pipeline, which knows the calls.
    pub fn direct_routes(self) -> Router {
        Router::new().fallback(direct).layer(from_fn_with_state(self.clone(), one_host)).with_state(self)
    }
}

async fn direct(State(gateway): State<Gateway>, request: Request) -> Response {
    let arrived = gateway.cell.clock.now();
    let (head, body) = request.into_parts();
    let content = match gateway.body(body, REQUEST_MAX).await {
        Ok(content) => content,
        Err(turned) => return gateway.turn_away(turned),
    };
    let Ok(_room) = gateway.gate.try_acquire() else {
        return gateway.turn_away(Turned::Busy);
    };
    match gateway.plain(arrived, &message(&head, &content), Way::Direct { request: &content }).await {
        Ok(answer) => response(&answer),
        Err(turned) => gateway.turn_away(turned),
    }
}

/// The message that a sealed request of the same meaning would hold.
fn message(head: &Parts, content: &[u8]) -> Vec<u8> {
    let target = head.uri.path_and_query().map_or("/", |target| target.as_str());
    let method = head.method.as_str().as_bytes().to_vec();
    let mut message = Message::request(method, b"https".to_vec(), Vec::new(), target.as_bytes().to_vec());
    for name in HEADERS {
        for value in head.headers.get_all(name) {
            message.put_header(name, value.as_bytes());
        }
    }
    message.write_content(content);
    let mut bytes = Vec::with_capacity(content.len() + 1_024);
    // Writing into a vector has no way to fail.
    let _ = message.write_bhttp(Mode::KnownLength, &mut bytes);
    bytes
}

/// An inner answer as an ordinary one.
fn response(bytes: &[u8]) -> Response {
    let broken = || StatusCode::INTERNAL_SERVER_ERROR.into_response();
    let Ok(message) = Message::read_bhttp(&mut Cursor::new(bytes)) else { return broken() };
    let status = message.control().status().and_then(|status| StatusCode::from_u16(status.code()).ok());
    let Some(status) = status else { return broken() };
    let mut response = Response::new(Body::from(message.content().to_vec()));
    *response.status_mut() = status;
    let headers = response.headers_mut();
    for field in message.header().iter() {
        let name = HeaderName::from_bytes(field.name()).ok();
        if let Some((name, value)) = name.zip(HeaderValue::from_bytes(field.value()).ok()) {
            headers.append(name, value);
        }
    }
    if status == StatusCode::SERVICE_UNAVAILABLE {
        headers.insert(header::RETRY_AFTER, HeaderValue::from_static(RETRY_AFTER_S));
    }
    response
}
