//! Calls to cells: listed ones only, over kept connections, within the guest's clocks, with nothing added.
//!
//! A general client was not taken because it puts one connect timeout on a whole client (a guest states one for each
//! call), and decides on its own what to try again. A sealed request must not be sent twice (RFC 9458 §6.5), so here a
//! request is sent again in one case only: a kept connection had closed and hyper hands the request back untouched,
//! not one byte of it written. A connection that breaks after that fails the call, and the guest falls back.
//!
//! A cell sees `host`, `content-type`, `content-length` or `transfer-encoding`, and what the guest set: no `via`, no
//! `forwarded`, no trace, no user agent.

mod answer;
mod authority;
mod pool;

use std::collections::BTreeMap;
use std::sync::Arc;
use std::time::Duration;

use http::uri::{PathAndQuery, Scheme};
use http::{Request, Response, Uri};
use tokio::time::timeout;

pub use authority::{Authority, NotAnAuthority};

use crate::guest::Body;
use crate::settings::Clocks;
use answer::Answer;
use pool::{Pool, Taken};

/// Why a call to a cell failed. Its text is the log's `reason`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub(crate) enum CallFailure {
    /// Only http is served yet; https comes with client certificates.
    #[error("scheme-not-served")]
    SchemeNotServed,
    /// The request names no authority, or not a usable one.
    #[error("no-authority")]
    NoAuthority,
    /// The authority was not given with `--allow-outbound`.
    #[error("not-listed")]
    NotListed,
    /// Nobody listens there.
    #[error("connect-refused")]
    ConnectRefused,
    /// No connection within the guest's limit.
    #[error("connect-timed-out")]
    ConnectTimedOut,
    /// No answer within the guest's limit.
    #[error("first-byte-timed-out")]
    FirstByteTimedOut,
    /// The connection broke, or what came was not HTTP.
    #[error("broken")]
    Broken,
}

/// What the guest asks for one call; what it leaves open is bounded by the host's own clocks.
#[derive(Debug, Clone, Copy, Default)]
pub(crate) struct CallClocks {
    pub(crate) connect: Option<Duration>,
    pub(crate) first_byte: Option<Duration>,
    pub(crate) between_bytes: Option<Duration>,
}

/// The cells that may be called, and the connections kept to each.
pub(crate) struct Outbound {
    pools: BTreeMap<Authority, Arc<Pool>>,
    clocks: Clocks,
}

impl Outbound {
    pub(crate) fn new(listed: &[Authority], clocks: Clocks) -> Self {
        let pools =
            listed.iter().map(|authority| (authority.clone(), Arc::new(Pool::new(authority.clone()))));
        Self { pools: pools.collect(), clocks }
    }

    /// Sends one request and waits for the head of its answer.
    pub(crate) async fn send(
        &self,
        request: Request<Body>,
        asked: CallClocks,
    ) -> Result<Response<Answer>, CallFailure> {
        let pool = self.pool(request.uri())?;
        let request = in_origin_form(request)?;
        let connect = at_most(asked.connect, self.clocks.request);
        let first_byte = at_most(asked.first_byte, self.clocks.request);
        let between_bytes = at_most(asked.between_bytes, self.clocks.between_bytes);

        // One clock over both: a guest divides one wait between connecting and the first byte, and what a kept
        // connection saves is the cell's to use.
        let call = async {
            let taken = pool.take(connect).await?;
            exchange(pool, taken, request, connect).await
        };
        let (response, connection) = timeout(connect.saturating_add(first_byte), call)
            .await
            .map_err(|_elapsed| CallFailure::FirstByteTimedOut)??;
        Ok(response.map(|body| Answer::new(body, between_bytes, Arc::clone(pool), connection)))
    }

    fn pool(&self, uri: &Uri) -> Result<&Arc<Pool>, CallFailure> {
        if uri.scheme() != Some(&Scheme::HTTP) {
            return Err(CallFailure::SchemeNotServed);
        }
        let asked = uri.authority().ok_or(CallFailure::NoAuthority)?;
        let asked = Authority::of(asked).ok_or(CallFailure::NoAuthority)?;
        self.pools.get(&asked).ok_or(CallFailure::NotListed)
    }
}

type Exchanged = (Response<hyper::body::Incoming>, pool::Connection);

async fn exchange(
    pool: &Pool,
    taken: Taken,
    request: Request<Body>,
    connect: Duration,
) -> Result<Exchanged, CallFailure> {
    let (mut connection, kept) = match taken {
        Taken::Kept(connection) => (connection, true),
        Taken::New(connection) => (connection, false),
    };
    let mut refused = match connection.try_send_request(request).await {
        Ok(response) => return Ok((response, connection)),
        Err(refused) => refused,
    };
    match refused.take_message() {
        Some(untouched) if kept => {
            let mut connection = pool.connect(connect).await?;
            let response = connection.send_request(untouched).await.map_err(|_error| CallFailure::Broken)?;
            Ok((response, connection))
        }
        Some(_) | None => Err(CallFailure::Broken),
    }
}

fn in_origin_form(mut request: Request<Body>) -> Result<Request<Body>, CallFailure> {
    let path = request.uri().path_and_query().cloned().unwrap_or_else(|| PathAndQuery::from_static("/"));
    let mut parts = http::uri::Parts::default();
    parts.path_and_query = Some(path);
    *request.uri_mut() = Uri::from_parts(parts).map_err(|_error| CallFailure::NoAuthority)?;
    Ok(request)
}

fn at_most(asked: Option<Duration>, limit: Duration) -> Duration {
    asked.map_or(limit, |asked| asked.min(limit))
}
