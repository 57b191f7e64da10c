//! Accepting connections, and letting them go.
//!
//! A caller can keep what it does not pay for: a connection that it never uses, half a head, an answer that it does
//! not read. Each has a clock here, and the connections a limit, so that what is kept is bounded and comes back. A
//! connection beyond the limit takes the place of one that was of no use for a second, if there is one, so that a crowd
//! of half heads, half handshakes or noise shuts nobody out for longer than that; and is closed at once otherwise,
//! rather than left waiting: the edge then has time to fall back. The time for a request's body is the gateway's affair,
//! which has the request's deadline.

use std::convert::Infallible;
use std::sync::Arc;
use std::time::Duration;

use axum::Router;
use axum::http::header::HOST;
use axum::http::uri::Authority;
use axum::http::{HeaderMap, Request};
use domicile_telemetry::Seldom;
use hyper::body::Incoming;
use hyper::server::conn::http1::Builder;
use hyper::service::service_fn;
use hyper_util::rt::{TokioIo, TokioTimer};
use tokio::io::{AsyncRead, AsyncWrite};
use tokio::net::{TcpListener, TcpStream};
use tokio::sync::{OwnedSemaphorePermit, Semaphore, watch};
use tokio::task::JoinSet;
use tokio::time::{sleep, timeout};
use tokio_io_timeout::TimeoutWriter;
use tokio_rustls::TlsAcceptor;
use tokio_rustls::rustls::ServerConfig;
use tower::Service as _;

use crate::clock::Clock;
use crate::listen::crowd::Crowd;
use crate::listen::usage::{Usage, Watched};
use crate::telemetry::{self, Door, Lost};

/// Longest head of a request in bytes; the edge's has a few hundred. A longer one is answered 431.
const HEAD_MAX: usize = 16 * 1024;
/// A pause after a failed accept: the usual cause is that no file descriptor is left, which lasts.
const AFTER_FAILED_ACCEPT: Duration = Duration::from_millis(50);
/// A handshake takes two round trips; more is a caller that holds a place.
const HANDSHAKE: Duration = Duration::from_secs(5);
/// How long a newcomer waits for the place of one that was told to go: that one has [`LAST_HEAD`].
const ROOM: Duration = Duration::from_millis(500);
/// How long a connection with half a head may still finish it once it has to go; one with nothing goes at once.
const LAST_HEAD: Duration = Duration::from_millis(100);

/// How one listener is served.
#[derive(Clone, Copy, Debug)]
pub struct Terms {
    /// Connections at once.
    pub connections: u32,
    /// How long a caller may take for a request's head, and an unused connection stays open.
    pub head: Duration,
    /// How long a caller may leave unread what is written to it.
    pub write: Duration,
    /// How long a connection has to have been of no use to lose its place to another.
    pub unused: Duration,
}

/// Told of each connection that was not taken.
type Tell = Arc<dyn Fn(Lost) + Send + Sync>;

/// A listener's connections.
pub struct Connections {
    door: Door,
    terms: Terms,
    tls: Option<Arc<ServerConfig>>,
    places: Arc<Semaphore>,
    crowd: Arc<Crowd>,
    clock: Clock,
    tell: Tell,
    full: Seldom,
    failed: Seldom,
}

impl Connections {
    /// The connections of `door`; `tell` is told of each that is not taken.
    pub fn new(door: Door, terms: Terms, clock: Clock, tell: impl Fn(Lost) + Send + Sync + 'static) -> Self {
        let places = Arc::new(Semaphore::new(terms.connections as usize));
        let (full, failed) = (telemetry::lines(), telemetry::lines());
        let crowd = Arc::default();
        Self { door, terms, tls: None, places, crowd, clock, tell: Arc::new(tell), full, failed }
    }

    /// The same, over TLS as `config` says: nothing else is taken then.
    #[must_use]
    pub fn over(self, config: Arc<ServerConfig>) -> Self {
        Self { tls: Some(config), ..self }
    }

    /// How many are open.
    pub fn open(&self) -> usize {
        (self.terms.connections as usize).saturating_sub(self.places.available_permits())
    }

    /// Serves `routes` until the other side of `stopping` is dropped, and then until what was begun is done.
    pub async fn serve(&self, listener: TcpListener, routes: Router, mut stopping: watch::Receiver<()>) {
        let mut connections = JoinSet::new();
        loop {
            tokio::select! {
                biased;
                () = stopped(&mut stopping) => break,
                Some(_) = connections.join_next() => {}
                accepted = listener.accept() => match accepted {
                    Ok((stream, _)) => if let Some(place) = self.place() {
                        connections.spawn(self.connection(stream, routes.clone(), stopping.clone(), place));
                    },
                    Err(error) => {
                        self.accept_failed(&error);
                        sleep(AFTER_FAILED_ACCEPT).await;
                    }
                },
            }
        }
        drop(listener);
        while connections.join_next().await.is_some() {}
    }

    /// One connection, from its handshake where there is one.
    fn connection<P: Future<Output = Option<OwnedSemaphorePermit>>>(
        &self,
        stream: TcpStream,
        routes: Router,
        mut stopping: watch::Receiver<()>,
        place: P,
    ) -> impl Future<Output = ()> + use<P> {
        let (terms, tls, tell) = (self.terms, self.tls.clone(), Arc::clone(&self.tell));
        let (crowd, clock) = (Arc::clone(&self.crowd), self.clock);
        async move {
            let Some(_place) = place.await else { return tell(Lost::Full) };
            let usage = Arc::new(Usage::new(clock.running()));
            let _member = crowd.enter(Arc::clone(&usage));
            if let Err(error) = stream.set_nodelay(true) {
                tracing::debug!(%error, "no TCP_NODELAY");
            }
            let mut stream = TimeoutWriter::new(stream);
            stream.set_timeout(Some(terms.write));
            let stream = Watched::new(Box::pin(stream), usage.writes());
            let spot = Spot { usage: &usage, clock };
            let Some(config) = tls else { return serve(stream, routes, terms, spot, stopping).await };
            let shaken = tokio::select! {
                shaken = timeout(HANDSHAKE, TlsAcceptor::from(config).accept(stream)) => shaken,
                why = spot.is_wanted(&mut stopping) => return match why {
                    Why::Stop => {}
                    Why::Crowd => tell(Lost::Handshake),
                },
            };
            match shaken {
                Ok(Ok(stream)) => serve(stream, routes, terms, spot, stopping).await,
                // What it was is not told: whoever has no certificate is nobody here.
                Ok(Err(_)) | Err(_) => tell(Lost::Handshake),
            }
        }
    }

    /// A place, at once or when the connection that was told to go has gone; none when nobody is to go.
    fn place(&self) -> Option<impl Future<Output = Option<OwnedSemaphorePermit>> + use<>> {
        let places = Arc::clone(&self.places);
        let free = Arc::clone(&places).try_acquire_owned().ok();
        let has_one = free.is_some() || self.crowd.one_goes(self.clock.running(), self.terms.unused);
        if !has_one {
            self.is_full();
            return None;
        }
        Some(async move {
            match free {
                Some(place) => Some(place),
                None => timeout(ROOM, places.acquire_owned()).await.ok()?.ok(),
            }
        })
    }

    fn is_full(&self) {
        (self.tell)(Lost::Full);
        if let Some(unsaid) = self.full.may(self.clock.running()) {
            tracing::warn!(listener = self.door.as_str(), unsaid, "a connection too many was closed");
        }
    }

    fn accept_failed(&self, error: &std::io::Error) {
        (self.tell)(Lost::Failed);
        if let Some(unsaid) = self.failed.may(self.clock.running()) {
            let (kind, os) = (error.kind(), error.raw_os_error());
            tracing::warn!(listener = self.door.as_str(), %kind, os, unsaid, "accept failed");
        }
    }
}

/// Whether a head names exactly one host, as HTTP/1.1 has to (RFC 9112 §3.2): with none or several, what stands
/// between caller and cell may have read another request than the cell does.
pub fn names_one_host(headers: &HeaderMap) -> bool {
    let mut hosts = headers.get_all(HOST).iter();
    let (Some(host), None) = (hosts.next(), hosts.next()) else {
        return false;
    };
    !host.as_bytes().contains(&b'@') && Authority::try_from(host.as_bytes()).is_ok()
}

/// Serves one connection to its end.
async fn serve<S: AsyncRead + AsyncWrite + Unpin>(
    stream: S,
    routes: Router,
    terms: Terms,
    spot: Spot<'_>,
    mut stopping: watch::Receiver<()>,
) {
    let Spot { usage, clock, .. } = spot;
    let service = service_fn(|request: Request<Incoming>| {
        usage.asks();
        let mut routes = routes.clone();
        async move {
            // The routes' own error type has no values.
            let answer = routes.call(request).await.unwrap_or_else(|never| match never {});
            // Of a sealed request that opened it is 200, whatever came of it inside.
            if answer.status().is_success() {
                usage.answered(clock.running())
            } else {
                usage.refused()
            }
            Ok::<_, Infallible>(answer)
        }
    });
    let served = Builder::new()
        .timer(TokioTimer::new())
        .header_read_timeout(terms.head)
        // A caller that has said all and only listens still gets its answer.
        .half_close(true)
        .max_header_size(HEAD_MAX)
        .max_buf_size(2 * HEAD_MAX)
        .serve_connection(TokioIo::new(stream), service);
    let mut served = std::pin::pin!(served);
    let ended = tokio::select! {
        ended = served.as_mut() => ended,
        why = spot.is_wanted(&mut stopping) => {
            served.as_mut().graceful_shutdown();
            match (timeout(LAST_HEAD, served.as_mut()).await, why) {
                (Ok(ended), _) => ended,
                (Err(_), Why::Stop) if usage.was_asked() => served.await,
                (Err(_), Why::Crowd) if usage.is_asked() => served.await,
                (Err(_), _) => return,
            }
        }
    };
    if ended.is_err() {
        tracing::debug!("connection broke");
    }
}

/// Why a connection has to go.
enum Why {
    Stop,
    /// Its place is another's.
    Crowd,
}

/// What the one who serves a connection needs to know of its place.
#[derive(Clone, Copy)]
struct Spot<'c> {
    usage: &'c Usage,
    clock: Clock,
}

impl Spot<'_> {
    /// Over when the connection has to go.
    async fn is_wanted(self, stopping: &mut watch::Receiver<()>) -> Why {
        tokio::select! {
            () = stopped(stopping) => Why::Stop,
            () = self.usage.has_to_go() => Why::Crowd,
        }
    }
}

/// Over once the sender is gone. It says nothing; that it is gone is the signal.
async fn stopped(stopping: &mut watch::Receiver<()>) {
    let _ = stopping.changed().await;
}

mod crowd;
mod usage;

#[cfg(test)]
mod tests;
