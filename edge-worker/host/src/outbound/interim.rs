//! Interim heads (1xx), of which there may be a few before an answer (RFC 9110 §15.2), and not more.
//!
//! hyper passes over any number of them, in one go for as long as they keep coming: a cell that sends them without end
//! keeps the thread that reads it, and with it whoever waits on that thread, past every clock. So they are counted, and
//! after too many the connection reads no more, which ends it and the call. A clock around the call was not enough: what
//! it wakes waits for the very thread.

use std::io;
use std::pin::Pin;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::task::{Context, Poll};

use http::Request;
use tokio::io::{AsyncRead, AsyncWrite, ReadBuf};

use super::CallFailure;
use crate::guest::Body;

/// Early hints come once or twice, and a cell of ours sends none.
const MOST: usize = 8;

/// Whether too many came on one connection.
#[derive(Clone, Default)]
pub(super) struct Interim(Arc<AtomicBool>);

impl Interim {
    /// Counts those before the answer to this request.
    pub(super) fn count(&self, request: &mut Request<Body>) {
        let (seen, over) = (AtomicUsize::new(0), Arc::clone(&self.0));
        hyper::ext::on_informational(request, move |_head| {
            if seen.fetch_add(1, Ordering::Relaxed) >= MOST {
                over.store(true, Ordering::Relaxed);
            }
        });
    }

    /// Why the connection ended before an answer.
    pub(super) fn failure(&self) -> CallFailure {
        if self.0.load(Ordering::Relaxed) { CallFailure::InterimHeads } else { CallFailure::Broken }
    }
}

/// A stream that is over once there were too many.
pub(super) struct Bounded<S> {
    stream: S,
    interim: Interim,
}

impl<S> Bounded<S> {
    pub(super) fn new(stream: S, interim: Interim) -> Self {
        Self { stream, interim }
    }
}

impl<S: AsyncRead + Unpin> AsyncRead for Bounded<S> {
    fn poll_read(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
        buffer: &mut ReadBuf<'_>,
    ) -> Poll<io::Result<()>> {
        if self.interim.0.load(Ordering::Relaxed) {
            return Poll::Ready(Err(io::ErrorKind::InvalidData.into()));
        }
        Pin::new(&mut self.stream).poll_read(context, buffer)
    }
}

impl<S: AsyncWrite + Unpin> AsyncWrite for Bounded<S> {
    fn poll_write(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
        bytes: &[u8],
    ) -> Poll<io::Result<usize>> {
        Pin::new(&mut self.stream).poll_write(context, bytes)
    }

    fn poll_write_vectored(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
        pieces: &[io::IoSlice<'_>],
    ) -> Poll<io::Result<usize>> {
        Pin::new(&mut self.stream).poll_write_vectored(context, pieces)
    }

    fn is_write_vectored(&self) -> bool {
        self.stream.is_write_vectored()
    }

    fn poll_flush(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<io::Result<()>> {
        Pin::new(&mut self.stream).poll_flush(context)
    }

    fn poll_shutdown(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<io::Result<()>> {
        Pin::new(&mut self.stream).poll_shutdown(context)
    }
}
