//! Who failed a moment ago, and for how long nobody asks again.
//!
//! A cell that fails is left alone for a time that doubles with each failure. The time is jittered over its upper half
//! (Brooker, "Exponential Backoff and Jitter", 2015, "equal jitter"): pages that failed together do not come back
//! together, and none comes back at once.

use std::time::Duration;

use domicile_deadline::Moment;

/// The first failure's time.
const FIRST: Duration = Duration::from_secs(1);
/// The longest time.
const MOST: Duration = Duration::from_secs(60);

/// One cell's failures in a row.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Backoff {
    failures: u32,
    until: Moment,
}

impl Backoff {
    /// After one more failure at `now`; `random` decides the jitter.
    pub(crate) fn after(before: Option<Self>, now: Moment, random: u64) -> Self {
        let failures = before.map_or(0, |before| before.failures).saturating_add(1);
        Self { failures, until: now.plus(wait(failures, random)) }
    }

    /// Whether the cell is left alone at `now`.
    pub(crate) fn holds(self, now: Moment) -> bool {
        now < self.until
    }
}

fn wait(failures: u32, random: u64) -> Duration {
    let doubled = 1u32.checked_shl(failures.saturating_sub(1)).unwrap_or(u32::MAX);
    let half = FIRST.saturating_mul(doubled).min(MOST) / 2;
    let micros = u64::try_from(half.as_micros()).unwrap_or(u64::MAX);
    half + Duration::from_micros(random % micros.saturating_add(1))
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn the_time_doubles_up_to_its_most() {
        let least = [1, 2, 3, 6, 7, 8, 40].map(|failures| wait(failures, 0).as_millis());
        assert_eq!(least, [500, 1_000, 2_000, 16_000, 30_000, 30_000, 30_000]);
        let start = Moment::from_micros(0);
        let first = Backoff::after(None, start, 0);
        assert!(first.holds(Moment::from_micros(499_999)) && !first.holds(Moment::from_micros(500_000)));
        let second = Backoff::after(Some(first), start, 0);
        assert!(second.holds(Moment::from_micros(999_999)));
    }

    proptest! {
        #[test]
        fn jitter_stays_within_the_upper_half(failures in 1u32..100, random in any::<u64>()) {
            let (least, found) = (wait(failures, 0), wait(failures, random));
            prop_assert!(found >= least && found <= least * 2 && found <= MOST);
        }
    }
}
