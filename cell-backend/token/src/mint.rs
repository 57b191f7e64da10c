//! The identity service's side: a secret key, and the tokens it signs.

use std::fmt;

use base64::Engine as _;
use base64::engine::general_purpose::URL_SAFE_NO_PAD as BASE64URL;
use domicile_token::Claims;
use jsonwebtoken::{Algorithm, EncodingKey, Header};
use p256::elliptic_curve::sec1::ToSec1Point as _;
use serde::{Deserialize, Serialize};
use zeroize::Zeroizing;

use crate::provider;

/// Why there is no key or no token.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum MintError {
    /// Not the JSON of a secret key. Nothing of it is quoted.
    #[error("line {line}, column {column}: not a secret token key, a JWK with \"d\"")]
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
    /// The claims cannot be signed.
    #[error("the token cannot be signed")]
    Signing,
}

/// How a key signs.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Kind {
    Es256,
    EdDsa,
}

/// A secret key for tokens, with its name. Its `Debug` shows the name alone.
#[derive(Clone)]
pub struct TokenKey {
    kid: String,
    kind: Kind,
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
    /// A new Ed25519 key (EdDSA), the default: signing and verifying are cheapest.
    ///
    /// # Errors
    /// [`MintError::Randomness`].
    pub fn ed25519(kid: &str) -> Result<Self, MintError> {
        let mut secret = Zeroizing::new([0; 32]);
        getrandom::fill(secret.as_mut_slice()).map_err(|_error| MintError::Randomness)?;
        Ok(Self { kid: kid.to_owned(), kind: Kind::EdDsa, secret })
    }

    /// A new P-256 key (ES256), for identity services that have no other.
    ///
    /// # Errors
    /// [`MintError::Randomness`].
    pub fn p256(kid: &str) -> Result<Self, MintError> {
        let key = Self { kind: Kind::Es256, ..Self::ed25519(kid)? };
        // A scalar of the curve all but certainly; the one in 2^32 that is not would fail at its first token.
        key.public().map(|_jwk| key)
    }

    /// Reads a secret key.
    ///
    /// # Errors
    /// [`MintError`].
    pub fn from_jwk(text: &str) -> Result<Self, MintError> {
        let jwk: Jwk = serde_json::from_str(text)
            .map_err(|error| MintError::Form { line: error.line(), column: error.column() })?;
        let kind = match (jwk.kty.as_str(), jwk.crv.as_str()) {
            ("EC", "P-256") => Kind::Es256,
            ("OKP", "Ed25519") => Kind::EdDsa,
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
        Ok(format!("{{\"keys\":[{}]}}\n", keys.join(",")))
    }

    /// Signs a token.
    ///
    /// # Errors
    /// [`MintError::Signing`].
    pub fn sign(&self, claims: &Claims) -> Result<String, MintError> {
        provider::install();
        let (algorithm, key) = match self.kind {
            Kind::Es256 => (Algorithm::ES256, EncodingKey::from_ec_der(self.secret.as_slice())),
            Kind::EdDsa => (Algorithm::EdDSA, EncodingKey::from_ed_der(self.secret.as_slice())),
        };
        let header = Header { kid: Some(self.kid.clone()), ..Header::new(algorithm) };
        jsonwebtoken::encode(&header, claims, &key).map_err(|_error| MintError::Signing)
    }

    fn public(&self) -> Result<Jwk, MintError> {
        let (kty, crv, alg, x, y) = match self.kind {
            Kind::EdDsa => {
                let key = ed25519_dalek::SigningKey::from_bytes(&self.secret).verifying_key();
                ("OKP", "Ed25519", "EdDSA", BASE64URL.encode(key.as_bytes()), None)
            }
            Kind::Es256 => {
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

impl fmt::Debug for TokenKey {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "TokenKey({:?}, secret)", self.kid)
    }
}
