//! Progress on standard error, with the time that is left.

use std::io::Write as _;
use std::time::Duration;

use domicile_deadline::Moment;

use crate::clock::Clock;

/// How often a line is written.
const EVERY: Duration = Duration::from_secs(1);
/// The clock is looked at once in so many steps.
const STRIDE: u32 = 4_096;

/// The progress of one part of the work.
pub(super) struct Progress {
    what: &'static str,
    total: u64,
    clock: Clock,
    begun: Moment,
    told: Moment,
    steps: u32,
}

impl Progress {
    /// Progress towards `total` of `what`.
    pub(super) fn new(what: &'static str, total: u64, clock: Clock) -> Self {
        let now = clock.now();
        Self { what, total, clock, begun: now, told: now, steps: 0 }
    }

    /// Notes that `done` of the total is done.
    pub(super) fn at(&mut self, done: u64) {
        self.steps = self.steps.wrapping_add(1);
        if !self.steps.is_multiple_of(STRIDE) {
            return;
        }
        let now = self.clock.now();
        if now.since(self.told) >= EVERY {
            self.told = now;
            let (share, left) = estimate(done, self.total, now.since(self.begun));
            // Progress that cannot be shown is no reason to stop.
            let _ = writeln!(std::io::stderr(), "{}: {share} %, {} s left", self.what, left.as_secs());
        }
    }
}

/// Percent done, and the time left at the pace so far.
fn estimate(done: u64, total: u64, elapsed: Duration) -> (u64, Duration) {
    let share = done as f64 / total.max(1) as f64;
    let left = if share > 0.0 { elapsed.mul_f64((1.0 / share - 1.0).max(0.0)) } else { Duration::ZERO };
    ((share * 100.0) as u64, left)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_left_is_told_at_the_pace_so_far() {
        assert_eq!(estimate(25, 100, Duration::from_secs(1)), (25, Duration::from_secs(3)));
        assert_eq!(estimate(0, 0, Duration::from_secs(1)), (0, Duration::ZERO));
    }
}
