//! A shopper's token on its way: text that nobody has verified.

use std::fmt;

/// Longest token in bytes: a sealed request holds 4 KiB with everything.
const BEARER_MAX: usize = 2_048;

/// A bearer token (RFC 6750, section 2.1). Its `Debug` shows nothing of it.
#[derive(Clone, PartialEq, Eq)]
pub struct Bearer(String);

impl Bearer {
    /// The token with this text, or none when the text cannot be one.
    pub fn new(text: &str) -> Option<Self> {
        let sound = |b: u8| b.is_ascii_alphanumeric() || b"-._~+/=".contains(&b);
        let fits = !text.is_empty() && text.len() <= BEARER_MAX && text.bytes().all(sound);
        fits.then(|| Self(text.to_owned()))
    }

    /// The token in an `authorization` header: `Bearer`, one space, the token (the scheme in any case).
    pub(crate) fn of_header(value: &str) -> Option<Self> {
        let (scheme, token) = value.split_once(' ')?;
        scheme.eq_ignore_ascii_case("bearer").then(|| Self::new(token))?
    }

    /// The text: for verifying it and for sending it, nowhere else.
    pub fn expose(&self) -> &str {
        &self.0
    }
}

impl fmt::Debug for Bearer {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Bearer(redacted)")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_header_holds_one_token_and_debug_shows_none() {
        let token = Bearer::of_header("bearer aa.bb-_.cc").unwrap();
        assert_eq!((token.expose(), format!("{token:?}").as_str()), ("aa.bb-_.cc", "Bearer(redacted)"));
        let long = format!("Bearer {}", "a".repeat(BEARER_MAX + 1));
        for bad in ["aa", "Basic aa", "Bearer", "Bearer ", "Bearer  aa", "Bearer a b", "Bearer a,b", &long] {
            assert!(Bearer::of_header(bad).is_none(), "{bad}");
        }
    }
}
