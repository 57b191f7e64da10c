//! The process's clocks.

use std::time::Instant;

/// The monotonic time now.
#[expect(clippy::disallowed_methods, reason = "the one place where this process reads its monotonic clock")]
pub(crate) fn now() -> Instant {
    Instant::now()
}

/// Seconds since 1970: for how long lists and pins still hold.
#[expect(clippy::disallowed_methods, reason = "the one place where this process reads the calendar's clock")]
pub(crate) fn unix_seconds() -> i64 {
    let since = std::time::SystemTime::now().duration_since(std::time::UNIX_EPOCH).unwrap_or_default();
    i64::try_from(since.as_secs()).unwrap_or(i64::MAX)
}
