//! The admin listener: readiness, metrics, reloads. Nothing it says is about a shopper; what it does, a reload, it does
//! for this machine's people only.

use std::net::IpAddr;
use std::sync::Arc;

use bytes::Bytes;
use http::{HeaderMap, HeaderValue, Method, Request, Response, StatusCode, header};
use http_body_util::Full;
use hyper::body::Incoming;
use tokio::sync::watch;

use crate::clock;
use crate::metrics::Metrics;
use crate::server::{Answers, Caller};
use crate::serving::Swaps;

const PROMETHEUS: &str = "text/plain; version=0.0.4; charset=utf-8";
const TEXT: &str = "text/plain; charset=utf-8";

/// Says how this process is doing.
pub(crate) struct Admin {
    pub(crate) leaving: watch::Receiver<bool>,
    pub(crate) swaps: Arc<Swaps>,
    pub(crate) metrics: Arc<Metrics>,
}

impl Answers for Admin {
    type Body = Full<Bytes>;

    async fn answer(&self, request: Request<Incoming>, caller: Caller) -> Response<Full<Bytes>> {
        match (request.method(), request.uri().path()) {
            (&Method::GET, "/ready") if *self.leaving.borrow() => {
                text(StatusCode::SERVICE_UNAVAILABLE, "draining\n".to_owned())
            }
            (&Method::GET, "/ready") => {
                text(StatusCode::OK, format!("ready {}\n", self.swaps.about().sha256))
            }
            (&Method::GET, "/live") => text(StatusCode::OK, "live\n".to_owned()),
            (&Method::GET, "/metrics") => answer(StatusCode::OK, PROMETHEUS, self.metrics()),
            (&Method::POST, "/reload") => match not_for(caller.address, request.headers()) {
                Some(whom) => text(StatusCode::FORBIDDEN, format!("not for {whom}\n")),
                None => self.reload().await,
            },
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

/// Whom a reload is not for. A page in a browser on this machine could send one too; it would say where it is from.
fn not_for(address: IpAddr, headers: &HeaderMap) -> Option<&'static str> {
    if !address.to_canonical().is_loopback() {
        Some("other machines")
    } else if headers.contains_key(header::ORIGIN) {
        Some("pages")
    } else {
        None
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

#[cfg(test)]
mod tests {
    use http::{HeaderMap, HeaderValue, header};

    use super::not_for;

    #[test]
    fn a_reload_is_for_this_machine_s_people() {
        let page = HeaderMap::from_iter([(header::ORIGIN, HeaderValue::from_static("https://shop.example"))]);
        for (address, headers, expected) in [
            ("127.0.0.1", HeaderMap::new(), None),
            ("::1", HeaderMap::new(), None),
            ("::ffff:127.0.0.9", HeaderMap::new(), None),
            ("127.0.0.1", page.clone(), Some("pages")),
            ("192.0.2.1", HeaderMap::new(), Some("other machines")),
            ("0.0.0.0", HeaderMap::new(), Some("other machines")),
            ("2001:db8::1", page, Some("other machines")),
        ] {
            assert_eq!(not_for(address.parse().unwrap(), &headers), expected, "{address}");
        }
    }
}
