//! A shopper's pseudonymous id.

use std::fmt;

/// Longest id in bytes; a UUID or a hash in hexadecimal fits several times.
pub const SHOPPER_MAX: usize = 128;

/// A shopper's id: 1 to [`SHOPPER_MAX`] visible ASCII characters. It has no `Display`, and its `Debug` does not show
/// it, so that it cannot end in a log line by accident.
#[derive(Clone, PartialEq, Eq, Hash)]
pub struct ShopperId(Box<str>);

impl ShopperId {
    /// The id with this text, or none when the text cannot be one.
    pub fn new(text: &str) -> Option<Self> {
        let sound =
            !text.is_empty() && text.len() <= SHOPPER_MAX && text.bytes().all(|b| b.is_ascii_graphic());
        sound.then(|| Self(text.into()))
    }

    /// The id itself: for the store's key and for the home hash, nowhere else.
    pub fn expose(&self) -> &str {
        &self.0
    }
}

impl fmt::Debug for ShopperId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("ShopperId(redacted)")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_id_is_short_and_visible_and_never_shown() {
        let id = ShopperId::new("household-17").unwrap();
        assert_eq!(format!("{id:?}"), "ShopperId(redacted)");
        for bad in ["", " ", "a b", "a\n", "ä", &"x".repeat(SHOPPER_MAX + 1)] {
            assert!(ShopperId::new(bad).is_none());
        }
    }
}
