//! What a connection is doing, for when its place is wanted.

use std::io;
use std::pin::Pin;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::task::{Context, Poll};
use std::time::Duration;

use tokio::io::{AsyncRead, AsyncWrite, ReadBuf};
use tokio::sync::Notify;

/// Whether a request is under way on a connection, and since when none is. Half a head is no request: whoever sends
/// one has asked nothing yet. Nor does one that was refused outside of a seal renew anything: noise would hold a place.
#[derive(Debug)]
pub(super) struct Usage {
    standing: Mutex<(Now, Standing)>,
    /// Whether a write stands still.
    writes: Arc<AtomicBool>,
    told: AtomicBool,
    go: Notify,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Now {
    Asked,
    Unused,
}

/// What a connection was good for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Standing {
    past: Past,
    /// Since when it is of no use, by the clock's running time.
    since: Duration,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum Past {
    Nothing,
    Refused,
    Served,
}

impl Standing {
    /// The least is the first to go: of no use before of use, and the longest unused of each.
    pub(super) fn rank(self) -> (u8, Duration) {
        (u8::from(self.past == Past::Served), self.since)
    }
}

impl Usage {
    /// A connection that was just accepted.
    pub(super) fn new(now: Duration) -> Self {
        let standing = Standing { past: Past::Nothing, since: now };
        let (writes, told, go) = (Arc::default(), AtomicBool::new(false), Notify::new());
        Self { standing: Mutex::new((Now::Unused, standing)), writes, told, go }
    }

    /// A request begins.
    pub(super) fn asks(&self) {
        let mut standing = self.standing();
        standing.0 = Now::Asked;
        standing.1.past = standing.1.past.max(Past::Refused);
    }

    /// Its answer is made; there is one request at a time on a connection.
    pub(super) fn answered(&self, now: Duration) {
        *self.standing() = (Now::Unused, Standing { past: Past::Served, since: now });
    }

    /// Its answer is made, and says no.
    pub(super) fn refused(&self) {
        self.standing().0 = Now::Unused;
    }

    /// Whether a request is under way.
    pub(super) fn is_asked(&self) -> bool {
        self.standing().0 == Now::Asked
    }

    /// Whether there ever was a request: an answer may still be on its way.
    pub(super) fn was_asked(&self) -> bool {
        self.standing().1.past > Past::Nothing
    }

    /// Told by the connection's stream whether a write stands still.
    pub(super) fn writes(&self) -> Arc<AtomicBool> {
        Arc::clone(&self.writes)
    }

    /// What it was good for, if it was of no use for so long, no answer is being written (a slow reader has the write
    /// clock), and it was not told to go yet.
    pub(super) fn unused(&self, now: Duration, long: Duration) -> Option<Standing> {
        let (doing, standing) = *self.standing();
        let unused = doing == Now::Unused && now.saturating_sub(standing.since) >= long;
        let stays = self.writes.load(Ordering::Relaxed) || self.is_told();
        (unused && !stays).then_some(standing)
    }

    /// Tells it to go; true, for the first time at least.
    pub(super) fn go(&self) -> bool {
        self.go.notify_one();
        !self.told.swap(true, Ordering::Relaxed)
    }

    pub(super) fn is_told(&self) -> bool {
        self.told.load(Ordering::Relaxed)
    }

    /// Over when it was told to go.
    pub(super) async fn has_to_go(&self) {
        self.go.notified().await;
    }

    fn standing(&self) -> MutexGuard<'_, (Now, Standing)> {
        self.standing.lock().unwrap_or_else(PoisonError::into_inner)
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
        // A socket has nothing to flush, and says so while a write of it stands still.
        Pin::new(&mut self.stream).poll_flush(cx)
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
        let is_unused = |s: u64| usage.unused(at(s), at(1)).is_some();
        assert!(!is_unused(10) && is_unused(11) && !usage.is_asked() && !usage.was_asked());
        usage.asks();
        assert!(!is_unused(99) && usage.is_asked() && usage.was_asked());
        usage.answered(at(20));
        assert!(!is_unused(20) && is_unused(21) && !usage.is_asked());
        usage.asks();
        usage.refused();
        assert!(is_unused(21), "what is refused renews nothing");
        usage.writes().store(true, Ordering::Relaxed);
        assert!(!is_unused(99), "somebody reads slowly");
    }
}
