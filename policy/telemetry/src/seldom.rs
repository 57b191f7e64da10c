//! What a failing part would do at every try, such as a log line, done now and then.

use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;

/// One kind of line. The metrics have every case; the log only says that there are some.
#[derive(Debug)]
pub struct Seldom {
    every: Duration,
    /// From when on the next may be done, in microseconds of the caller's clock.
    next_us: AtomicU64,
    unsaid: AtomicU64,
}

impl Seldom {
    /// At most once in this time.
    #[must_use]
    pub const fn every(every: Duration) -> Self {
        Self { every, next_us: AtomicU64::new(0), unsaid: AtomicU64::new(0) }
    }

    /// Whether it may be done at `now`, since any beginning that stays the same: the number of those that were not since
    /// the last one.
    pub fn may(&self, now: Duration) -> Option<u64> {
        let (now_us, next) = (micros(now), self.next_us.load(Ordering::Relaxed));
        let then = now_us.saturating_add(micros(self.every));
        let taken = now_us >= next
            && self.next_us.compare_exchange(next, then, Ordering::Relaxed, Ordering::Relaxed).is_ok();
        if taken {
            Some(self.unsaid.swap(0, Ordering::Relaxed))
        } else {
            self.unsaid.fetch_add(1, Ordering::Relaxed);
            None
        }
    }
}

fn micros(duration: Duration) -> u64 {
    u64::try_from(duration.as_micros()).unwrap_or(u64::MAX)
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use super::Seldom;

    #[test]
    fn one_line_speaks_for_those_that_were_not_written() {
        let seldom = Seldom::every(Duration::from_secs(10));
        let at = |seconds| seldom.may(Duration::from_micros(5) + Duration::from_secs(seconds));
        assert_eq!(at(0), Some(0));
        assert_eq!([1, 2, 9].map(at), [None; 3]);
        assert_eq!(at(10), Some(3));
    }
}
