//! The admin listener: loopback only, readiness for now.

use bytes::Bytes;
use http::{Method, Request, Response, StatusCode};
use http_body_util::Full;
use hyper::body::Incoming;
use tokio::sync::watch;

use crate::server::Answers;

/// Where readiness is asked.
const READY: &str = "/.well-known/domicile/ready";

/// Says whether this process takes requests.
pub(crate) struct Admin {
    pub(crate) draining: watch::Receiver<bool>,
}

impl Answers for Admin {
    type Body = Full<Bytes>;

    async fn answer(&self, request: Request<Incoming>) -> Response<Full<Bytes>> {
        let (status, text) = match (request.method(), request.uri().path()) {
            (&Method::GET, READY) if *self.draining.borrow() => {
                (StatusCode::SERVICE_UNAVAILABLE, "draining\n")
            }
            (&Method::GET, READY) => (StatusCode::OK, "ready\n"),
            _ => (StatusCode::NOT_FOUND, "not found\n"),
        };
        let mut response = Response::new(Full::new(Bytes::from_static(text.as_bytes())));
        *response.status_mut() = status;
        response
    }
}
