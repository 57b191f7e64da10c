//! What the commands say: plain lines on standard error, results on standard output.

use std::io::Write as _;
use std::time::{Duration, Instant};

/// Says what is about to happen, or happened.
pub fn say(text: impl AsRef<str>) {
    let _ = writeln!(std::io::stderr(), "{}", text.as_ref());
}

/// Prints a result.
pub fn print(text: impl AsRef<str>) {
    let _ = writeln!(std::io::stdout(), "{}", text.as_ref());
}

/// A running clock.
#[expect(clippy::disallowed_methods, reason = "this module is the process's clock")]
pub fn now() -> Instant {
    Instant::now()
}

/// Seconds with one digit.
pub fn seconds(duration: Duration) -> String {
    format!("{:.1} s", duration.as_secs_f64())
}

/// The wall clock, in seconds since the Unix epoch.
#[expect(clippy::disallowed_methods, reason = "this module is the process's clock")]
pub fn unix_seconds() -> u64 {
    std::time::SystemTime::now().duration_since(std::time::UNIX_EPOCH).map_or(0, |d| d.as_secs())
}
