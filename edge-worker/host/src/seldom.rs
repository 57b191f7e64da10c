//! Log lines that a failing part would write at every try, written now and then.

use std::sync::{Mutex, PoisonError};
use std::time::{Duration, Instant};

/// At most one line in this time.
const EVERY: Duration = Duration::from_secs(10);

/// One kind of line. The metrics have every case; the log only says that there are some.
#[derive(Debug, Default)]
pub(crate) struct Seldom(Mutex<State>);

#[derive(Debug, Default)]
struct State {
    next: Option<Instant>,
    unsaid: u64,
}

impl Seldom {
    /// Whether a line may be written at `now`: the number of those that were not since the last one.
    pub(crate) fn may(&self, now: Instant) -> Option<u64> {
        let mut state = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        if state.next.is_some_and(|next| now < next) {
            state.unsaid += 1;
            return None;
        }
        state.next = Some(now + EVERY);
        Some(std::mem::take(&mut state.unsaid))
    }
}

#[cfg(test)]
mod tests {
    use super::Seldom;
    use std::time::Duration;

    #[test]
    fn one_line_speaks_for_those_that_were_not_written() {
        let (seldom, begin) = (Seldom::default(), crate::clock::now());
        let at = |seconds| begin + Duration::from_secs(seconds);
        assert_eq!(seldom.may(at(0)), Some(0));
        assert_eq!([1, 2, 9].map(|second| seldom.may(at(second))), [None; 3]);
        assert_eq!(seldom.may(at(10)), Some(3));
    }
}
