//! The gateway: `POST /gateway`, one request in, one answer out; `GET /keys`, what may be sealed to.
//!
//! Sealed requests are opened here, between the body and [`Cell::answer`], and nowhere else (`gateway/sealed.rs`). Of the
//! request's headers only the number of hosts and the content type are looked at; none is forwarded or logged, and no
//! body is. A body has its own clock and comes first: the gate behind it is a plain counter, and whoever sends slowly
//! keeps a connection, of which there are more, and no place in the cell. The last clock is here as well: whatever the
//! parts below do, a request that waits for anything when the cell's budget is over is answered without it.
//!
//! The same calls come as ordinary HTTP on the direct listener (`gateway/direct.rs`), through the same gate.

mod direct;
mod sealed;

use std::sync::Arc;
use std::time::Duration;

use axum::Router;
use axum::body::{Body, HttpBody as _, to_bytes};
use axum::extract::{Request, State};
use axum::http::{HeaderMap, HeaderValue, StatusCode, header};
use axum::middleware::{Next, from_fn_with_state, map_response};
use axum::response::{IntoResponse as _, Response};
use axum::routing::{get, post};
use bytes::Bytes;
use domicile_deadline::{Deadline, Moment};
use domicile_seal::{REQUEST_TYPE, SealRefusal, size};
use domicile_wire::problem::TYPE;
use domicile_wire::{FramingError, GATEWAY_PATH, KEYS_PATH, MEDIA_TYPE, REQUEST_MAX};
use http_body_util::LengthLimitError;
use tokio::sync::Semaphore;

use crate::cell::{Cell, Reach};
use crate::listen::names_one_host;
use crate::pipeline::Way;
use crate::telemetry::Turned;

/// After a refusal for want of room or time: what is in the cell is gone within its budget, well below a second.
const RETRY_AFTER_S: &str = "1";

/// The type of a problem with the key (RFC 9458, section 5.3).
const KEY_TYPE: &str = "https://iana.org/assignments/http-problem-types#ohttp-key";

/// How a body is to be read, by its content type.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Form {
    Sealed,
    Plain,
}

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
            .route(GATEWAY_PATH, post(gateway).options(preflight))
            .route(KEYS_PATH, get(keys))
            .fallback(|| async { outer(StatusCode::NOT_FOUND, "unknown-route") })
            .method_not_allowed_fallback(|| async {
                outer(StatusCode::METHOD_NOT_ALLOWED, "method-not-allowed")
            })
            .layer(from_fn_with_state(self.clone(), one_host))
            .layer(map_response(any_origin))
            .with_state(self)
    }

    /// Requests in the cell.
    pub fn in_flight(&self) -> usize {
        (self.cell.config.limits.in_flight as usize).saturating_sub(self.gate.available_permits())
    }

    fn turn_away(&self, turned: Turned) -> Response {
        self.cell.telemetry.turned(turned);
        let status = StatusCode::from_u16(turned.status()).unwrap_or(StatusCode::SERVICE_UNAVAILABLE);
        let mut response = if turned.is_of_the_key() {
            typed(KEY_TYPE, status, turned.as_str())
        } else {
            outer(status, turned.as_str())
        };
        if status == StatusCode::SERVICE_UNAVAILABLE {
            response.headers_mut().insert(header::RETRY_AFTER, HeaderValue::from_static(RETRY_AFTER_S));
        }
        response
    }

    /// How to read a body of this content type. A plain one is taken on loopback only, until clients seal, and nowhere
    /// once this cell can open sealed ones: a proxy on this machine would make everybody's request one of this machine's.
    fn form(&self, headers: &HeaderMap) -> Result<Form, Turned> {
        let plain = self.cell.reach == Reach::Loopback && self.cell.sealing.is_none();
        let mut types = headers.get_all(header::CONTENT_TYPE).iter();
        match (types.next().map(HeaderValue::as_bytes), types.next()) {
            (Some(media), None) if media == REQUEST_TYPE.as_bytes() => Ok(Form::Sealed),
            // A browser sends a body without a type where it is to spare itself a preflight.
            (None, None) if self.cell.sealing.is_some() => Ok(Form::Sealed),
            (None, None) if plain => Ok(Form::Plain),
            (Some(media), None) if media == MEDIA_TYPE.as_bytes() && plain => Ok(Form::Plain),
            _ => Err(Turned::NotSealed),
        }
    }

    /// The whole body, within the cell's budget.
    async fn body(&self, body: Body, most: usize) -> Result<Bytes, Turned> {
        match tokio::time::timeout(self.budget(), to_bytes(body, most)).await {
            Ok(read) => read.map_err(unread),
            Err(_) => Err(Turned::Slow),
        }
    }

    fn budget(&self) -> Duration {
        Duration::from_millis(self.cell.topology.clocks.cell_budget_ms.into())
    }

    fn remaining(&self, arrived: Moment) -> Duration {
        Deadline::after(arrived, self.budget()).remaining(self.cell.clock.now())
    }

    async fn plain(&self, arrived: Moment, bytes: &[u8], way: Way<'_>) -> Result<Vec<u8>, Turned> {
        let answer = self.cell.answer(arrived, bytes, way);
        match tokio::time::timeout(self.remaining(arrived), answer).await {
            Ok(answer) => answer.map_err(Turned::Framing),
            Err(_) => Err(Turned::Late),
        }
    }
}

/// Goes on with a request whose head names one host. No other header is looked at, and not what it says.
async fn one_host(State(gateway): State<Gateway>, request: Request, next: Next) -> Response {
    if names_one_host(request.headers()) { next.run(request).await } else { gateway.turn_away(Turned::Host) }
}

/// Any page may ask, as at the edge: what comes back is sealed, and nothing of a browser's own goes along.
async fn any_origin(mut response: Response) -> Response {
    response.headers_mut().insert(header::ACCESS_CONTROL_ALLOW_ORIGIN, HeaderValue::from_static("*"));
    response
}

/// For whoever sends the type, which takes a preflight in a browser.
async fn preflight() -> Response {
    let headers = [
        (header::ACCESS_CONTROL_ALLOW_METHODS, "POST"),
        (header::ACCESS_CONTROL_ALLOW_HEADERS, "content-type"),
        (header::ACCESS_CONTROL_MAX_AGE, "86400"),
    ];
    (StatusCode::NO_CONTENT, headers).into_response()
}

async fn gateway(State(gateway): State<Gateway>, headers: HeaderMap, body: Body) -> Response {
    let arrived = gateway.cell.clock.now();
    let form = match gateway.form(&headers) {
        Ok(form) => form,
        Err(turned) => return gateway.turn_away(turned),
    };
    if let (Form::Sealed, Some(length)) = (form, body.size_hint().exact())
        && let Err(turned) = fits(length)
    {
        return gateway.turn_away(turned);
    }
    let most = if form == Form::Sealed { size::REQUEST } else { REQUEST_MAX };
    let bytes = match gateway.body(body, most).await {
        Ok(bytes) => bytes,
        Err(turned) => return gateway.turn_away(turned),
    };
    let Ok(_room) = gateway.gate.try_acquire() else {
        return gateway.turn_away(Turned::Busy);
    };
    let (answer, media) = match form {
        Form::Sealed => (gateway.sealed(arrived, &bytes).await, domicile_seal::ANSWER_TYPE),
        Form::Plain => (gateway.plain(arrived, &bytes, Way::Plain).await, MEDIA_TYPE),
    };
    match answer {
        Ok(answer) => {
            let headers = [(header::CONTENT_TYPE, media), (header::CACHE_CONTROL, "no-store")];
            (headers, answer).into_response()
        }
        Err(turned) => gateway.turn_away(turned),
    }
}

/// A sealed request's length before a byte of it is read: noise mostly has another one.
fn fits(length: u64) -> Result<(), Turned> {
    match length.cmp(&(size::REQUEST as u64)) {
        std::cmp::Ordering::Less => Err(Turned::Seal(SealRefusal::Size)),
        std::cmp::Ordering::Equal => Ok(()),
        std::cmp::Ordering::Greater => Err(Turned::Framing(FramingError::TooLarge)),
    }
}

/// The signed statement of the cell's keys.
async fn keys(State(gateway): State<Gateway>) -> Response {
    let current = gateway.cell.sealing.as_ref().map(crate::sealing::Sealing::current);
    let Some((current, statement)) = current.and_then(|now| Some((now.max_age_s, now.statement.clone()?)))
    else {
        return outer(StatusCode::NOT_FOUND, "no-keys");
    };
    let kept = format!("public, max-age={current}");
    let headers = [(header::CONTENT_TYPE, "application/json"), (header::CACHE_CONTROL, kept.as_str())];
    (headers, statement).into_response()
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
    typed(&format!("{TYPE}{code}"), status, code)
}

fn typed(kind: &str, status: StatusCode, code: &str) -> Response {
    let title = status.canonical_reason().unwrap_or_default();
    let number = status.as_u16();
    let body = format!(r#"{{"type":"{kind}","title":"{title}","status":{number},"code":"{code}"}}"#);
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
