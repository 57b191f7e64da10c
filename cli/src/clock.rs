//! The one place that reads this process's clocks.

use std::time::Instant;

/// Whole minutes since the Unix epoch: the only wall-clock time that pins know.
#[expect(clippy::disallowed_methods, reason = "this module is the process's clock")]
pub(crate) fn minute() -> u32 {
    let seconds =
        std::time::SystemTime::now().duration_since(std::time::UNIX_EPOCH).map_or(0, |d| d.as_secs());
    u32::try_from(seconds / 60).unwrap_or(u32::MAX)
}

/// A moment to measure a duration from.
#[expect(clippy::disallowed_methods, reason = "this module is the process's clock")]
pub(crate) fn now() -> Instant {
    Instant::now()
}

/// Whole seconds since the Unix epoch.
#[expect(clippy::disallowed_methods, reason = "this module is the process's clock")]
pub(crate) fn seconds() -> i64 {
    let since = std::time::SystemTime::now().duration_since(std::time::UNIX_EPOCH);
    since.map_or(0, |since| i64::try_from(since.as_secs()).unwrap_or(i64::MAX))
}
