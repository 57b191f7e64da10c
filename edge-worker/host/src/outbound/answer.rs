//! A cell's answer on its way through: watched for pauses, without trailers.

use std::pin::Pin;
use std::sync::Arc;
use std::task::{Context, Poll, ready};
use std::time::Duration;

use bytes::Bytes;
use http_body::{Body, Frame, SizeHint};
use hyper::body::Incoming;
use tokio::time::{Instant, Sleep, sleep};

use super::pool::{Connection, Pool};
use crate::guest::BodyError;

/// The body of a cell's answer. It ends in an error when the cell pauses for longer than agreed, and gives its
/// connection back when it is over or no longer wanted.
pub(crate) struct Answer {
    body: Incoming,
    limit: Duration,
    pause: Pin<Box<Sleep>>,
    lent: Option<(Arc<Pool>, Connection)>,
}

impl Answer {
    pub(super) fn new(body: Incoming, limit: Duration, pool: Arc<Pool>, connection: Connection) -> Self {
        Self { body, limit, pause: Box::pin(sleep(limit)), lent: Some((pool, connection)) }
    }

    fn broke(&mut self) {
        self.lent = None;
    }
}

impl Body for Answer {
    type Data = Bytes;
    type Error = BodyError;

    fn poll_frame(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
    ) -> Poll<Option<Result<Frame<Bytes>, BodyError>>> {
        loop {
            match Pin::new(&mut self.body).poll_frame(context) {
                // Trailers would be a way around the fixed header lists.
                Poll::Ready(Some(Ok(frame))) if frame.is_trailers() => {}
                Poll::Ready(Some(Ok(frame))) => {
                    let next = Instant::now() + self.limit;
                    self.pause.as_mut().reset(next);
                    return Poll::Ready(Some(Ok(frame)));
                }
                Poll::Ready(Some(Err(_error))) => {
                    self.broke();
                    return Poll::Ready(Some(Err(BodyError::HttpResponseIncomplete)));
                }
                Poll::Ready(None) => return Poll::Ready(None),
                Poll::Pending => {
                    ready!(self.pause.as_mut().poll(context));
                    self.broke();
                    return Poll::Ready(Some(Err(BodyError::ConnectionReadTimeout)));
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

impl Drop for Answer {
    fn drop(&mut self) {
        if let Some((pool, connection)) = self.lent.take() {
            pool.keep(connection);
        }
    }
}
