//! The process's one clock.

use std::time::Instant;

/// The monotonic time now.
#[expect(clippy::disallowed_methods, reason = "the one place where this process reads its monotonic clock")]
pub(crate) fn now() -> Instant {
    Instant::now()
}
