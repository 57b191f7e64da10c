//! The admin listener, loopback only: readiness, metrics, reloads.

use std::sync::Arc;

use bytes::Bytes;
use http::{HeaderValue, Method, Request, Response, StatusCode, header};
use http_body_util::Full;
use hyper::body::Incoming;
use tokio::sync::watch;

use crate::clock;
use crate::metrics::Metrics;
use crate::server::{Answers, Caller};
use crate::serving::Swaps;

const PROMETHEUS: &str = "text/plain; version=0.0.4; charset=utf-8";
const TEXT: &str = "text/plain; charset=utf-8";

/// Says how this process is doing, to this machine's people only.
pub(crate) struct Admin {
    pub(crate) draining: watch::Receiver<bool>,
    pub(crate) swaps: Arc<Swaps>,
    pub(crate) metrics: Arc<Metrics>,
}

impl Answers for Admin {
    type Body = Full<Bytes>;

    async fn answer(&self, request: Request<Incoming>, _caller: Caller) -> Response<Full<Bytes>> {
        match (request.method(), request.uri().path()) {
            (&Method::GET, "/ready") if *self.draining.borrow() => {
                text(StatusCode::SERVICE_UNAVAILABLE, "draining\n".to_owned())
            }
            (&Method::GET, "/ready") => {
                text(StatusCode::OK, format!("ready {}\n", self.swaps.about().sha256))
            }
            (&Method::GET, "/live") => text(StatusCode::OK, "live\n".to_owned()),
            (&Method::GET, "/metrics") => answer(StatusCode::OK, PROMETHEUS, self.metrics()),
            // A page in a browser on this machine could send this too; it would say where it is from.
            (&Method::POST, "/reload") if request.headers().contains_key(header::ORIGIN) => {
                text(StatusCode::FORBIDDEN, "not for pages\n".to_owned())
            }
            (&Method::POST, "/reload") => self.reload().await,
            (_, "/ready" | "/live" | "/metrics" | "/reload") => {
                text(StatusCode::METHOD_NOT_ALLOWED, "method not allowed\n".to_owned())
            }
            _ => text(StatusCode::NOT_FOUND, "not found\n".to_owned()),
        }
    }
}

impl Admin {
    fn metrics(&self) -> String {
        self.metrics.render(&self.swaps.about(), clock::unix_seconds())
    }

    async fn reload(&self) -> Response<Full<Bytes>> {
        match self.swaps.reload().await {
            Ok(about) => text(StatusCode::OK, format!("serving {}\n", about.sha256)),
            Err(error) => text(StatusCode::UNPROCESSABLE_ENTITY, format!("{error}\n")),
        }
    }
}

fn text(status: StatusCode, text: String) -> Response<Full<Bytes>> {
    answer(status, TEXT, text)
}

fn answer(status: StatusCode, kind: &'static str, text: String) -> Response<Full<Bytes>> {
    let mut response = Response::new(Full::new(Bytes::from(text)));
    *response.status_mut() = status;
    response.headers_mut().insert(header::CONTENT_TYPE, HeaderValue::from_static(kind));
    response
}
