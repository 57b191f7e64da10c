//! The one place of this crate that reads the process's clocks.

use std::time::Instant;

use domicile_deadline::Moment;

/// A monotonic clock with an origin of its own.
#[derive(Clone, Copy)]
pub(super) struct Clock(Instant);

impl Clock {
    #[expect(clippy::disallowed_methods, reason = "this module is the process's clock")]
    pub(super) fn start() -> Self {
        Self(Instant::now())
    }

    pub(super) fn now(self) -> Moment {
        Moment::from_micros(u64::try_from(self.0.elapsed().as_micros()).unwrap_or(u64::MAX))
    }
}

/// Seconds since 1970.
#[expect(clippy::disallowed_methods, reason = "this module is the process's clock")]
pub(super) fn unix_seconds() -> i64 {
    let since = std::time::SystemTime::now().duration_since(std::time::UNIX_EPOCH);
    since.ok().and_then(|since| i64::try_from(since.as_secs()).ok()).unwrap_or_default()
}
