//! What a connection is doing, for when its place is wanted.

use std::sync::Mutex;
use std::sync::PoisonError;
use std::time::Duration;

/// Whether a request is under way on a connection, and since when none is. Half a head is no request: whoever sends
/// one has asked nothing yet.
#[derive(Debug)]
pub(super) struct Usage(Mutex<(State, Past)>);

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
        Self(Mutex::new((State::Unused(now), Past::Nothing)))
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

    /// Whether nothing was asked for so long.
    pub(super) fn is_unused(&self, now: Duration, long: Duration) -> bool {
        matches!(self.get().0, State::Unused(since) if now.saturating_sub(since) >= long)
    }

    fn get(&self) -> (State, Past) {
        *self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn set(&self, state: State) {
        *self.0.lock().unwrap_or_else(PoisonError::into_inner) = (state, Past::SomeRequest);
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
    }
}
