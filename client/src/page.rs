//! The place on a page that a call is made for.

/// A locale and a slot, as they stand in paths.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Page {
    locale: String,
    slot: String,
}

impl Page {
    /// The slot of a page in a locale; none when a name cannot stand in a path.
    #[must_use]
    pub fn new(locale: &str, slot: &str) -> Option<Self> {
        (is_segment(locale) && is_segment(slot))
            .then(|| Self { locale: locale.to_owned(), slot: slot.to_owned() })
    }

    /// The locale.
    #[must_use]
    pub fn locale(&self) -> &str {
        &self.locale
    }

    /// The slot.
    #[must_use]
    pub fn slot(&self) -> &str {
        &self.slot
    }
}

/// Whether a text can stand between two slashes as it is: nothing to encode, no dot segment.
pub(crate) fn is_segment(text: &str) -> bool {
    let sound = |b: u8| b.is_ascii_alphanumeric() || b"-_.~".contains(&b);
    !text.is_empty() && text.len() <= 256 && text.bytes().all(sound) && !text.bytes().all(|b| b == b'.')
}

#[cfg(test)]
mod tests {
    use super::Page;

    #[test]
    fn a_page_s_names_cannot_leave_their_segment() {
        assert!(Page::new("de-DE", "home").is_some());
        for bad in ["", ".", "..", "a/b", "a?b", "a#b", "a%2fb", "ä", "a b"] {
            assert!(Page::new(bad, "home").is_none() && Page::new("de-DE", bad).is_none(), "{bad}");
        }
    }
}
