//! How long something takes: a running mean and a running 95th percentile.

use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;

/// How far one observation moves the estimate, as parts of it: 1/32 up, and 1/19 of that down, which balance where
/// 19 of 20 observations lie below.
const UP: u64 = 32;
const DOWN: u64 = UP * 19;
/// One observation's share of the mean.
const MEAN: u64 = 16;

/// Two running numbers: the mean by exponential smoothing, for what a queue takes together, and the 95th percentile
/// by stochastic approximation (Robbins & Monro, 1951), for one run: an observation above it moves it up by a step,
/// one below it down by a nineteenth of the step. Both follow a change within some dozens of observations and take
/// no lock.
#[derive(Debug, Default)]
pub struct Estimate {
    /// The 95th percentile in nanoseconds; 0 before the first observation.
    upper: AtomicU64,
    /// The mean in nanoseconds; 0 before the first observation.
    mean: AtomicU64,
}

impl Estimate {
    /// Takes in one observation. The first one is taken as it is, doubled: too careful is the safe side.
    pub fn observe(&self, took: Duration) {
        let took = u64::try_from(took.as_nanos()).unwrap_or(u64::MAX).max(1);
        let step = |old: u64| match old {
            0 => Some(took.saturating_mul(2)),
            old if took > old => Some(old.saturating_add((old / UP).max(1))),
            old => Some(down(old)),
        };
        // The closures always give a value, so there is nothing to be refused.
        let _ = self.upper.fetch_update(Ordering::Relaxed, Ordering::Relaxed, step);
        let smooth = |old: u64| Some(if old == 0 { took } else { old - old / MEAN + took / MEAN });
        let _ = self.mean.fetch_update(Ordering::Relaxed, Ordering::Relaxed, smooth);
    }

    /// Lets the 95th percentile sink as an observation below it would. What is not tried is not observed: without
    /// this a model that was slow once would never be tried again.
    pub fn fade(&self) {
        let sink = |old: u64| (old > 0).then(|| down(old));
        // Before the first observation there is nothing to sink.
        let _ = self.upper.fetch_update(Ordering::Relaxed, Ordering::Relaxed, sink);
    }

    /// The 95th percentile.
    pub fn upper(&self) -> Duration {
        Duration::from_nanos(self.upper.load(Ordering::Relaxed))
    }

    /// The mean.
    pub fn mean(&self) -> Duration {
        Duration::from_nanos(self.mean.load(Ordering::Relaxed))
    }
}

/// A step down, never to 0.
fn down(old: u64) -> u64 {
    old - (old / DOWN).max(1).min(old - 1)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn it_settles_near_the_95th_percentile_and_follows_a_change() {
        let estimate = Estimate::default();
        // 1 to 100 ms in a scrambled order, 37 being coprime to 100.
        let spread =
            |scale: u64| (0..4_000u64).map(move |n| Duration::from_micros((n * 37 % 100 + 1) * 10 * scale));
        spread(100).for_each(|took| estimate.observe(took));
        let settled = estimate.upper().as_millis();
        assert!((85..=105).contains(&settled), "{settled} ms");
        let mean = estimate.mean().as_millis();
        assert!((40..=60).contains(&mean), "{mean} ms");
        spread(300).for_each(|took| estimate.observe(took));
        let followed = estimate.upper().as_millis();
        assert!((255..=315).contains(&followed), "{followed} ms");
    }
}
