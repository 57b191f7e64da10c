//! The one place that reads this process's clock.

use std::time::Instant;

/// A moment to measure a duration from.
#[expect(clippy::disallowed_methods, reason = "this module is the process's clock")]
pub(crate) fn now() -> Instant {
    Instant::now()
}
