//! A body that breaks only once what was said before it is on its way.
//!
//! hyper drops a connection whose body fails, together with what it has not written yet: an answer that breaks off right
//! behind its head would cost the caller the head too, and a connection closed without an answer looks like a server that
//! is gone. So an error is kept back for one more poll: in between, hyper writes. Over HTTP/1.1 the caller then sees a
//! status and a body without its end; over HTTP/2 the stream is reset, and only that.

use std::pin::Pin;
use std::task::{Context, Poll};

use http_body::{Body, Frame, SizeHint};

/// A body whose error is told one poll late.
pub(super) struct LastWords<B: Body> {
    body: B,
    broken: Option<B::Error>,
}

impl<B: Body> LastWords<B> {
    pub(super) fn of(body: B) -> Self {
        Self { body, broken: None }
    }
}

impl<B: Body<Error: Unpin> + Unpin> Body for LastWords<B> {
    type Data = B::Data;
    type Error = B::Error;

    fn poll_frame(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
    ) -> Poll<Option<Result<Frame<B::Data>, B::Error>>> {
        if let Some(broken) = self.broken.take() {
            return Poll::Ready(Some(Err(broken)));
        }
        match Pin::new(&mut self.body).poll_frame(context) {
            Poll::Ready(Some(Err(broken))) => {
                self.broken = Some(broken);
                context.waker().wake_by_ref();
                Poll::Pending
            }
            other => other,
        }
    }

    fn is_end_stream(&self) -> bool {
        self.broken.is_none() && self.body.is_end_stream()
    }

    fn size_hint(&self) -> SizeHint {
        self.body.size_hint()
    }
}
