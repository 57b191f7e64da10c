//! One connection, from its handshake to its end.

use std::convert::Infallible;
use std::net::IpAddr;
use std::pin::{Pin, pin};
use std::sync::{Arc, PoisonError};
use std::time::Duration;

use http::{HeaderValue, Request, Response, header};
use hyper::body::Incoming;
use hyper::server::conn::{http1, http2};
use hyper::service::service_fn;
use hyper_util::rt::{TokioExecutor, TokioIo, TokioTimer};
use tokio::io::{AsyncRead, AsyncWrite};
use tokio::net::TcpStream;
use tokio::time::timeout;
use tokio_rustls::TlsAcceptor;

use super::activity::{Activity, LetGo, Open};
use super::heads::{Head, Heads, Reads};
use super::last_words::LastWords;
use super::patience::Patience;
use super::{Answers, Caller, Terms, Told, stopped};
use crate::body::{Held, Watched};
use crate::clock;
use crate::metrics::{Count, Gauge};
use crate::tapped::Tapped;

/// A handshake takes two round trips, three with a slow revocation check; more is a caller that holds a seat.
const HANDSHAKE_WITHIN: Duration = Duration::from_secs(5);
/// How long a connection has to have been unused to make room for another: a page asks for its shelves in less.
const UNUSED: Duration = Duration::from_secs(1);
/// How long a connection without a request may stay while draining. A request may be on its way: a round trip.
const LINGER: Duration = Duration::from_millis(500);
/// HTTP/2 says goodbye twice, a round trip apart, and what a stream has left to send is not seen from here.
const LINGER_FRAMED: Duration = Duration::from_millis(2_000);
/// Pings find a caller that is gone without a word.
const PING_EVERY: Duration = Duration::from_secs(20);
const PING_WITHIN: Duration = Duration::from_secs(10);
/// Bytes of an answer that HTTP/2 buffers for a caller that reads slowly.
const SEND_BUFFER: usize = 64 * 1024;
/// Streams that a caller resets before they were looked at, or that it makes this side reset: one over ends the
/// connection (CVE-2023-44487, CVE-2025-8671).
const RESETS: usize = 20;

pub(super) async fn serve<A: Answers>(
    stream: TcpStream,
    address: IpAddr,
    answers: Arc<A>,
    terms: Arc<Terms>,
    told: Told,
) {
    if stream.set_nodelay(true).is_err() {
        return;
    }
    let _open = terms.metrics.up(Gauge::Connections);
    let activity = Arc::<Activity>::default();
    let stream = Patience::new(stream, terms.write, Arc::clone(&activity));
    let served = Served { address, answers, activity, told };
    let Some(tls) = &terms.tls else { return served.plain(stream, &terms).await };
    let config = Arc::clone(&tls.read().unwrap_or_else(PoisonError::into_inner));
    match timeout(HANDSHAKE_WITHIN, TlsAcceptor::from(config).accept(stream)).await {
        Ok(Ok(stream)) if stream.get_ref().1.alpn_protocol() == Some(domicile_tls::HTTP2) => {
            served.framed(stream, &terms).await;
        }
        Ok(Ok(stream)) => served.plain(stream, &terms).await,
        Ok(Err(_)) | Err(_) => terms.metrics.count(Count::HandshakeFailed),
    }
}

impl Held for Open {}

struct Served<A> {
    address: IpAddr,
    answers: Arc<A>,
    activity: Arc<Activity>,
    told: Told,
}

impl<A: Answers> Served<A> {
    /// HTTP/1.1.
    async fn plain<S: AsyncRead + AsyncWrite + Send + Unpin + 'static>(self, stream: S, terms: &Terms) {
        let heads = Arc::<Heads>::default();
        let io = TokioIo::new(Tapped::new(stream, Reads::new(Arc::clone(&heads))));
        let (answers, activity, address) = (self.answers, Arc::clone(&self.activity), self.address);
        let service = service_fn(move |request| {
            let (answers, open) = (Arc::clone(&answers), activity.open());
            let caller = Caller { address, head: heads.take() };
            async move { Ok::<_, Infallible>(answer(&*answers, request, caller, open).await) }
        });
        let connection = http1::Builder::new()
            .timer(TokioTimer::new())
            .header_read_timeout(terms.head)
            .max_header_size(terms.max_header)
            .max_buf_size(terms.max_header.max(8192))
            // A caller that has said all may wait for the answer.
            .half_close(true)
            .serve_connection(io, service);
        drive(connection, http1::Connection::graceful_shutdown, self.told, &self.activity, terms, LINGER)
            .await;
    }

    /// HTTP/2.
    async fn framed<S: AsyncRead + AsyncWrite + Send + Unpin + 'static>(self, stream: S, terms: &Terms) {
        let (answers, activity, address) = (self.answers, Arc::clone(&self.activity), self.address);
        let service = service_fn(move |request| {
            let (answers, open) = (Arc::clone(&answers), activity.open());
            let caller = Caller { address, head: Head::Framed };
            async move { Ok::<_, Infallible>(answer(&*answers, request, caller, open).await) }
        });
        let connection = http2::Builder::new(TokioExecutor::new())
            .timer(TokioTimer::new())
            .max_concurrent_streams(terms.streams)
            .max_header_list_size(u32::try_from(terms.max_header).unwrap_or(u32::MAX))
            .max_pending_accept_reset_streams(RESETS)
            .max_local_error_reset_streams(RESETS)
            .max_send_buf_size(SEND_BUFFER)
            .keep_alive_interval(PING_EVERY)
            .keep_alive_timeout(PING_WITHIN)
            .serve_connection(TokioIo::new(stream), service);
        drive(
            connection,
            http2::Connection::graceful_shutdown,
            self.told,
            &self.activity,
            terms,
            LINGER_FRAMED,
        )
        .await;
    }
}

async fn answer<A: Answers>(
    answers: &A,
    request: Request<Incoming>,
    caller: Caller,
    open: Open,
) -> Response<LastWords<Watched<A::Body, Open>>> {
    let mut response = answers.answer(request, caller).await;
    if matches!(caller.head, Head::Last | Head::Odd) {
        response.headers_mut().insert(header::CONNECTION, HeaderValue::from_static("close"));
    }
    response.map(|body| LastWords::of(Watched::holding(body, open)))
}

/// Lets a connection run until it ends, is quiet for too long, is overdue, or has nothing left to do while draining.
async fn drive<C: Future<Output = hyper::Result<()>>>(
    connection: C,
    goodbye: fn(Pin<&mut C>),
    mut told: Told,
    activity: &Activity,
    terms: &Terms,
    linger: Duration,
) {
    let mut connection = pin!(connection);
    let mut leaving = false;
    let mut from = clock::now();
    loop {
        let quiet = if leaving { linger } else { terms.head.saturating_add(linger) };
        tokio::select! {
            ended = connection.as_mut() => {
                if ended.is_err() {
                    tracing::debug!("connection broke");
                }
                return;
            }
            () = stopped(&mut told.stop), if !leaving => {
                (leaving, from) = (true, clock::now());
                goodbye(connection.as_mut());
            }
            () = told.crowd.notified(), if !leaving => {
                if activity.is_quiet(UNUSED) {
                    (leaving, from) = (true, clock::now());
                    goodbye(connection.as_mut());
                }
            }
            verdict = activity.let_go(from, quiet, terms.whole) => match verdict {
                LetGo::Quiet if !leaving => {
                    (leaving, from) = (true, clock::now());
                    goodbye(connection.as_mut());
                }
                LetGo::Quiet => return,
                LetGo::Overdue => {
                    terms.metrics.count(Count::ConnectionCut);
                    return;
                }
            },
        }
    }
}
