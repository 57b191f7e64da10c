//! A body on its way: with a clock, without trailers, and with something that it holds until its last byte.
//!
//! Answers to shoppers and answers of cells need the same three things, and so does every body of a connection.

use std::pin::Pin;
use std::task::{Context, Poll, ready};
use std::time::Duration;

use http_body::{Body, Frame, SizeHint};
use http_body_util::{BodyExt, Empty, Full};
use tokio::time::{Instant, Sleep, sleep, sleep_until};

/// What a body may hold: dropped with it.
pub(crate) trait Held: Unpin {
    /// The body broke off: what is held may be of no more use.
    fn spoil(&mut self) {}
}

/// A body that breaks off when its clock is over: whoever reads it sees an aborted body, never a short one that looks
/// whole. Trailers are dropped, since they would be a way around the fixed lists of headers.
pub(crate) struct Watched<B: Body, H> {
    body: B,
    clock: Option<Clock<B::Error>>,
    held: H,
}

/// When a body breaks off, and with which error.
struct Clock<E> {
    sleep: Pin<Box<Sleep>>,
    /// How long it may pause; without one, `sleep` is the deadline of the whole.
    pause: Option<Duration>,
    late: fn() -> E,
}

impl<B: Body, H> Watched<B, H> {
    /// Without a clock.
    pub(crate) fn holding(body: B, held: H) -> Self {
        Self { body, clock: None, held }
    }

    /// Over at a deadline.
    pub(crate) fn until(body: B, held: H, deadline: Instant, late: fn() -> B::Error) -> Self {
        let clock = Clock { sleep: Box::pin(sleep_until(deadline)), pause: None, late };
        Self { body, clock: Some(clock), held }
    }

    /// Over when it pauses for longer than `limit`.
    pub(crate) fn without_pause(body: B, held: H, limit: Duration, late: fn() -> B::Error) -> Self {
        let clock = Clock { sleep: Box::pin(sleep(limit)), pause: Some(limit), late };
        Self { body, clock: Some(clock), held }
    }
}

impl<E> Clock<E> {
    /// The deadline is looked at before the body, which may always have one more byte ready.
    fn is_past(&mut self, context: &mut Context<'_>) -> bool {
        self.pause.is_none() && self.sleep.as_mut().poll(context).is_ready()
    }

    fn moved(&mut self) {
        if let Some(pause) = self.pause {
            self.sleep.as_mut().reset(Instant::now() + pause);
        }
    }
}

impl<B: Body + Unpin, H: Held> Body for Watched<B, H> {
    type Data = B::Data;
    type Error = B::Error;

    fn poll_frame(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
    ) -> Poll<Option<Result<Frame<B::Data>, B::Error>>> {
        let Self { body, clock, held } = &mut *self;
        if let Some(clock) = clock.as_mut()
            && clock.is_past(context)
        {
            held.spoil();
            return Poll::Ready(Some(Err((clock.late)())));
        }
        loop {
            match Pin::new(&mut *body).poll_frame(context) {
                Poll::Ready(Some(Ok(frame))) if frame.is_trailers() => {}
                Poll::Ready(Some(Ok(frame))) => {
                    if let Some(clock) = clock {
                        clock.moved();
                    }
                    return Poll::Ready(Some(Ok(frame)));
                }
                Poll::Ready(Some(Err(error))) => {
                    held.spoil();
                    return Poll::Ready(Some(Err(error)));
                }
                Poll::Ready(None) => return Poll::Ready(None),
                Poll::Pending => {
                    let Some(clock) = clock else { return Poll::Pending };
                    ready!(clock.sleep.as_mut().poll(context));
                    held.spoil();
                    return Poll::Ready(Some(Err((clock.late)())));
                }
            }
        }
    }

    fn is_end_stream(&self) -> bool {
        self.body.is_end_stream()
    }

    fn size_hint(&self) -> SizeHint {
        self.body.size_hint()
    }
}

/// A body in memory.
pub(crate) fn full(bytes: bytes::Bytes) -> crate::guest::Body {
    Full::new(bytes).map_err(|never| match never {}).boxed_unsync()
}

/// No body.
pub(crate) fn empty() -> crate::guest::Body {
    Empty::new().map_err(|never| match never {}).boxed_unsync()
}
