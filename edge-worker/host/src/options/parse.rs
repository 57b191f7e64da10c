//! Numbers within bounds, for flags.

use std::time::Duration;

pub(super) fn millis(duration: Duration) -> u64 {
    u64::try_from(duration.as_millis()).unwrap_or(u64::MAX)
}

/// A count: a semaphore's most is the limit.
pub(super) fn at_least_one(text: &str) -> Result<usize, String> {
    bounded(text, 1, 1 << 20)
}

pub(super) fn at_least_8k(text: &str) -> Result<usize, String> {
    bounded(text, 8192, 1 << 20)
}

pub(super) fn memory_mib(text: &str) -> Result<usize, String> {
    bounded(text, 1, 4096)
}

fn bounded(text: &str, least: usize, most: usize) -> Result<usize, String> {
    match text.parse() {
        Ok(number) if (least..=most).contains(&number) => Ok(number),
        Ok(_) => Err(format!("not within {least} and {most}")),
        Err(_) => Err("not a whole number".to_owned()),
    }
}
