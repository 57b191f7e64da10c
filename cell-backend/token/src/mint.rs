//! The identity service's side: a secret key, and the tokens it signs.

use std::fmt;
use std::str::FromStr;

use base64::Engine as _;
use base64::engine::general_purpose::URL_SAFE_NO_PAD as BASE64URL;
use domicile_token::Claims;
use jsonwebtoken::{Algorithm, EncodingKey, Header};
use p256::elliptic_curve::sec1::ToSec1Point as _;
use serde::{Deserialize, Serialize};
use sha2::{Digest as _, Sha256};
use zeroize::Zeroizing;

use crate::{KeySet, provider};

/// Why there is no key or no token.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum MintError {
    /// Not the JSON of a key. Nothing of it is quoted.
    #[error(
        "line {line}, column {column}: not a token key (JWK) with kty, crv, kid, alg, use and its numbers"
    )]
    Form {
        /// The line, from 1.
        line: usize,
        /// The column, from 1.
        column: usize,
    },
    /// Another kind of key.
    #[error("a token key is an EC key on P-256 or an OKP key on Ed25519, with its secret")]
    Kind,
    /// Its secret is not one of its curve.
    #[error("the key's secret is not one of its curve")]
    Secret,
    /// The system has no randomness to give.
    #[error("the system gave no randomness")]
    Randomness,
    /// Not a public key, or no point of its curve.
    #[error(
        "not the public half of a token key: an EC key on P-256 or an OKP key on Ed25519, with kid, alg and use"
    )]
    Public,
    /// The claims cannot be signed.
    #[error("the token cannot be signed")]
    Signing,
}

/// How a key signs (RFC 7518, section 3.1; RFC 8037, section 3.1).
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum TokenAlgorithm {
    /// Ed25519, the default: signing and verifying are cheapest.
    EdDsa,
    /// ECDSA on P-256, for identity services that have no other.
    Es256,
}

impl TokenAlgorithm {
    /// Both, the default first.
    pub const ALL: [Self; 2] = [Self::EdDsa, Self::Es256];

    /// Its name in a JWK and in a token's header.
    #[must_use]
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::EdDsa => "EdDSA",
            Self::Es256 => "ES256",
        }
    }
}

impl fmt::Display for TokenAlgorithm {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.as_str())
    }
}

impl FromStr for TokenAlgorithm {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let known = Self::ALL.into_iter().find(|algorithm| algorithm.as_str() == text);
        known.ok_or_else(|| format!("{text:?} signs no token here; use EdDSA or ES256"))
    }
}

/// A secret key for tokens, with its name. Its `Debug` shows the name alone.
#[derive(Clone)]
pub struct TokenKey {
    kid: String,
    kind: TokenAlgorithm,
    secret: Zeroizing<[u8; 32]>,
}

#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct Jwk {
    kty: String,
    crv: String,
    kid: String,
    alg: String,
    #[serde(rename = "use")]
    purpose: String,
    x: String,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    y: Option<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    d: Option<Zeroizing<String>>,
}

impl TokenKey {
    /// A new key, named by its thumbprint.
    ///
    /// # Errors
    /// [`MintError::Randomness`].
    pub fn generate(algorithm: TokenAlgorithm) -> Result<Self, MintError> {
        let mut key = match algorithm {
            TokenAlgorithm::EdDsa => Self::ed25519("")?,
            TokenAlgorithm::Es256 => Self::p256("")?,
        };
        key.kid = key.thumbprint()?;
        Ok(key)
    }

    /// A new Ed25519 key (EdDSA).
    ///
    /// # Errors
    /// [`MintError::Randomness`].
    pub fn ed25519(kid: &str) -> Result<Self, MintError> {
        let mut secret = Zeroizing::new([0; 32]);
        getrandom::fill(secret.as_mut_slice()).map_err(|_error| MintError::Randomness)?;
        Ok(Self { kid: kid.to_owned(), kind: TokenAlgorithm::EdDsa, secret })
    }

    /// A new P-256 key (ES256).
    ///
    /// # Errors
    /// [`MintError::Randomness`].
    pub fn p256(kid: &str) -> Result<Self, MintError> {
        let key = Self { kind: TokenAlgorithm::Es256, ..Self::ed25519(kid)? };
        // A scalar of the curve all but certainly; the one in 2^32 that is not would fail at its first token.
        key.public().map(|_jwk| key)
    }

    /// Its name.
    #[must_use]
    pub fn kid(&self) -> &str {
        &self.kid
    }

    /// How it signs.
    #[must_use]
    pub const fn algorithm(&self) -> TokenAlgorithm {
        self.kind
    }

    /// The SHA-256 thumbprint of its public half (RFC 7638), base64url: two keys never share a name by accident.
    ///
    /// # Errors
    /// [`MintError::Secret`].
    pub fn thumbprint(&self) -> Result<String, MintError> {
        let Jwk { kty, crv, x, y, .. } = self.public()?;
        let y = y.map(|y| format!(r#","y":"{y}""#)).unwrap_or_default();
        let required = format!(r#"{{"crv":"{crv}","kty":"{kty}","x":"{x}"{y}}}"#);
        Ok(BASE64URL.encode(Sha256::digest(required)))
    }

    /// The public half of a key file, secret or public.
    ///
    /// # Errors
    /// [`MintError`].
    pub fn public_jwk(text: &str) -> Result<String, MintError> {
        let form = |error: serde_json::Error| MintError::Form { line: error.line(), column: error.column() };
        let jwk: Jwk = serde_json::from_str(text).map_err(form)?;
        if jwk.d.is_some() {
            return Self::from_jwk(text)?.to_public_jwk();
        }
        let public = serde_json::to_string(&jwk).unwrap_or_default();
        // Whoever verifies with it has the last word on what it is.
        KeySet::parse(&set_of(std::slice::from_ref(&public))).map_err(|_error| MintError::Public)?;
        Ok(public)
    }

    /// Reads a secret key.
    ///
    /// # Errors
    /// [`MintError`].
    pub fn from_jwk(text: &str) -> Result<Self, MintError> {
        let jwk: Jwk = serde_json::from_str(text)
            .map_err(|error| MintError::Form { line: error.line(), column: error.column() })?;
        let kind = match (jwk.kty.as_str(), jwk.crv.as_str()) {
            ("EC", "P-256") => TokenAlgorithm::Es256,
            ("OKP", "Ed25519") => TokenAlgorithm::EdDsa,
            _ => return Err(MintError::Kind),
        };
        let secret = jwk.d.as_ref().ok_or(MintError::Kind)?;
        let secret = BASE64URL.decode(secret.as_bytes()).map(Zeroizing::new);
        let secret = secret.ok().and_then(|bytes| <[u8; 32]>::try_from(bytes.as_slice()).ok());
        let secret = Zeroizing::new(secret.ok_or(MintError::Secret)?);
        let key = Self { kid: jwk.kid.clone(), kind, secret };
        // Halves that do not belong together would sign tokens that nobody takes.
        let public = key.public()?;
        if (public.x, public.y) == (jwk.x, jwk.y) { Ok(key) } else { Err(MintError::Secret) }
    }

    /// The key as secret JWK text. To be written where only its owner can read.
    ///
    /// # Errors
    /// [`MintError::Secret`].
    pub fn to_jwk(&self) -> Result<Zeroizing<String>, MintError> {
        let secret = Zeroizing::new(BASE64URL.encode(self.secret.as_slice()));
        let jwk = Jwk { d: Some(secret), ..self.public()? };
        Ok(Zeroizing::new(serde_json::to_string(&jwk).unwrap_or_default()))
    }

    /// The public half, as it stands in a key set.
    ///
    /// # Errors
    /// [`MintError::Secret`].
    pub fn to_public_jwk(&self) -> Result<String, MintError> {
        Ok(serde_json::to_string(&self.public()?).unwrap_or_default())
    }

    /// A key set of public halves.
    ///
    /// # Errors
    /// [`MintError::Secret`].
    pub fn key_set<'a>(keys: impl IntoIterator<Item = &'a Self>) -> Result<String, MintError> {
        let keys = keys.into_iter().map(Self::to_public_jwk).collect::<Result<Vec<_>, _>>()?;
        Ok(set_of(&keys))
    }

    /// Signs a token.
    ///
    /// # Errors
    /// [`MintError::Signing`].
    pub fn sign(&self, claims: &Claims) -> Result<String, MintError> {
        provider::install();
        let (algorithm, key) = match self.kind {
            TokenAlgorithm::Es256 => (Algorithm::ES256, EncodingKey::from_ec_der(self.secret.as_slice())),
            TokenAlgorithm::EdDsa => (Algorithm::EdDSA, EncodingKey::from_ed_der(self.secret.as_slice())),
        };
        let header = Header { kid: Some(self.kid.clone()), ..Header::new(algorithm) };
        jsonwebtoken::encode(&header, claims, &key).map_err(|_error| MintError::Signing)
    }

    fn public(&self) -> Result<Jwk, MintError> {
        let (kty, crv, alg, x, y) = match self.kind {
            TokenAlgorithm::EdDsa => {
                let key = ed25519_dalek::SigningKey::from_bytes(&self.secret).verifying_key();
                ("OKP", "Ed25519", "EdDSA", BASE64URL.encode(key.as_bytes()), None)
            }
            TokenAlgorithm::Es256 => {
                let key = p256::SecretKey::from_slice(self.secret.as_slice());
                let point = key.map_err(|_error| MintError::Secret)?.public_key().to_sec1_point(false);
                let (x, y) = point.x().zip(point.y()).ok_or(MintError::Secret)?;
                ("EC", "P-256", "ES256", BASE64URL.encode(x), Some(BASE64URL.encode(y)))
            }
        };
        Ok(Jwk {
            kty: kty.to_owned(),
            crv: crv.to_owned(),
            kid: self.kid.clone(),
            alg: alg.to_owned(),
            purpose: "sig".to_owned(),
            x,
            y,
            d: None,
        })
    }
}

fn set_of(keys: &[String]) -> String {
    format!("{{\"keys\":[{}]}}\n", keys.join(","))
}

impl fmt::Debug for TokenKey {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "TokenKey({:?}, secret)", self.kid)
    }
}
