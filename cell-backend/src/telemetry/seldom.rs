//! Log lines that a failing part would write at every request, written now and then.

use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;

use domicile_deadline::Moment;

/// At most one line in this time.
const EVERY: Duration = Duration::from_secs(30);

/// One kind of line. The metrics have every case; the log only says that there are some.
#[derive(Debug, Default)]
pub struct Seldom {
    /// From when on the next line may be written, in microseconds of the clock.
    next_us: AtomicU64,
    unsaid: AtomicU64,
}

impl Seldom {
    /// Whether a line may be written at `now`: the number of those that were not since the last one.
    pub fn may(&self, now: Moment) -> Option<u64> {
        let (now_us, next) = (now.as_micros(), self.next_us.load(Ordering::Relaxed));
        let then = now.plus(EVERY).as_micros();
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn one_line_speaks_for_those_that_were_not_written() {
        let (seldom, begin) = (Seldom::default(), Moment::from_micros(5));
        let at = |seconds| begin.plus(Duration::from_secs(seconds));
        assert_eq!(seldom.may(at(0)), Some(0));
        assert_eq!([1, 2, 29].map(|s| seldom.may(at(s))), [None; 3]);
        assert_eq!(seldom.may(at(30)), Some(3));
    }
}
