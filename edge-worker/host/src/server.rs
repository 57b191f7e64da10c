//! Accepting connections, and letting them go.

use std::convert::Infallible;
use std::sync::Arc;
use std::time::Duration;

use http::{Request, Response};
use http_body::Body;
use hyper::body::Incoming;
use hyper::server::conn::http1::Builder;
use hyper::service::service_fn;
use hyper_util::rt::{TokioIo, TokioTimer};
use tokio::net::{TcpListener, TcpStream};
use tokio::sync::watch;
use tokio::task::JoinSet;
use tokio::time::{sleep, timeout};

use crate::patience::Patience;

/// How long a caller may take for a request's head, and an unused connection stay open.
const HEAD_WITHIN: Duration = Duration::from_secs(15);
/// A pause after a failed accept: the usual cause is that no file descriptor is left.
const AFTER_FAILED_ACCEPT: Duration = Duration::from_millis(20);

/// How a server ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Drained {
    /// Every request was answered.
    Clean,
    /// This many connections were cut when the drain limit was over.
    Cut(usize),
}

/// How one listener is served.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Terms {
    pub(crate) max_header: usize,
    pub(crate) drain: Duration,
    /// How long a caller may leave what is written to it unread.
    pub(crate) write: Duration,
}

/// What answers a listener's requests.
pub(crate) trait Answers: Send + Sync + 'static {
    type Body: Body<Data: Send, Error: Into<Box<dyn std::error::Error + Send + Sync>>> + Send + 'static;

    fn answer(&self, request: Request<Incoming>) -> impl Future<Output = Response<Self::Body>> + Send;
}

/// Serves until `stop` turns true, then lets open requests finish within the drain limit.
pub(crate) async fn serve<A: Answers>(
    listener: TcpListener,
    answers: Arc<A>,
    terms: Terms,
    mut stop: watch::Receiver<bool>,
) -> Drained {
    let mut connections = JoinSet::new();
    loop {
        tokio::select! {
            biased;
            () = stopped(&mut stop) => break,
            Some(_ended) = connections.join_next() => {}
            accepted = listener.accept() => match accepted {
                Ok((stream, _address)) => {
                    connections.spawn(connection(stream, Arc::clone(&answers), terms, stop.clone()));
                }
                Err(error) => {
                    tracing::warn!(kind = %error.kind(), "accept failed");
                    sleep(AFTER_FAILED_ACCEPT).await;
                }
            },
        }
    }
    drop(listener);
    let finished = timeout(terms.drain, async { while connections.join_next().await.is_some() {} }).await;
    match finished {
        Ok(()) => Drained::Clean,
        Err(_elapsed) => {
            let cut = connections.len();
            connections.shutdown().await;
            Drained::Cut(cut)
        }
    }
}

async fn connection<A: Answers>(
    stream: TcpStream,
    answers: Arc<A>,
    terms: Terms,
    mut stop: watch::Receiver<bool>,
) {
    if stream.set_nodelay(true).is_err() {
        return;
    }
    let service = service_fn(move |request| {
        let answers = Arc::clone(&answers);
        async move { Ok::<_, Infallible>(answers.answer(request).await) }
    });
    let served = Builder::new()
        .timer(TokioTimer::new())
        .header_read_timeout(HEAD_WITHIN)
        .max_header_size(terms.max_header)
        .max_buf_size(terms.max_header.max(8192))
        .serve_connection(TokioIo::new(Patience::new(stream, terms.write)), service);
    let mut served = std::pin::pin!(served);
    let ended = tokio::select! {
        ended = served.as_mut() => ended,
        () = stopped(&mut stop) => {
            served.as_mut().graceful_shutdown();
            served.await
        }
    };
    if ended.is_err() {
        tracing::debug!("connection broke");
    }
}

/// Over when `stop` is true, or when nobody is left who could make it so.
async fn stopped(stop: &mut watch::Receiver<bool>) {
    drop(stop.wait_for(|stopped| *stopped).await);
}
