//! Calls to cells: listed ones only, over kept connections, within the guest's clocks, with nothing added.
//!
//! A general client was not taken because it puts one connect timeout on a whole client (a guest states one for each
//! call), and decides on its own what to try again. A sealed request must not be sent twice (RFC 9458 §6.5), so here a
//! request is sent again in one case only: a kept connection had closed and hyper hands the request back untouched,
//! not one byte of it written. A connection that breaks after that fails the call, and the guest falls back.
//!
//! A cell sees `host`, `content-type`, `content-length` or `transfer-encoding`, and what the guest set: no `via`, no
//! `forwarded`, no trace, no user agent.

mod interim;
mod origin;
mod pool;

use std::collections::BTreeMap;
use std::sync::Arc;
use std::time::Duration;

use http::uri::PathAndQuery;
use http::{Request, Response, Uri};
use http_body_util::BodyExt;
use http_body_util::combinators::MapErr;
use hyper::body::Incoming;
use tokio::time::timeout;
use tokio_rustls::rustls::ClientConfig;

pub use origin::{Authority, NotAnOrigin, Origin, Transport};
pub(crate) use origin::{is_loopback, is_this_machine};

use crate::body::Watched;
use crate::clock;
use crate::guest::{Body, BodyError};
use crate::metrics::Metrics;
use crate::settings::Clocks;
use pool::{Lent, Pool, Taken};

/// Why a call to a cell failed. Its text is the log's `reason`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub(crate) enum CallFailure {
    /// The request names no authority, or not a usable one, or a scheme other than http and https.
    #[error("no-authority")]
    NoAuthority,
    /// The cell is not one of those that may be called.
    #[error("not-listed")]
    NotListed,
    /// Its name stands for this machine, and shoppers reach this host from others.
    #[error("on-this-machine")]
    OnThisMachine,
    /// As many connections to it are open as may be.
    #[error("too-many-connections")]
    TooManyConnections,
    /// Its name is unknown.
    #[error("name-unknown")]
    NameUnknown,
    /// Nobody listens there.
    #[error("connect-refused")]
    ConnectRefused,
    /// No connection within the guest's limit.
    #[error("connect-timed-out")]
    ConnectTimedOut,
    /// It is not who it should be, or does not take this host for who it says it is.
    #[error("tls-refused")]
    TlsRefused,
    /// No answer within the guest's limit.
    #[error("first-byte-timed-out")]
    FirstByteTimedOut,
    /// More interim heads (1xx) than any answer needs.
    #[error("interim-heads")]
    InterimHeads,
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

impl CallFailure {
    /// Every cause.
    pub(crate) const ALL: [Self; 11] = [
        Self::NoAuthority,
        Self::NotListed,
        Self::OnThisMachine,
        Self::TooManyConnections,
        Self::NameUnknown,
        Self::ConnectRefused,
        Self::ConnectTimedOut,
        Self::TlsRefused,
        Self::FirstByteTimedOut,
        Self::InterimHeads,
        Self::Broken,
    ];
}

/// Whether cells on this machine may be called. Where shoppers come from other machines they must not: such a cell
/// takes plain requests, trusting that only this machine's people can send them.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum OwnMachine {
    Allowed,
    Refused,
}

/// What holds for the connections to every cell.
pub(crate) struct Rules {
    pub(crate) most: usize,
    pub(crate) keep: usize,
    pub(crate) own_machine: OwnMachine,
    pub(crate) tls: Option<Arc<ClientConfig>>,
}

/// The body of a cell's answer. It ends in an error when the cell pauses for longer than agreed, and gives its
/// connection back when it is over or no longer wanted.
pub(crate) type Answer = Watched<MapErr<Incoming, fn(hyper::Error) -> BodyError>, Lent>;

/// The cells that may be called, and the connections kept to each.
pub(crate) struct Outbound {
    pools: BTreeMap<Origin, Arc<Pool>>,
    clocks: Clocks,
    metrics: Arc<Metrics>,
}

impl Outbound {
    pub(crate) fn new(listed: &[Origin], rules: Rules, clocks: Clocks, metrics: Arc<Metrics>) -> Self {
        let rules = Arc::new(rules);
        let pools = listed
            .iter()
            .map(|origin| (origin.clone(), Arc::new(Pool::new(origin.clone(), Arc::clone(&rules)))));
        Self { pools: pools.collect(), clocks, metrics }
    }

    /// Sends one request and waits for the head of its answer.
    pub(crate) async fn send(
        &self,
        request: Request<Body>,
        asked: CallClocks,
    ) -> Result<Response<Answer>, CallFailure> {
        let begun = clock::now();
        let sent = self.call(request, asked).await;
        self.metrics.called(sent.as_ref().err().copied(), clock::now().duration_since(begun));
        sent
    }

    async fn call(&self, request: Request<Body>, asked: CallClocks) -> Result<Response<Answer>, CallFailure> {
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
        let lent = Lent::new(Arc::clone(pool), connection);
        Ok(response.map(|body| {
            let broken: fn(hyper::Error) -> BodyError = |_error| BodyError::HttpResponseIncomplete;
            let body = body.map_err(broken);
            Watched::without_pause(body, lent, between_bytes, || BodyError::ConnectionReadTimeout)
        }))
    }

    fn pool(&self, uri: &Uri) -> Result<&Arc<Pool>, CallFailure> {
        let asked = Origin::of(uri).ok_or(CallFailure::NoAuthority)?;
        self.pools.get(&asked).ok_or(CallFailure::NotListed)
    }
}

type Exchanged = (Response<Incoming>, pool::Connection);

async fn exchange(
    pool: &Pool,
    taken: Taken,
    mut request: Request<Body>,
    connect: Duration,
) -> Result<Exchanged, CallFailure> {
    let (mut connection, kept) = match taken {
        Taken::Kept(connection) => (connection, true),
        Taken::New(connection) => (connection, false),
    };
    connection.interim.count(&mut request);
    let mut refused = match connection.sender.try_send_request(request).await {
        Ok(response) => return Ok((response, connection)),
        Err(refused) => refused,
    };
    match refused.take_message() {
        Some(mut untouched) if kept => {
            drop(connection);
            let mut connection = pool.connect(connect).await?;
            // The one before is closed: its seat is this one's.
            connection.interim.count(&mut untouched);
            match connection.sender.send_request(untouched).await {
                Ok(response) => Ok((response, connection)),
                Err(_error) => Err(connection.interim.failure()),
            }
        }
        Some(_) | None => Err(connection.interim.failure()),
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
