//! Accepting connections, and letting them go.
//!
//! A connection costs memory before it has asked for anything, so their number is capped; one more is closed at once,
//! which is the cheapest refusal there is, and those that stand unused are asked to make room. How many one address may
//! have is [`per_address`]'s; what a connection may do, and for how long, is [`connection`]'s.

mod activity;
mod connection;
mod heads;
mod last_words;
mod patience;
mod per_address;

use std::net::IpAddr;
use std::sync::{Arc, RwLock};
use std::time::Duration;

use domicile_telemetry::Seldom;
use http::{Request, Response};
use http_body::Body;
use hyper::body::Incoming;
use tokio::net::TcpListener;
use tokio::sync::{Notify, OwnedSemaphorePermit, Semaphore, watch};
use tokio::task::JoinSet;
use tokio::time::{sleep, timeout};
use tokio_rustls::rustls::ServerConfig;

use crate::clock;
use crate::metrics::{Count, Metrics};
pub(crate) use heads::Head;
pub(crate) use per_address::PerAddress;
use per_address::Place;

/// A pause after a failed accept: the usual cause is that no file descriptor is left.
const AFTER_FAILED_ACCEPT: Duration = Duration::from_millis(20);

/// Between two log lines about failed accepts.
const FAILURES_APART: Duration = Duration::from_secs(10);
/// Between two calls to make room: each reaches every connection.
const CALLS_APART: Duration = Duration::from_secs(1);

/// How a server ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Drained {
    /// Every request was answered.
    Clean,
    /// This many connections were cut when the drain limit was over.
    Cut(usize),
}

/// How one listener is served.
#[derive(Clone)]
pub(crate) struct Terms {
    pub(crate) max_header: usize,
    pub(crate) connections: usize,
    /// Connections of one address; `None` counts nobody's.
    pub(crate) per_address: Option<Arc<PerAddress>>,
    pub(crate) streams: u32,
    /// How long a head may take, and an unused connection stay open.
    pub(crate) head: Duration,
    /// From a request's head to the last byte of its answer, all its clocks together: what is still open then is held
    /// open by the caller.
    pub(crate) whole: Duration,
    /// How long a caller may leave what is written to it unread.
    pub(crate) write: Duration,
    pub(crate) drain: Duration,
    /// The certificate, replaced by a reload.
    pub(crate) tls: Option<Arc<RwLock<Arc<ServerConfig>>>>,
    pub(crate) metrics: Arc<Metrics>,
}

/// What a listener knows of a request beside the request.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Caller {
    /// For the rate limit, and for what only this machine's people may ask for: nothing writes it down.
    pub(crate) address: IpAddr,
    pub(crate) head: Head,
}

/// What a connection is told by its listener.
struct Told {
    /// To end.
    stop: watch::Receiver<bool>,
    /// To make room, if it stands unused.
    crowd: Arc<Notify>,
}

/// What answers a listener's requests.
pub(crate) trait Answers: Send + Sync + 'static {
    type Body: Body<Data: Send, Error: Into<Box<dyn std::error::Error + Send + Sync>> + Send + Unpin>
        + Send
        + Unpin
        + 'static;

    fn answer(
        &self,
        request: Request<Incoming>,
        caller: Caller,
    ) -> impl Future<Output = Response<Self::Body>> + Send;
}

/// Serves until `stop` turns true, then lets open requests finish within the drain limit.
pub(crate) async fn serve<A: Answers>(
    listener: TcpListener,
    answers: Arc<A>,
    terms: Terms,
    mut stop: watch::Receiver<bool>,
) -> Drained {
    let seats = Arc::new(Semaphore::new(terms.connections));
    let drain = terms.drain;
    let terms = Arc::new(terms);
    let crowd = Arc::<Notify>::default();
    let begun = clock::now();
    let (failures, calls) = (Seldom::every(FAILURES_APART), Seldom::every(CALLS_APART));
    let mut connections = JoinSet::new();
    loop {
        tokio::select! {
            biased;
            () = stopped(&mut stop) => break,
            Some(_ended) = connections.join_next() => {}
            accepted = listener.accept() => match accepted {
                Ok((stream, address)) => {
                    let address = address.ip().to_canonical();
                    match seat(&seats, &terms, address) {
                        Err(Full::OfThisAddress) => terms.metrics.count(Count::AddressRefused),
                        Err(Full::OfAll) => {
                            terms.metrics.count(Count::ConnectionRefused);
                            if calls.may(clock::now().duration_since(begun)).is_some() {
                                crowd.notify_waiters();
                            }
                        }
                        Ok(seat) => {
                            let (answers, terms) = (Arc::clone(&answers), Arc::clone(&terms));
                            let told = Told { stop: stop.clone(), crowd: Arc::clone(&crowd) };
                            connections.spawn(async move {
                                connection::serve(stream, address, answers, terms, told).await;
                                drop(seat);
                            });
                        }
                    }
                }
                Err(error) => {
                    terms.metrics.count(Count::AcceptFailed);
                    if let Some(unsaid) = failures.may(clock::now().duration_since(begun)) {
                        tracing::warn!(kind = %error.kind(), unsaid, "accept failed");
                    }
                    sleep(AFTER_FAILED_ACCEPT).await;
                }
            },
        }
    }
    drop(listener);
    let finished = timeout(drain, async { while connections.join_next().await.is_some() {} }).await;
    match finished {
        Ok(()) => Drained::Clean,
        Err(_elapsed) => {
            let cut = connections.len();
            connections.shutdown().await;
            Drained::Cut(cut)
        }
    }
}

/// What a connection holds until its end.
struct Seat {
    _seat: OwnedSemaphorePermit,
    _place: Option<Place>,
}

/// Why a connection is closed at once.
enum Full {
    OfThisAddress,
    OfAll,
}

/// The address is looked at first: one that has enough does not have others make room for it.
fn seat(seats: &Arc<Semaphore>, terms: &Terms, address: IpAddr) -> Result<Seat, Full> {
    let place = match &terms.per_address {
        Some(counted) => Some(counted.take(address).ok_or(Full::OfThisAddress)?),
        None => None,
    };
    let seat = Arc::clone(seats).try_acquire_owned().map_err(|_full| Full::OfAll)?;
    Ok(Seat { _seat: seat, _place: place })
}

/// Over when `stop` is true, or when nobody is left who could make it so.
async fn stopped(stop: &mut watch::Receiver<bool>) {
    drop(stop.wait_for(|stopped| *stopped).await);
}
