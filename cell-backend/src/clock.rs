//! The process's one clock. Everything else takes the time as an argument.

use std::time::{Duration, Instant, SystemTime, UNIX_EPOCH};

use domicile_deadline::Moment;

/// A monotonic clock with its origin, and the wall clock beside it.
#[derive(Clone, Copy, Debug)]
pub struct Clock {
    origin: Instant,
}

impl Clock {
    /// A clock whose origin is now.
    #[expect(clippy::disallowed_methods, reason = "this is the clock")]
    pub fn start() -> Self {
        Self { origin: Instant::now() }
    }

    /// The present moment of the monotonic clock.
    pub fn now(&self) -> Moment {
        Moment::from_micros(u64::try_from(self.origin.elapsed().as_micros()).unwrap_or(u64::MAX))
    }

    /// How long the process has been running, by the monotonic clock.
    pub fn running(&self) -> Duration {
        self.origin.elapsed()
    }

    /// Whole seconds since the Unix epoch; 0 when the machine's clock stands before it.
    #[expect(clippy::disallowed_methods, reason = "this is the clock")]
    pub fn unix_seconds(&self) -> i64 {
        let since = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
        i64::try_from(since.as_secs()).unwrap_or(i64::MAX)
    }

    /// Whole minutes since the Unix epoch: what epochs of pins are counted in.
    pub fn unix_minutes(&self) -> u32 {
        u32::try_from(self.unix_seconds() / 60).unwrap_or_default()
    }
}
