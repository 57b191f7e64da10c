//! The real [`Outside`]: HTTP/1.1 over pooled connections, this machine's clocks and randomness.
//!
//! Plain HTTP: TLS to an edge or an identity service ends in a proxy beside the program, as the demo and the tests on
//! loopback need none.

mod clock;

use std::time::Duration;

use bytes::Bytes;
use domicile_deadline::Moment;
use http::{Request, Response};
use http_body_util::{BodyExt as _, Full, LengthLimitError, Limited};
use hyper_util::client::legacy::connect::HttpConnector;
use hyper_util::rt::TokioExecutor;

use crate::{Lost, Outside};
use clock::Clock;

/// Longest answer that is read, in bytes: several times a cell's largest.
const ANSWER_MAX: usize = 512 * 1024;

/// The network and the clocks of this process. Needs a tokio runtime.
#[derive(Clone)]
pub struct Network {
    http: hyper_util::client::legacy::Client<HttpConnector, Full<Bytes>>,
    clock: Clock,
}

impl Network {
    /// A network without connections yet. Clones share theirs.
    #[must_use]
    pub fn new() -> Self {
        let mut connector = HttpConnector::new();
        connector.set_nodelay(true);
        let http = hyper_util::client::legacy::Client::builder(TokioExecutor::new())
            .retry_canceled_requests(false)
            .build(connector);
        Self { http, clock: Clock::start() }
    }
}

impl Default for Network {
    fn default() -> Self {
        Self::new()
    }
}

impl Outside for Network {
    async fn send(&self, request: Request<Bytes>) -> Result<Response<Bytes>, Lost> {
        let answer = self.http.request(request.map(Full::new)).await;
        let (head, body) = answer.map_err(|_error| Lost::Unreachable)?.into_parts();
        let whole = Limited::new(body, ANSWER_MAX).collect().await.map_err(|error| {
            if error.downcast_ref::<LengthLimitError>().is_some() { Lost::TooLong } else { Lost::BrokeOff }
        })?;
        Ok(Response::from_parts(head, whole.to_bytes()))
    }

    fn now(&self) -> Moment {
        self.clock.now()
    }

    async fn sleep(&self, time: Duration) {
        tokio::time::sleep(time).await;
    }

    fn unix_seconds(&self) -> i64 {
        clock::unix_seconds()
    }

    fn random(&self) -> u64 {
        // Without randomness there is no jitter, which is no reason to end.
        getrandom::u64().unwrap_or_default()
    }
}
