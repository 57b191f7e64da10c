//! A connection that is given up when the other side does not take what is written to it.
//!
//! An answer's deadline is looked at when a piece of it is asked for, and nothing is asked for while the caller does
//! not read. Without this, a caller that never reads keeps its connection, and its seat among the requests in flight.

use std::io;
use std::pin::Pin;
use std::sync::Arc;
use std::task::{Context, Poll};
use std::time::Duration;

use tokio::io::{AsyncRead, AsyncWrite, ReadBuf};
use tokio::time::{Sleep, sleep};

use super::activity::Activity;

/// A stream whose writes fail after standing still for a while, and are activity as long as they stand.
pub(super) struct Patience<S> {
    stream: S,
    limit: Duration,
    activity: Arc<Activity>,
    stuck: Option<Pin<Box<Sleep>>>,
}

impl<S> Patience<S> {
    pub(super) fn new(stream: S, limit: Duration, activity: Arc<Activity>) -> Self {
        Self { stream, limit, activity, stuck: None }
    }

    fn within<T>(&mut self, context: &mut Context<'_>, poll: Poll<io::Result<T>>) -> Poll<io::Result<T>> {
        if poll.is_ready() {
            if self.stuck.take().is_some() {
                self.activity.writes(false);
            }
            return poll;
        }
        if self.stuck.is_none() {
            self.activity.writes(true);
        }
        let limit = self.limit;
        let stuck = self.stuck.get_or_insert_with(|| Box::pin(sleep(limit)));
        stuck.as_mut().poll(context).map(|()| Err(io::ErrorKind::TimedOut.into()))
    }
}

impl<S: AsyncRead + Unpin> AsyncRead for Patience<S> {
    fn poll_read(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
        buffer: &mut ReadBuf<'_>,
    ) -> Poll<io::Result<()>> {
        Pin::new(&mut self.stream).poll_read(context, buffer)
    }
}

impl<S: AsyncWrite + Unpin> AsyncWrite for Patience<S> {
    fn poll_write(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
        bytes: &[u8],
    ) -> Poll<io::Result<usize>> {
        let poll = Pin::new(&mut self.stream).poll_write(context, bytes);
        self.within(context, poll)
    }

    fn poll_write_vectored(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
        pieces: &[io::IoSlice<'_>],
    ) -> Poll<io::Result<usize>> {
        let poll = Pin::new(&mut self.stream).poll_write_vectored(context, pieces);
        self.within(context, poll)
    }

    fn is_write_vectored(&self) -> bool {
        self.stream.is_write_vectored()
    }

    fn poll_flush(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<io::Result<()>> {
        let poll = Pin::new(&mut self.stream).poll_flush(context);
        self.within(context, poll)
    }

    fn poll_shutdown(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<io::Result<()>> {
        let poll = Pin::new(&mut self.stream).poll_shutdown(context);
        self.within(context, poll)
    }
}

#[cfg(test)]
mod tests {
    use std::io::ErrorKind;
    use std::sync::Arc;
    use std::time::Duration;

    use tokio::io::AsyncWriteExt;

    use super::Patience;

    #[tokio::test]
    async fn a_reader_that_never_reads_is_given_up() {
        let (near, _far) = tokio::io::duplex(16);
        let mut near = Patience::new(near, Duration::from_millis(20), Arc::default());
        assert_eq!(near.write_all(&[0; 64]).await.unwrap_err().kind(), ErrorKind::TimedOut);
    }
}
