//! The identity service's public keys, as a cell has them: a JWK Set file (RFC 7517, section 5).

use std::collections::BTreeMap;

use base64::Engine as _;
use base64::engine::general_purpose::URL_SAFE_NO_PAD as BASE64URL;
use domicile_token::{Claims, TokenRefusal};
use jsonwebtoken::errors::ErrorKind;
use jsonwebtoken::{Algorithm, DecodingKey, Validation};
use serde::Deserialize;

use crate::{TOKEN_MAX, provider};

/// Most keys of a set.
const KEYS_MAX: usize = 64;

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
    #[error("no key; put in at least one EC key on P-256 or OKP key on Ed25519 with a kid")]
    Empty,
    /// More keys than anybody rotates.
    #[error("more than {KEYS_MAX} keys")]
    TooMany,
    /// A key without a name. Tokens name their key, so that a removed one stops being taken.
    #[error("key {0}: no kid; tokens name their key by it")]
    Nameless(usize),
    /// Two keys with one name.
    #[error("two keys have the kid {0:?}")]
    Twice(String),
    /// A key that is none of the two kinds.
    #[error("key {kid:?}: only EC keys on P-256 (ES256) and OKP keys on Ed25519 (EdDSA) are taken")]
    Kind {
        /// Its name.
        kid: String,
    },
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
}

#[derive(Deserialize)]
struct File {
    keys: Vec<Jwk>,
}

/// A key. Sets carry more about a key than is used here, so other members are passed over (RFC 7517, section 4).
#[derive(Deserialize)]
struct Jwk {
    #[serde(default)]
    kid: String,
    kty: String,
    #[serde(default)]
    crv: String,
    #[serde(default)]
    x: String,
    #[serde(default)]
    y: String,
    #[serde(default)]
    d: Option<serde::de::IgnoredAny>,
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
        let mut keys = BTreeMap::new();
        for (place, jwk) in file.keys.into_iter().enumerate() {
            if jwk.kid.is_empty() {
                return Err(KeySetError::Nameless(place + 1));
            }
            let key = jwk.key()?;
            if keys.insert(jwk.kid.clone(), key).is_some() {
                return Err(KeySetError::Twice(jwk.kid));
            }
        }
        if keys.is_empty() { Err(KeySetError::Empty) } else { Ok(Self { keys }) }
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

    /// The names of its keys.
    pub fn names(&self) -> impl Iterator<Item = &str> {
        self.keys.keys().map(String::as_str)
    }
}

impl Jwk {
    fn key(&self) -> Result<(Algorithm, DecodingKey), KeySetError> {
        if self.d.is_some() {
            return Err(KeySetError::Secret { kid: self.kid.clone() });
        }
        let point = || KeySetError::Point { kid: self.kid.clone() };
        let coordinate = |text: &str| -> Result<[u8; 32], KeySetError> {
            let bytes = BASE64URL.decode(text).map_err(|_error| point())?;
            bytes.try_into().map_err(|_error| point())
        };
        match (self.kty.as_str(), self.crv.as_str()) {
            ("EC", "P-256") => {
                let sec1 = [&[4][..], &coordinate(&self.x)?, &coordinate(&self.y)?].concat();
                p256::ecdsa::VerifyingKey::from_sec1_bytes(&sec1).map_err(|_error| point())?;
                Ok((Algorithm::ES256, DecodingKey::from_ec_der(&sec1)))
            }
            ("OKP", "Ed25519") => {
                let bytes = coordinate(&self.x)?;
                ed25519_dalek::VerifyingKey::from_bytes(&bytes).map_err(|_error| point())?;
                Ok((Algorithm::EdDSA, DecodingKey::from_ed_der(&bytes)))
            }
            _ => Err(KeySetError::Kind { kid: self.kid.clone() }),
        }
    }
}

#[cfg(test)]
#[path = "keyset/tests.rs"]
mod tests;
