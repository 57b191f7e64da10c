//! Keys: ECDSA P-256, named by a fingerprint, kept in files as JWK.

use std::fmt;
use std::str::FromStr;

use base64::Engine as _;
use base64::engine::general_purpose::URL_SAFE_NO_PAD as BASE64URL;
use p256::ecdsa::signature::Signer as _;
use serde::{Deserialize, Serialize};
use sha2::{Digest as _, Sha256};

use crate::verify;

/// Why a key could not be read.
#[derive(Debug, thiserror::Error, PartialEq, Eq)]
pub enum KeyError {
    /// The text is not a JSON Web Key.
    #[error("not a JSON Web Key: {0}")]
    Json(String),
    /// The key is not an EC key on P-256.
    #[error(
        "kty {kty:?}, crv {crv:?}: only EC keys on P-256 are used here (make one with `domicile key sign new`)"
    )]
    Kind {
        /// What the key says its type is.
        kty: String,
        /// What the key says its curve is.
        crv: String,
    },
    /// A coordinate or the secret is not a valid number for the curve.
    #[error("the key's {0} is not valid base64url for a point or number of P-256")]
    Value(&'static str),
    /// A secret key was expected and the file holds only the public half.
    #[error("this is a public key and a secret one is needed")]
    NotSecret,
    /// The `kid` does not belong to the key.
    #[error("the key's kid {found:?} is not its fingerprint {expected}")]
    WrongId {
        /// The `kid` that the file states.
        found: String,
        /// The fingerprint of the key in it.
        expected: KeyId,
    },
    /// The text of a key id is not sixteen hexadecimal digits.
    #[error("a key id is sixteen lower-case hexadecimal digits")]
    Id,
}

/// A key's fingerprint: the first 8 bytes of the SHA-256 of its compressed SEC 1 point, in hexadecimal as text.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct KeyId([u8; 8]);

impl KeyId {
    /// The id with these bytes.
    pub const fn from_bytes(bytes: [u8; 8]) -> Self {
        Self(bytes)
    }

    /// The id's bytes.
    pub const fn to_bytes(self) -> [u8; 8] {
        self.0
    }
}

impl fmt::Display for KeyId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.iter().try_for_each(|byte| write!(f, "{byte:02x}"))
    }
}

impl fmt::Debug for KeyId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "KeyId({self})")
    }
}

impl FromStr for KeyId {
    type Err = KeyError;

    fn from_str(text: &str) -> Result<Self, KeyError> {
        let canonical = text.bytes().all(|b| matches!(b, b'0'..=b'9' | b'a'..=b'f'));
        let number = u64::from_str_radix(text, 16).map_err(|_| KeyError::Id)?;
        if text.len() == 16 && canonical { Ok(Self(number.to_be_bytes())) } else { Err(KeyError::Id) }
    }
}

/// The public half: verifies.
#[derive(Clone, PartialEq, Eq)]
pub struct VerifyingKey {
    key: p256::ecdsa::VerifyingKey,
    id: KeyId,
}

impl fmt::Debug for VerifyingKey {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "VerifyingKey({})", self.id)
    }
}

impl VerifyingKey {
    fn new(key: p256::ecdsa::VerifyingKey) -> Self {
        let digest: [u8; 32] = Sha256::digest(key.to_sec1_point(true).as_bytes()).into();
        let [a, b, c, d, e, f, g, h, ..] = digest;
        Self { key, id: KeyId([a, b, c, d, e, f, g, h]) }
    }

    /// The key's fingerprint.
    pub fn id(&self) -> KeyId {
        self.id
    }

    /// Reads a public (or the public half of a secret) JWK.
    ///
    /// # Errors
    /// [`KeyError`] when the text is no P-256 key or its `kid` is not its fingerprint.
    pub fn from_jwk(text: &str) -> Result<Self, KeyError> {
        Jwk::parse(text)?.verifying()
    }

    /// The key as JWK text, one line.
    pub fn to_jwk(&self) -> String {
        Jwk::of(self, None).text()
    }

    /// Whether `signature` (r ‖ s, 64 bytes) is this key's over `message`.
    pub fn verifies(&self, message: &[u8], signature: &[u8; 64]) -> bool {
        verify::verifies(&self.key, message, signature)
    }
}

/// The secret half: signs. Its `Debug` shows the fingerprint alone.
#[derive(Clone)]
pub struct SigningKey(p256::ecdsa::SigningKey);

impl fmt::Debug for SigningKey {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "SigningKey({}, secret)", self.verifying_key().id())
    }
}

impl SigningKey {
    /// A new key from the operating system's randomness.
    #[cfg(not(target_family = "wasm"))]
    pub fn generate() -> Self {
        use p256::elliptic_curve::Generate as _;
        Self(p256::ecdsa::SigningKey::generate())
    }

    /// The public half.
    pub fn verifying_key(&self) -> VerifyingKey {
        VerifyingKey::new(*self.0.verifying_key())
    }

    /// The secret scalar, 32 bytes big-endian, and the public point uncompressed (SEC 1, section 2.3.3).
    #[cfg(not(target_family = "wasm"))]
    pub(crate) fn halves(&self) -> (zeroize::Zeroizing<[u8; 32]>, [u8; 65]) {
        (zeroize::Zeroizing::new(self.0.to_bytes().into()), verify::uncompressed(self.0.verifying_key()))
    }

    /// Signs `message`: r ‖ s, 64 bytes, deterministic (RFC 6979).
    pub fn sign(&self, message: &[u8]) -> [u8; 64] {
        let signature: p256::ecdsa::Signature = self.0.sign(message);
        signature.to_bytes().into()
    }

    /// Reads a secret JWK.
    ///
    /// # Errors
    /// [`KeyError`] when the text is no secret P-256 key or its halves do not belong together.
    pub fn from_jwk(text: &str) -> Result<Self, KeyError> {
        let jwk = Jwk::parse(text)?;
        let secret = jwk.d.as_deref().ok_or(KeyError::NotSecret)?;
        let secret = BASE64URL.decode(secret).map_err(|_| KeyError::Value("d"))?;
        let key = Self(p256::ecdsa::SigningKey::from_slice(&secret).map_err(|_| KeyError::Value("d"))?);
        if key.verifying_key() == jwk.verifying()? { Ok(key) } else { Err(KeyError::Value("d")) }
    }

    /// The key as secret JWK text, one line. To be written to a file that only its owner can read.
    pub fn to_jwk(&self) -> String {
        Jwk::of(&self.verifying_key(), Some(BASE64URL.encode(self.0.to_bytes()))).text()
    }
}

#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct Jwk {
    kty: String,
    crv: String,
    kid: String,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    alg: Option<String>,
    #[serde(rename = "use", default, skip_serializing_if = "Option::is_none")]
    purpose: Option<String>,
    x: String,
    y: String,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    d: Option<String>,
}

impl Jwk {
    fn parse(text: &str) -> Result<Self, KeyError> {
        // serde_json's message is about structure; the category alone is kept so that no key byte can be quoted.
        let jwk: Self = serde_json::from_str(text)
            .map_err(|e| KeyError::Json(format!("line {}, column {}", e.line(), e.column())))?;
        if jwk.kty == "EC" && jwk.crv == "P-256" {
            Ok(jwk)
        } else {
            Err(KeyError::Kind { kty: jwk.kty, crv: jwk.crv })
        }
    }

    fn of(key: &VerifyingKey, secret: Option<String>) -> Self {
        let point = key.key.to_sec1_point(false);
        let coordinate = |c: Option<&p256::FieldBytes>| c.map(|c| BASE64URL.encode(c)).unwrap_or_default();
        Self {
            kty: "EC".into(),
            crv: "P-256".into(),
            kid: key.id.to_string(),
            alg: Some("ES256".into()),
            purpose: Some("sig".into()),
            x: coordinate(point.x()),
            y: coordinate(point.y()),
            d: secret,
        }
    }

    fn text(&self) -> String {
        serde_json::to_string(self).unwrap_or_default()
    }

    fn verifying(&self) -> Result<VerifyingKey, KeyError> {
        let coordinate = |text: &str, name| -> Result<[u8; 32], KeyError> {
            let bytes = BASE64URL.decode(text).map_err(|_| KeyError::Value(name))?;
            bytes.try_into().map_err(|_| KeyError::Value(name))
        };
        let (x, y) = (coordinate(&self.x, "x")?, coordinate(&self.y, "y")?);
        let point = p256::Sec1Point::from_affine_coordinates(&x.into(), &y.into(), false);
        let key = p256::ecdsa::VerifyingKey::from_sec1_point(&point).map_err(|_| KeyError::Value("point"))?;
        let key = VerifyingKey::new(key);
        if self.kid == key.id.to_string() {
            Ok(key)
        } else {
            Err(KeyError::WrongId { found: self.kid.clone(), expected: key.id })
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_key_survives_its_file() {
        let key = SigningKey::generate();
        let read = SigningKey::from_jwk(&key.to_jwk()).unwrap();
        assert_eq!(read.verifying_key(), key.verifying_key());
        assert_eq!(VerifyingKey::from_jwk(&key.to_jwk()).unwrap(), key.verifying_key());
        let id = key.verifying_key().id();
        assert_eq!(id.to_string().parse::<KeyId>().unwrap(), id);
    }

    #[test]
    fn a_public_file_cannot_sign_and_never_holds_the_secret() {
        let public = SigningKey::generate().verifying_key().to_jwk();
        assert!(!public.contains("\"d\""));
        assert_eq!(SigningKey::from_jwk(&public).unwrap_err(), KeyError::NotSecret);
    }

    #[test]
    fn debug_never_shows_the_secret() {
        let key = SigningKey::generate();
        let shown = format!("{key:?}");
        assert_eq!(shown, format!("SigningKey({}, secret)", key.verifying_key().id()));
    }

    #[test]
    fn halves_that_do_not_belong_together_are_refused() {
        let (a, b) = (SigningKey::generate(), SigningKey::generate());
        let mixed = Jwk { d: Jwk::parse(&b.to_jwk()).unwrap().d, ..Jwk::parse(&a.to_jwk()).unwrap() }.text();
        assert_eq!(SigningKey::from_jwk(&mixed).unwrap_err(), KeyError::Value("d"));
        let renamed =
            a.verifying_key().to_jwk().replace(&a.verifying_key().id().to_string(), "0123456789abcdef");
        assert!(matches!(VerifyingKey::from_jwk(&renamed), Err(KeyError::WrongId { .. })));
    }

    #[test]
    fn other_kinds_are_named() {
        let rsa = r#"{"kty":"RSA","crv":"","kid":"","x":"","y":""}"#;
        assert!(VerifyingKey::from_jwk(rsa).unwrap_err().to_string().contains("RSA"));
        assert!(matches!(VerifyingKey::from_jwk("{"), Err(KeyError::Json(_))));
    }

    #[test]
    fn signatures_are_deterministic() {
        let key = SigningKey::generate();
        assert_eq!(key.sign(b"domicile"), key.sign(b"domicile"));
        assert!(key.verifying_key().verifies(b"domicile", &key.sign(b"domicile")));
        assert!(!key.verifying_key().verifies(b"domicilf", &key.sign(b"domicile")));
    }
}
