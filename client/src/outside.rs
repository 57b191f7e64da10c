//! What a client needs of the world.

use std::pin::pin;
use std::task::Poll;
use std::time::Duration;

use bytes::Bytes;
use domicile_deadline::{Deadline, Moment};
use http::{Request, Response};

/// Why there was no whole answer. Nothing is known then of what became of the request.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub enum Lost {
    /// Nobody could be reached, or the request is none that can be sent.
    #[error("nobody answers")]
    Unreachable,
    /// The answer broke off.
    #[error("the answer broke off")]
    BrokeOff,
    /// The answer is longer than any that is meant.
    #[error("the answer is too long")]
    TooLong,
}

/// Network, clocks and randomness.
pub trait Outside: Send + Sync {
    /// Sends one request and reads the whole answer. It never retries and adds nothing that tells one shopper from
    /// another: no cookie, no user agent.
    fn send(&self, request: Request<Bytes>) -> impl Future<Output = Result<Response<Bytes>, Lost>> + Send;

    /// A monotonic clock.
    fn now(&self) -> Moment;

    /// Is ready once this much of the monotonic clock's time is over.
    fn sleep(&self, time: Duration) -> impl Future<Output = ()> + Send;

    /// The wall clock, in seconds since 1970. It may be off.
    fn unix_seconds(&self) -> i64;

    /// A number that nobody can foresee, for jitter and fractions.
    fn random(&self) -> u64;
}

/// The work's output, or none when the deadline comes first.
pub(crate) async fn within<T>(
    outside: &impl Outside,
    deadline: Deadline,
    work: impl Future<Output = T>,
) -> Option<T> {
    let mut over = pin!(outside.sleep(deadline.remaining(outside.now())));
    let mut work = pin!(work);
    std::future::poll_fn(|context| match work.as_mut().poll(context) {
        Poll::Ready(output) => Poll::Ready(Some(output)),
        Poll::Pending => over.as_mut().poll(context).map(|()| None),
    })
    .await
}
