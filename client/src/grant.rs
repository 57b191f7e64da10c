//! What the identity service gives a shopper's page.

use base64::Engine as _;
use base64::engine::general_purpose::URL_SAFE_NO_PAD as BASE64URL;
use std::fmt;

use domicile_wire::Bearer;
use serde::Deserialize;

use crate::page::is_segment;

/// Why a text is no grant. Nothing of it is quoted: it holds a token.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub enum GrantError {
    /// Not the JSON of one.
    #[error("not the JSON of a grant: token, pin, class, home, not_after")]
    Form,
    /// A part cannot be what it is meant to be.
    #[error("the grant's {0} is not of its form")]
    Part(&'static str),
}

/// A shopper's token and what it is good for. Held in memory only, and dropped at logout. Its `Debug` shows the class.
#[derive(Clone)]
pub struct Grant {
    pub(crate) token: Bearer,
    pub(crate) pin: String,
    pub(crate) class: String,
    /// The class that the token states, if that can be read: unverified, which is a cell's to do.
    pub(crate) claimed: Option<String>,
    pub(crate) home: String,
    pub(crate) not_after_s: i64,
}

#[derive(Deserialize)]
struct Claims {
    class: String,
}

/// The class in a token's payload (RFC 7519, section 7.2).
fn claimed(token: &str) -> Option<String> {
    let payload = BASE64URL.decode(token.split('.').nth(1)?).ok()?;
    serde_json::from_slice(&payload).ok().map(|claims: Claims| claims.class)
}

#[derive(Deserialize)]
struct Form {
    token: String,
    pin: String,
    class: String,
    home: String,
    not_after: i64,
}

impl Grant {
    /// Reads an identity service's answer, `{token, pin, class, home, not_after}`, the last in seconds since 1970.
    ///
    /// # Errors
    /// [`GrantError`].
    pub fn from_json(text: &[u8]) -> Result<Self, GrantError> {
        let form: Form = serde_json::from_slice(text).map_err(|_error| GrantError::Form)?;
        let segment = |text: String, name| is_segment(&text).then_some(text).ok_or(GrantError::Part(name));
        Ok(Self {
            claimed: claimed(&form.token),
            token: Bearer::new(&form.token).ok_or(GrantError::Part("token"))?,
            pin: segment(form.pin, "pin")?,
            class: segment(form.class, "class")?,
            home: segment(form.home, "home")?,
            not_after_s: form.not_after,
        })
    }

    /// The shopper's residency class.
    #[must_use]
    pub fn class(&self) -> &str {
        &self.class
    }

    /// The home cell.
    #[must_use]
    pub fn home(&self) -> &str {
        &self.home
    }

    /// When it ends, in seconds since 1970.
    #[must_use]
    pub const fn not_after_s(&self) -> i64 {
        self.not_after_s
    }
}

impl fmt::Debug for Grant {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Grant({}, redacted)", self.class)
    }
}

#[cfg(test)]
mod tests {
    use super::{Grant, GrantError};

    const WHOLE: &str = r#"{"token":"aa.bb.cc","pin":"AQ","class":"eu_only","home":"eu-a","not_after":1800000000,"anonymous":true}"#;

    #[test]
    fn a_grant_is_read_and_its_debug_shows_no_token() {
        let grant = Grant::from_json(WHOLE.as_bytes()).unwrap();
        assert_eq!((grant.class(), grant.home(), grant.not_after_s()), ("eu_only", "eu-a", 1_800_000_000));
        assert_eq!(format!("{grant:?}"), "Grant(eu_only, redacted)");
    }

    #[test]
    fn each_fault_is_named_and_nothing_is_quoted() {
        let refusal =
            |from: &str, to: &str| Grant::from_json(WHOLE.replace(from, to).as_bytes()).unwrap_err();
        assert_eq!(refusal("aa.bb.cc", "a b"), GrantError::Part("token"));
        assert_eq!(refusal("AQ", "AQ/x"), GrantError::Part("pin"));
        assert_eq!(refusal("eu_only", "../x"), GrantError::Part("class"));
        assert_eq!(refusal("eu-a", "eu a"), GrantError::Part("home"));
        assert_eq!(refusal("1800000000", "\"soon\""), GrantError::Form);
        assert_eq!(refusal("\"pin\"", "\"nip\""), GrantError::Form);
    }
}
