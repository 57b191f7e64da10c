//! Its connections. A caller can keep what it does not pay for: a connection that it never uses, half a head, half a
//! body, an answer that it does not read. Each has a clock here, and connections a limit; one more is closed at once.

use std::convert::Infallible;
use std::sync::Arc;
use std::time::Duration;

use bytes::Bytes;
use http::Request;
use http_body_util::{BodyExt as _, LengthLimitError, Limited};
use hyper::body::{Body as _, Incoming};
use hyper::server::conn::http1::Builder;
use hyper::service::service_fn;
use hyper_util::rt::{TokioIo, TokioTimer};
use tokio::net::{TcpListener, TcpStream};
use tokio::sync::{OwnedSemaphorePermit, Semaphore, watch};
use tokio::task::JoinSet;
use tokio::time::{sleep, timeout};
use tokio_io_timeout::TimeoutWriter;

use super::refusal::Refusal;
use super::routes::Service;
use crate::clock;

/// Connections at once.
const CONNECTIONS: usize = 256;
/// For a request's head, and for an unused connection.
const HEAD: Duration = Duration::from_secs(10);
/// For a request's body.
const BODY: Duration = Duration::from_secs(5);
/// For an answer that is not read.
const WRITE: Duration = Duration::from_secs(5);
/// Longest head in bytes.
const HEAD_MAX: usize = 16 * 1024;
/// Longest body in bytes.
const BODY_MAX: usize = 4_096;
/// A pause after a failed accept: the usual cause is that no file descriptor is left, which lasts.
const AFTER_FAILED_ACCEPT: Duration = Duration::from_millis(50);
/// How long a stopping service waits for the answers under way.
const DRAIN: Duration = Duration::from_secs(2);

/// Serves until `told` is over, and then until what was begun is done.
pub(super) async fn serve(listener: TcpListener, service: Arc<Service>, told: impl Future<Output = ()>) {
    let places = Arc::new(Semaphore::new(CONNECTIONS));
    let (stop, stopping) = watch::channel(());
    let mut connections = JoinSet::new();
    let mut told = std::pin::pin!(told);
    loop {
        tokio::select! {
            biased;
            () = told.as_mut() => break,
            Some(_) = connections.join_next() => {}
            accepted = listener.accept() => match accepted {
                Ok((stream, _)) => if let Ok(place) = Arc::clone(&places).try_acquire_owned() {
                    connections.spawn(connection(stream, Arc::clone(&service), stopping.clone(), place));
                },
                Err(_) => sleep(AFTER_FAILED_ACCEPT).await,
            },
        }
    }
    drop((listener, stop));
    let _ = timeout(DRAIN, async { while connections.join_next().await.is_some() {} }).await;
}

/// Over at SIGINT, SIGTERM or SIGHUP: a terminal that is closed is no reason to break answers off, and there is nothing
/// here to read again. It listens for them from now on, not from its first poll.
pub(super) fn told_to_stop() -> std::io::Result<impl Future<Output = ()>> {
    use tokio::signal::unix::{SignalKind, signal};
    let (mut interrupt, mut terminate) = (signal(SignalKind::interrupt())?, signal(SignalKind::terminate())?);
    let mut hang_up = signal(SignalKind::hangup())?;
    Ok(async move {
        tokio::select! {
            _ = interrupt.recv() => {}
            _ = terminate.recv() => {}
            _ = hang_up.recv() => {}
        }
    })
}

async fn connection(
    stream: TcpStream,
    service: Arc<Service>,
    mut stopping: watch::Receiver<()>,
    _place: OwnedSemaphorePermit,
) {
    // Without it an answer in two packets waits for an acknowledgement; with an error the connection is gone anyway.
    let _ = stream.set_nodelay(true);
    let mut stream = TimeoutWriter::new(stream);
    stream.set_timeout(Some(WRITE));
    let answers = service_fn(|request: Request<Incoming>| {
        let service = Arc::clone(&service);
        async move { Ok::<_, Infallible>(service.answer(&whole(request).await, clock::seconds())) }
    });
    let served = Builder::new()
        .timer(TokioTimer::new())
        .header_read_timeout(HEAD)
        .half_close(true)
        .max_header_size(HEAD_MAX)
        .max_buf_size(2 * HEAD_MAX)
        .serve_connection(TokioIo::new(Box::pin(stream)), answers);
    let mut served = std::pin::pin!(served);
    // How a connection ends is its caller's affair; there is nothing to tell anybody.
    let _ = tokio::select! {
        ended = served.as_mut() => ended,
        _ = stopping.changed() => {
            served.as_mut().graceful_shutdown();
            served.await
        }
    };
}

/// The request with its body read, or with the reason why it was not.
async fn whole(request: Request<Incoming>) -> Request<Result<Bytes, Refusal>> {
    let (head, body) = request.into_parts();
    let declared = body.size_hint().lower();
    let body = if declared > BODY_MAX as u64 {
        Err(Refusal::TooLarge)
    } else {
        match timeout(BODY, Limited::new(body, BODY_MAX).collect()).await {
            Ok(Ok(body)) => Ok(body.to_bytes()),
            Ok(Err(error)) if error.is::<LengthLimitError>() => Err(Refusal::TooLarge),
            Ok(Err(_broken)) => Err(Refusal::Body),
            Err(_elapsed) => Err(Refusal::Slow),
        }
    };
    Request::from_parts(head, body)
}
