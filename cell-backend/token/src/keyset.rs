//! The identity service's public keys, as a cell has them: a JWK Set file (RFC 7517, section 5).

use std::collections::BTreeMap;

use base64::Engine as _;
use base64::engine::general_purpose::URL_SAFE_NO_PAD as BASE64URL;
use domicile_token::{Claims, TokenRefusal};
use jsonwebtoken::errors::ErrorKind;
use jsonwebtoken::{Algorithm, DecodingKey, Validation};
use serde::Deserialize;
use serde_json::Value;

use crate::{TOKEN_MAX, provider};

/// Most keys of a set.
const KEYS_MAX: usize = 64;
/// `x` of the demo's Ed25519 key (`deploy/demo/keys/token-keys.json`), whose secret half is published beside it. A name
/// would not do: anybody may give it another. The text will: base64url of 32 bytes is read in one spelling only.
const PUBLISHED: &str = "aFqgqK2if7TV-Fy2xv7ZTlsJmgr9aW8_tXm2OAwiiZA";

/// Why a key set was refused.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum KeySetError {
    /// Not the JSON of a set.
    #[error("line {line}, column {column}: not a JWK Set, an object with \"keys\"")]
    Form {
        /// The line, from 1.
        line: usize,
        /// The column, from 1.
        column: usize,
    },
    /// No key that could verify a token.
    #[error(
        "no key that verifies tokens; put in at least one EC key on P-256 or OKP key on Ed25519 with a kid"
    )]
    Empty,
    /// More keys than anybody rotates.
    #[error("more than {KEYS_MAX} keys")]
    TooMany,
    /// A key whose name or numbers are no texts.
    #[error("key {0}: kid, x and y have to be texts")]
    Members(usize),
    /// A key without a name. Tokens name their key, so that a removed one stops being taken.
    #[error("key {0}: no kid; tokens name their key by it")]
    Nameless(usize),
    /// Two keys with one name.
    #[error("two keys have the kid {0:?}")]
    Twice(String),
    /// A secret where a public key belongs. A cell has no use for it, and should not have it.
    #[error("key {kid:?}: holds a secret; give cells the public half, and take this key out of use")]
    Secret {
        /// Its name.
        kid: String,
    },
    /// Its numbers are not a point of its curve.
    #[error("key {kid:?}: not a point of its curve")]
    Point {
        /// Its name.
        kid: String,
    },
}

/// Public keys by name, each for one algorithm.
#[derive(Clone)]
pub struct KeySet {
    keys: BTreeMap<String, (Algorithm, DecodingKey)>,
    /// The name of a published key among them.
    published: Option<String>,
}

#[derive(Deserialize)]
struct File {
    keys: Vec<Value>,
}

/// A key. Sets carry more about a key than is used here, so other members are passed over (RFC 7517, section 4).
#[derive(Deserialize)]
struct Jwk {
    #[serde(default)]
    kid: String,
    #[serde(default)]
    x: String,
    #[serde(default)]
    y: String,
}

impl KeySet {
    /// Reads a set.
    ///
    /// # Errors
    /// [`KeySetError`], naming the key.
    pub fn parse(text: &str) -> Result<Self, KeySetError> {
        provider::install();
        let file: File = serde_json::from_str(text)
            .map_err(|error| KeySetError::Form { line: error.line(), column: error.column() })?;
        if file.keys.len() > KEYS_MAX {
            return Err(KeySetError::TooMany);
        }
        let (mut keys, mut published) = (BTreeMap::new(), None);
        for (place, value) in file.keys.iter().enumerate() {
            refuse_secret(value)?;
            let Some(algorithm) = algorithm(value) else { continue };
            let jwk = Jwk::deserialize(value).map_err(|_error| KeySetError::Members(place + 1))?;
            if jwk.kid.is_empty() {
                return Err(KeySetError::Nameless(place + 1));
            }
            let key = jwk.key(algorithm)?;
            if algorithm == Algorithm::EdDSA && jwk.x == PUBLISHED {
                published = Some(jwk.kid.clone());
            }
            if keys.insert(jwk.kid.clone(), (algorithm, key)).is_some() {
                return Err(KeySetError::Twice(jwk.kid));
            }
        }
        // A set of keys that are all somebody else's is a mistake. One that says it has none is meant: the last key is
        // taken out of use.
        let none_usable = keys.is_empty() && !file.keys.is_empty();
        if none_usable { Err(KeySetError::Empty) } else { Ok(Self { keys, published }) }
    }

    /// The claims of a token, once its key's signature over it has held. Nothing else about them is known then.
    ///
    /// # Errors
    /// [`TokenRefusal`] up to `Forged`.
    pub fn verify(&self, token: &str) -> Result<Claims, TokenRefusal> {
        if token.len() > TOKEN_MAX {
            return Err(TokenRefusal::Malformed);
        }
        let header = jsonwebtoken::decode_header(token).map_err(|_error| TokenRefusal::Malformed)?;
        // An extension that has to be understood, and is not (RFC 7515, section 4.1.11).
        if header.crit.is_some() {
            return Err(TokenRefusal::Malformed);
        }
        let kid = header.kid.as_deref().ok_or(TokenRefusal::UnknownKey)?;
        let (algorithm, key) = self.keys.get(kid).ok_or(TokenRefusal::UnknownKey)?;
        if header.alg != *algorithm {
            return Err(TokenRefusal::Algorithm);
        }
        // Signature and form alone: what the claims have to say is the policy's, with its own clock.
        let mut validation = Validation::new(*algorithm);
        validation.required_spec_claims.clear();
        validation.validate_exp = false;
        validation.validate_nbf = false;
        validation.validate_aud = false;
        match jsonwebtoken::decode::<Claims>(token, key, &validation) {
            Ok(token) => Ok(token.claims),
            Err(error) => Err(match error.kind() {
                ErrorKind::InvalidSignature => TokenRefusal::Forged,
                _ => TokenRefusal::Malformed,
            }),
        }
    }

    /// The name of a key whose secret half everybody has, the demo's: whoever takes it lets everybody in.
    #[must_use]
    pub fn published(&self) -> Option<&str> {
        self.published.as_deref()
    }

    /// The names of its keys.
    pub fn names(&self) -> impl Iterator<Item = &str> {
        self.keys.keys().map(String::as_str)
    }
}

/// What a key of a set verifies tokens with. None for a key that is there for somebody else: of another kind, or for
/// another use. Such keys are passed over (RFC 7517, section 5), so that an identity service can publish one set.
fn algorithm(jwk: &Value) -> Option<Algorithm> {
    let text = |name: &str| jwk.get(name).and_then(Value::as_str);
    let (algorithm, name) = match (text("kty"), text("crv")) {
        (Some("EC"), Some("P-256")) => (Algorithm::ES256, "ES256"),
        (Some("OKP"), Some("Ed25519")) => (Algorithm::EdDSA, "EdDSA"),
        _ => return None,
    };
    let is = |member: &str, wanted: &str| jwk.get(member).is_none_or(|value| value.as_str() == Some(wanted));
    let verifies = |operations: &Value| {
        operations.as_array().is_some_and(|list| list.iter().any(|name| name.as_str() == Some("verify")))
    };
    let meant = is("use", "sig") && is("alg", name) && jwk.get("key_ops").is_none_or(verifies);
    meant.then_some(algorithm)
}

/// A secret of any kind, taken or not, has no place in a cell: `d` of a key pair, `k` of a shared key (RFC 7518,
/// section 6).
fn refuse_secret(jwk: &Value) -> Result<(), KeySetError> {
    if jwk.get("d").is_none() && jwk.get("k").is_none() {
        return Ok(());
    }
    let kid = jwk.get("kid").and_then(Value::as_str).unwrap_or_default();
    Err(KeySetError::Secret { kid: kid.to_owned() })
}

impl Jwk {
    fn key(&self, algorithm: Algorithm) -> Result<DecodingKey, KeySetError> {
        let point = || KeySetError::Point { kid: self.kid.clone() };
        let coordinate = |text: &str| -> Result<[u8; 32], KeySetError> {
            let bytes = BASE64URL.decode(text).map_err(|_error| point())?;
            bytes.try_into().map_err(|_error| point())
        };
        if algorithm == Algorithm::ES256 {
            let sec1 = [&[4][..], &coordinate(&self.x)?, &coordinate(&self.y)?].concat();
            p256::ecdsa::VerifyingKey::from_sec1_bytes(&sec1).map_err(|_error| point())?;
            Ok(DecodingKey::from_ec_der(&sec1))
        } else {
            let bytes = coordinate(&self.x)?;
            ed25519_dalek::VerifyingKey::from_bytes(&bytes).map_err(|_error| point())?;
            Ok(DecodingKey::from_ed_der(&bytes))
        }
    }
}

#[cfg(test)]
#[path = "keyset/tests.rs"]
mod tests;
