//! The gateway: `POST /gateway`, one binary HTTP message in, one out.
//!
//! Sealed requests are opened between the body and [`Cell::answer`], and nowhere else. Of the request's headers
//! only the number of hosts is looked at; none is forwarded or logged, and no body is. The gate comes first and is a plain counter: a request that finds no
//! room is told so before a byte of its body is read. The last clock is here as well: whatever the parts below do, a
//! request that waits for anything when the cell's budget is over is answered without it.

use std::sync::Arc;
use std::time::Duration;

use axum::Router;
use axum::body::{Body, to_bytes};
use axum::extract::{Request, State};
use axum::http::{HeaderValue, StatusCode, header};
use axum::middleware::{Next, from_fn_with_state};
use axum::response::{IntoResponse as _, Response};
use axum::routing::post;
use domicile_deadline::Deadline;
use domicile_wire::problem::TYPE;
use domicile_wire::{FramingError, GATEWAY_PATH, MEDIA_TYPE, REQUEST_MAX};
use http_body_util::LengthLimitError;
use tokio::sync::Semaphore;

use crate::cell::Cell;
use crate::listen::names_one_host;
use crate::telemetry::Turned;

/// After a refusal for want of room or time: what is in the cell is gone within its budget, well below a second.
const RETRY_AFTER_S: &str = "1";

/// The gateway of a cell.
#[derive(Clone)]
pub struct Gateway {
    cell: Arc<Cell>,
    gate: Arc<Semaphore>,
}

impl Gateway {
    /// The gateway of `cell`.
    pub fn new(cell: Arc<Cell>) -> Self {
        let gate = Arc::new(Semaphore::new(cell.config.limits.in_flight as usize));
        Self { cell, gate }
    }

    /// Its routes.
    pub fn routes(self) -> Router {
        Router::new()
            .route(GATEWAY_PATH, post(gateway))
            .fallback(|| async { outer(StatusCode::NOT_FOUND, "unknown-route") })
            .method_not_allowed_fallback(|| async {
                outer(StatusCode::METHOD_NOT_ALLOWED, "method-not-allowed")
            })
            .layer(from_fn_with_state(self.clone(), one_host))
            .with_state(self)
    }

    /// Requests in the cell.
    pub fn in_flight(&self) -> usize {
        (self.cell.config.limits.in_flight as usize).saturating_sub(self.gate.available_permits())
    }

    fn turn_away(&self, turned: Turned) -> Response {
        self.cell.telemetry.turned(turned);
        let status = StatusCode::from_u16(turned.status()).unwrap_or(StatusCode::SERVICE_UNAVAILABLE);
        let mut response = outer(status, turned.as_str());
        if status == StatusCode::SERVICE_UNAVAILABLE {
            response.headers_mut().insert(header::RETRY_AFTER, HeaderValue::from_static(RETRY_AFTER_S));
        }
        response
    }
}

/// Goes on with a request whose head names one host. No other header is looked at, and not what it says.
async fn one_host(State(gateway): State<Gateway>, request: Request, next: Next) -> Response {
    if names_one_host(request.headers()) { next.run(request).await } else { gateway.turn_away(Turned::Host) }
}

async fn gateway(State(gateway): State<Gateway>, body: Body) -> Response {
    let arrived = gateway.cell.clock.now();
    let Ok(_room) = gateway.gate.try_acquire() else {
        return gateway.turn_away(Turned::Busy);
    };
    let budget = Duration::from_millis(gateway.cell.topology.clocks.cell_budget_ms.into());
    let bytes = match tokio::time::timeout(budget, to_bytes(body, REQUEST_MAX)).await {
        Ok(Ok(bytes)) => bytes,
        Ok(Err(error)) => return gateway.turn_away(unread(error)),
        Err(_) => return gateway.turn_away(Turned::Slow),
    };
    let remaining = Deadline::after(arrived, budget).remaining(gateway.cell.clock.now());
    match tokio::time::timeout(remaining, gateway.cell.answer(arrived, &bytes)).await {
        Ok(Ok(answer)) => {
            let headers = [(header::CONTENT_TYPE, MEDIA_TYPE), (header::CACHE_CONTROL, "no-store")];
            (headers, answer).into_response()
        }
        Ok(Err(error)) => gateway.turn_away(Turned::Framing(error)),
        Err(_) => gateway.turn_away(Turned::Late),
    }
}

/// Why a body was not read: it went on past the limit, or its connection broke.
fn unread(error: axum::Error) -> Turned {
    match error.into_inner().downcast::<LengthLimitError>() {
        Ok(_) => Turned::Framing(FramingError::TooLarge),
        Err(_) => Turned::Broken,
    }
}

/// A problem document outside the seal (RFC 9457). It knows nothing but the code.
pub(crate) fn outer(status: StatusCode, code: &str) -> Response {
    let title = status.canonical_reason().unwrap_or_default();
    let number = status.as_u16();
    let body = format!(r#"{{"type":"{TYPE}{code}","title":"{title}","status":{number},"code":"{code}"}}"#);
    let headers = [(header::CONTENT_TYPE, "application/problem+json"), (header::CACHE_CONTROL, "no-store")];
    (status, headers, body).into_response()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[tokio::test]
    async fn a_broken_connection_is_not_a_body_that_is_too_large() {
        let large = to_bytes(Body::from(vec![0; REQUEST_MAX + 1]), REQUEST_MAX).await.unwrap_err();
        assert_eq!(unread(large), Turned::Framing(FramingError::TooLarge));
        let broken = axum::Error::new(std::io::Error::from(std::io::ErrorKind::ConnectionReset));
        assert_eq!(unread(broken), Turned::Broken);
    }
}
