//! What a failing part would do at every try, such as a log line, done now and then.

use std::sync::{Mutex, PoisonError};
use std::time::{Duration, Instant};

/// One kind of line. The metrics have every case; the log only says that there are some.
#[derive(Debug)]
pub(crate) struct Seldom {
    every: Duration,
    state: Mutex<State>,
}

#[derive(Debug, Default)]
struct State {
    next: Option<Instant>,
    unsaid: u64,
}

impl Seldom {
    /// At most once in this time.
    pub(crate) fn every(every: Duration) -> Self {
        Self { every, state: Mutex::default() }
    }

    /// Whether it may be done at `now`: the number of those that were not since the last one.
    pub(crate) fn may(&self, now: Instant) -> Option<u64> {
        let mut state = self.state.lock().unwrap_or_else(PoisonError::into_inner);
        if state.next.is_some_and(|next| now < next) {
            state.unsaid += 1;
            return None;
        }
        state.next = Some(now + self.every);
        Some(std::mem::take(&mut state.unsaid))
    }
}

#[cfg(test)]
mod tests {
    use super::Seldom;
    use std::time::Duration;

    #[test]
    fn one_line_speaks_for_those_that_were_not_written() {
        let (seldom, begin) = (Seldom::every(Duration::from_secs(10)), crate::clock::now());
        let at = |seconds| begin + Duration::from_secs(seconds);
        assert_eq!(seldom.may(at(0)), Some(0));
        assert_eq!([1, 2, 9].map(|second| seldom.may(at(second))), [None; 3]);
        assert_eq!(seldom.may(at(10)), Some(3));
    }
}
