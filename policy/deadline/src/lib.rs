//! The one deadline type: a point in time that can only come nearer.
//!
//! A budget that every stage re-derives for itself grows: each layer adds its own slack and the sum no longer
//! fits what the caller was promised. So there is one value, made once from the caller's budget, handed down by
//! copy, and its only mutator is [`Deadline::at_most`], which cannot lengthen it. Time is an argument
//! ([`Moment`]), never read here, so the same code runs under virtual time.

use std::time::Duration;

/// A moment of a monotonic clock, in microseconds since an origin that only its process knows.
///
/// Moments of two processes cannot be compared; what travels between processes is the *remaining* time
/// ([`Deadline::remaining_millis`]), never a moment.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Moment(u64);

impl Moment {
    /// The moment `micros` microseconds after the clock's origin.
    pub const fn from_micros(micros: u64) -> Self {
        Self(micros)
    }

    /// Microseconds since the clock's origin.
    pub const fn as_micros(self) -> u64 {
        self.0
    }

    /// The moment `duration` later, saturating at the end of time.
    #[must_use]
    pub fn plus(self, duration: Duration) -> Self {
        Self(self.0.saturating_add(micros(duration)))
    }

    /// How long after `earlier` this moment is; zero when it is not after it.
    #[must_use]
    pub fn since(self, earlier: Self) -> Duration {
        Duration::from_micros(self.0.saturating_sub(earlier.0))
    }
}

/// The moment by which an answer must be on its way. It can be shortened, never lengthened.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Deadline(Moment);

impl Deadline {
    /// A deadline `budget` from `now`: the only way to make one.
    #[must_use]
    pub fn after(now: Moment, budget: Duration) -> Self {
        Self(now.plus(budget))
    }

    /// The same deadline, or `limit` from `now` when that comes first. Never later than `self`.
    #[must_use]
    pub fn at_most(self, now: Moment, limit: Duration) -> Self {
        Self(self.0.min(now.plus(limit)))
    }

    /// What is left at `now`; zero once the deadline has passed.
    #[must_use]
    pub fn remaining(self, now: Moment) -> Duration {
        self.0.since(now)
    }

    /// Whether nothing is left at `now`. Work whose deadline has passed must not start.
    #[must_use]
    pub fn passed(self, now: Moment) -> bool {
        self.remaining(now).is_zero()
    }

    /// What is left at `now` in whole milliseconds, rounded down: the form that travels to another process.
    /// Rounding down means that a hop can lose up to a millisecond and never gains one.
    #[must_use]
    pub fn remaining_millis(self, now: Moment) -> u32 {
        u32::try_from(self.remaining(now).as_millis()).unwrap_or(u32::MAX)
    }
}

fn micros(duration: Duration) -> u64 {
    u64::try_from(duration.as_micros()).unwrap_or(u64::MAX)
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn remaining_counts_down_to_zero_and_stays_there() {
        let start = Moment::from_micros(1_000);
        let deadline = Deadline::after(start, Duration::from_millis(120));
        assert_eq!(deadline.remaining(start), Duration::from_millis(120));
        assert_eq!(deadline.remaining(start.plus(Duration::from_millis(100))), Duration::from_millis(20));
        assert!(deadline.passed(start.plus(Duration::from_millis(120))));
        assert_eq!(deadline.remaining(start.plus(Duration::from_secs(9))), Duration::ZERO);
    }

    #[test]
    fn what_travels_is_rounded_down() {
        let start = Moment::from_micros(0);
        let deadline = Deadline::after(start, Duration::from_micros(1_999));
        assert_eq!(deadline.remaining_millis(start), 1);
    }

    proptest! {
        #[test]
        fn no_sequence_of_limits_lengthens_a_deadline(
            start in 0u64..1 << 40,
            budget in 0u64..1 << 30,
            steps in prop::collection::vec((0u64..1 << 30, 0u64..1 << 30), 0..20),
        ) {
            let mut now = Moment::from_micros(start);
            let mut deadline = Deadline::after(now, Duration::from_micros(budget));
            for (elapsed, limit) in steps {
                let before = deadline;
                now = now.plus(Duration::from_micros(elapsed));
                deadline = deadline.at_most(now, Duration::from_micros(limit));
                prop_assert!(deadline <= before);
                prop_assert!(deadline.remaining(now) <= Duration::from_micros(limit));
            }
        }

        #[test]
        fn a_hop_never_gains_time(budget in 0u64..1 << 40, elapsed in 0u64..1 << 40) {
            let start = Moment::from_micros(0);
            let now = start.plus(Duration::from_micros(elapsed));
            let deadline = Deadline::after(start, Duration::from_micros(budget));
            let there = Deadline::after(now, Duration::from_millis(deadline.remaining_millis(now).into()));
            prop_assert!(there <= deadline || deadline.passed(now));
        }
    }
}
