//! An answer on its way out: with a deadline, and a seat among the requests in flight until its last byte.

use std::pin::Pin;
use std::task::{Context, Poll};

use bytes::Bytes;
use http_body::{Frame, SizeHint};
use http_body_util::{BodyExt, Empty};
use tokio::sync::OwnedSemaphorePermit;
use tokio::time::{Instant, Sleep, sleep_until};

use crate::guest::{Body, BodyError};

/// A body that breaks off at its deadline: the caller sees an aborted answer, never a short one that looks whole. The
/// host's own refusals are in memory and have none, or the one for a missed deadline could not be sent.
pub(crate) struct Reply {
    body: Body,
    deadline: Option<Pin<Box<Sleep>>>,
    _seat: Option<OwnedSemaphorePermit>,
}

impl Reply {
    pub(crate) fn new(body: Body, deadline: Option<Instant>, seat: Option<OwnedSemaphorePermit>) -> Self {
        Self { body, deadline: deadline.map(|deadline| Box::pin(sleep_until(deadline))), _seat: seat }
    }
}

impl http_body::Body for Reply {
    type Data = Bytes;
    type Error = BodyError;

    fn poll_frame(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
    ) -> Poll<Option<Result<Frame<Bytes>, BodyError>>> {
        if self.deadline.as_mut().is_some_and(|deadline| deadline.as_mut().poll(context).is_ready()) {
            return Poll::Ready(Some(Err(BodyError::HttpResponseTimeout)));
        }
        Pin::new(&mut self.body).poll_frame(context)
    }

    fn is_end_stream(&self) -> bool {
        self.body.is_end_stream()
    }

    fn size_hint(&self) -> SizeHint {
        self.body.size_hint()
    }
}

/// No body.
pub(crate) fn empty() -> Body {
    Empty::new().map_err(|never| match never {}).boxed_unsync()
}
