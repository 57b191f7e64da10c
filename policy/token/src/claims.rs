//! The claims.

use std::fmt;

use serde::{Deserialize, Deserializer, Serialize};

/// Longest subject in bytes.
const SUBJECT_MAX: usize = 128;

/// A shopper's pseudonymous id, as the identity service gives it: 1 to 128 visible ASCII characters.
///
/// Personal: its `Debug` shows nothing of it, and it is written out nowhere but in a token.
#[derive(Clone, PartialEq, Eq, Serialize)]
#[serde(transparent)]
pub struct Subject(String);

impl Subject {
    /// The subject with this text, if it has the form.
    #[must_use]
    pub fn new(text: &str) -> Option<Self> {
        let sound =
            !text.is_empty() && text.len() <= SUBJECT_MAX && text.bytes().all(|b| b.is_ascii_graphic());
        sound.then(|| Self(text.to_owned()))
    }

    /// The text. Named so that a reader sees where it leaves.
    #[must_use]
    pub fn expose(&self) -> &str {
        &self.0
    }
}

impl fmt::Debug for Subject {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Subject(..)")
    }
}

impl<'de> Deserialize<'de> for Subject {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let text = String::deserialize(deserializer)?;
        Self::new(&text).ok_or_else(|| serde::de::Error::custom("1 to 128 visible ASCII characters"))
    }
}

/// Whom a token is for: one name or several (RFC 7519, section 4.1.3).
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(untagged)]
pub enum Audience {
    /// One.
    One(String),
    /// Several.
    Several(Vec<String>),
}

impl Audience {
    /// Whether this name is among them.
    #[must_use]
    pub fn names(&self, boundary: &str) -> bool {
        match self {
            Self::One(name) => name == boundary,
            Self::Several(names) => names.iter().any(|name| name == boundary),
        }
    }
}

/// The claims of a shopper's token. Others may stand beside them and are not looked at.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Claims {
    /// The identity service.
    pub iss: String,
    /// The shopper.
    pub sub: Subject,
    /// The boundary whose cells may take it.
    pub aud: Audience,
    /// When it ends, in seconds since 1970.
    pub exp: i64,
    /// When it was made, in seconds since 1970.
    pub iat: i64,
    /// When it begins, if later than it was made.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub nbf: Option<i64>,
    /// The shopper's residency class, by name.
    pub class: String,
    /// The storefront or contract.
    pub tenant: String,
    /// The cell chosen for this token, by name.
    pub home: String,
    /// Whether the shopper is somebody the shop knows, or a session alone.
    #[serde(default)]
    pub anonymous: bool,
}
