//! What a connection is doing, for when its place is wanted.

use std::io;
use std::pin::Pin;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::task::{Context, Poll};
use std::time::Duration;

use tokio::io::{AsyncRead, AsyncWrite, ReadBuf};

/// Whether a request is under way on a connection, and since when none is. Half a head is no request: whoever sends
/// one has asked nothing yet.
#[derive(Debug)]
pub(super) struct Usage {
    state: Mutex<(State, Past)>,
    /// Whether a write stands still.
    writes: Arc<AtomicBool>,
}

#[derive(Clone, Copy, Debug)]
enum Past {
    Nothing,
    SomeRequest,
}

#[derive(Clone, Copy, Debug)]
enum State {
    /// Since when, by the clock's running time.
    Unused(Duration),
    Asked,
}

impl Usage {
    /// A connection that was just accepted.
    pub(super) fn new(now: Duration) -> Self {
        Self { state: Mutex::new((State::Unused(now), Past::Nothing)), writes: Arc::default() }
    }

    /// A request begins.
    pub(super) fn asks(&self) {
        self.set(State::Asked);
    }

    /// Its answer is made; there is one request at a time on a connection.
    pub(super) fn answered(&self, now: Duration) {
        self.set(State::Unused(now));
    }

    /// Whether a request is under way.
    pub(super) fn is_asked(&self) -> bool {
        matches!(self.get().0, State::Asked)
    }

    /// Whether there ever was a request: an answer may still be on its way.
    pub(super) fn was_asked(&self) -> bool {
        matches!(self.get().1, Past::SomeRequest)
    }

    /// Told by the connection's stream whether a write stands still.
    pub(super) fn writes(&self) -> Arc<AtomicBool> {
        Arc::clone(&self.writes)
    }

    /// Whether nothing was asked for so long, and no answer is being written: a slow reader has the write clock.
    pub(super) fn is_unused(&self, now: Duration, long: Duration) -> bool {
        let unused = matches!(self.get().0, State::Unused(since) if now.saturating_sub(since) >= long);
        unused && !self.writes.load(Ordering::Relaxed)
    }

    fn get(&self) -> (State, Past) {
        *self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn set(&self, state: State) {
        *self.state.lock().unwrap_or_else(PoisonError::into_inner) = (state, Past::SomeRequest);
    }
}

/// A stream that says whether a write of it stands still.
#[derive(Debug)]
pub(super) struct Watched<S> {
    stream: S,
    stands: Arc<AtomicBool>,
}

impl<S> Watched<S> {
    pub(super) fn new(stream: S, stands: Arc<AtomicBool>) -> Self {
        Self { stream, stands }
    }

    fn note<T>(&self, written: Poll<io::Result<T>>) -> Poll<io::Result<T>> {
        self.stands.store(written.is_pending(), Ordering::Relaxed);
        written
    }
}

impl<S: AsyncRead + Unpin> AsyncRead for Watched<S> {
    fn poll_read(
        mut self: Pin<&mut Self>,
        cx: &mut Context<'_>,
        into: &mut ReadBuf<'_>,
    ) -> Poll<io::Result<()>> {
        Pin::new(&mut self.stream).poll_read(cx, into)
    }
}

impl<S: AsyncWrite + Unpin> AsyncWrite for Watched<S> {
    fn poll_write(mut self: Pin<&mut Self>, cx: &mut Context<'_>, bytes: &[u8]) -> Poll<io::Result<usize>> {
        let written = Pin::new(&mut self.stream).poll_write(cx, bytes);
        self.note(written)
    }

    fn poll_write_vectored(
        mut self: Pin<&mut Self>,
        cx: &mut Context<'_>,
        bytes: &[io::IoSlice<'_>],
    ) -> Poll<io::Result<usize>> {
        let written = Pin::new(&mut self.stream).poll_write_vectored(cx, bytes);
        self.note(written)
    }

    fn is_write_vectored(&self) -> bool {
        self.stream.is_write_vectored()
    }

    fn poll_flush(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<io::Result<()>> {
        let flushed = Pin::new(&mut self.stream).poll_flush(cx);
        self.note(flushed)
    }

    fn poll_shutdown(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<io::Result<()>> {
        Pin::new(&mut self.stream).poll_shutdown(cx)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_connection_is_unused_between_requests_alone() {
        let at = Duration::from_secs;
        let usage = Usage::new(at(10));
        assert!(!usage.is_unused(at(10), at(1)) && usage.is_unused(at(11), at(1)) && !usage.is_asked());
        assert!(!usage.was_asked());
        usage.asks();
        assert!(!usage.is_unused(at(99), at(1)) && usage.is_asked());
        usage.answered(at(20));
        assert!(!usage.is_unused(at(20), at(1)) && usage.is_unused(at(21), at(1)) && !usage.is_asked());
        assert!(usage.was_asked());
        usage.writes().store(true, Ordering::Relaxed);
        assert!(!usage.is_unused(at(99), at(1)), "somebody reads slowly");
    }
}
