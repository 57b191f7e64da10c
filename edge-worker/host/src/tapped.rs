//! A stream whose reading is tapped, and ended where the tap says so; writing passes as it is.
//!
//! For what hyper does not tell: the bytes of a head (`server/heads.rs`), and heads without end
//! (`outbound/interim.rs`).

use std::io;
use std::pin::Pin;
use std::task::{Context, Poll};

use tokio::io::{AsyncRead, AsyncWrite, ReadBuf};

/// What is done at each read.
pub(crate) trait Tap: Unpin {
    /// Whether to read on; an error ends the connection.
    fn before(&self) -> io::Result<()> {
        Ok(())
    }

    /// What was read.
    fn read(&mut self, _bytes: &[u8]) {}
}

/// A stream and its tap.
pub(crate) struct Tapped<S, T> {
    stream: S,
    tap: T,
}

impl<S, T> Tapped<S, T> {
    pub(crate) fn new(stream: S, tap: T) -> Self {
        Self { stream, tap }
    }
}

impl<S: AsyncRead + Unpin, T: Tap> AsyncRead for Tapped<S, T> {
    fn poll_read(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
        buffer: &mut ReadBuf<'_>,
    ) -> Poll<io::Result<()>> {
        self.tap.before()?;
        let before = buffer.filled().len();
        let poll = Pin::new(&mut self.stream).poll_read(context, buffer);
        self.tap.read(buffer.filled().get(before..).unwrap_or_default());
        poll
    }
}

impl<S: AsyncWrite + Unpin, T: Unpin> AsyncWrite for Tapped<S, T> {
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
