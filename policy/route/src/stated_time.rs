//! Times as documents state them: RFC 3339.

use jiff::Timestamp;

/// Seconds since 1970 of a stated time.
pub(crate) fn seconds(text: &str) -> Option<i64> {
    text.parse::<Timestamp>().ok().map(Timestamp::as_second)
}

/// A time as it is stated.
pub(crate) fn text(seconds: i64) -> String {
    Timestamp::from_second(seconds).unwrap_or_default().to_string()
}
