//! A sealing key and its file.
//!
//! What is kept is the seed, 32 bytes, from which HPKE's `DeriveKeyPair` (RFC 9180, section 7.1.3) makes the pair: one
//! form for both curves, and nothing to get wrong between two encodings of a secret.

use std::fmt;

use base64::Engine as _;
use base64::engine::general_purpose::URL_SAFE_NO_PAD as BASE64URL;
use serde::{Deserialize, Serialize};
use zeroize::Zeroizing;

use crate::receiver::Receiver;
use crate::suite::{AEAD_ID, KDF_ID, Kem};

/// Bytes of a seed.
pub(crate) const SEED: usize = 32;

/// The version of the file's form.
const VERSION: u32 = 1;

/// Why a key file cannot be used.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum KeyFileError {
    /// It is not the JSON of a key. Nothing of it is quoted: it may hold a secret.
    #[error(
        "line {line}, column {column}: not a sealing key; take it out of the directory, and the cell makes a new one"
    )]
    Form {
        /// The line, from 1.
        line: usize,
        /// The column, from 1.
        column: usize,
    },
    /// It is of another version.
    #[error("version {0}, and this build reads version {VERSION}")]
    Version(u32),
    /// Its seed is not 32 bytes of base64url.
    #[error(
        "the seed is not 32 bytes of unpadded base64url; take the key out of the directory, and the cell makes a new one"
    )]
    Seed,
    /// The system has no randomness to give.
    #[error("the system gave no randomness")]
    Randomness,
    /// No key pair comes of the seed.
    #[error("the key pair cannot be derived")]
    Derivation,
}

/// A secret sealing key: made in the region, kept there. Its `Debug` shows no secret.
#[derive(Clone)]
pub struct SealingKey {
    id: u8,
    kem: Kem,
    born: i64,
    seed: Zeroizing<[u8; SEED]>,
}

#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct File {
    version: u32,
    id: u8,
    kem: Kem,
    /// Seconds since 1970.
    born: i64,
    seed: Zeroizing<String>,
}

impl SealingKey {
    /// A new key of the system's randomness, made at `born` (seconds since 1970).
    ///
    /// # Errors
    /// [`KeyFileError::Randomness`].
    pub fn generate(id: u8, kem: Kem, born: i64) -> Result<Self, KeyFileError> {
        let mut seed = Zeroizing::new([0; SEED]);
        getrandom::fill(seed.as_mut_slice()).map_err(|_error| KeyFileError::Randomness)?;
        Ok(Self { id, kem, born, seed })
    }

    /// The key that a seed stands for.
    #[must_use]
    pub fn from_seed(id: u8, kem: Kem, born: i64, seed: [u8; 32]) -> Self {
        Self { id, kem, born, seed: Zeroizing::new(seed) }
    }

    /// Its id: what a sealed request names it by. Cells need not agree on ids, and two may use the same one.
    #[must_use]
    pub const fn id(&self) -> u8 {
        self.id
    }

    /// Its KEM.
    #[must_use]
    pub const fn kem(&self) -> Kem {
        self.kem
    }

    /// When it was made, in seconds since 1970.
    #[must_use]
    pub const fn born(&self) -> i64 {
        self.born
    }

    /// Reads a key file.
    ///
    /// # Errors
    /// [`KeyFileError`]; its text never quotes the file.
    pub fn from_json(text: &str) -> Result<Self, KeyFileError> {
        let file: File = serde_json::from_str(text)
            .map_err(|error| KeyFileError::Form { line: error.line(), column: error.column() })?;
        if file.version != VERSION {
            return Err(KeyFileError::Version(file.version));
        }
        let bytes = BASE64URL.decode(file.seed.as_bytes()).map(Zeroizing::new);
        let seed = bytes.ok().and_then(|bytes| <[u8; SEED]>::try_from(bytes.as_slice()).ok());
        let key = Self::from_seed(file.id, file.kem, file.born, seed.ok_or(KeyFileError::Seed)?);
        key.receiver()?;
        Ok(key)
    }

    /// The key as the text of its file, secret and all. To be written where only its owner can read.
    #[must_use]
    pub fn to_json(&self) -> Zeroizing<String> {
        let seed = Zeroizing::new(BASE64URL.encode(self.seed.as_slice()));
        let file = File { version: VERSION, id: self.id, kem: self.kem, born: self.born, seed };
        // A number, two words and a text always make JSON.
        Zeroizing::new(serde_json::to_string(&file).unwrap_or_default())
    }

    /// Its public configuration (RFC 9458, section 3.1), without the length that a list puts before it.
    ///
    /// # Errors
    /// [`KeyFileError::Derivation`].
    pub fn config(&self) -> Result<Vec<u8>, KeyFileError> {
        let [kem, kdf, aead] = [self.kem.id(), KDF_ID, AEAD_ID].map(u16::to_be_bytes);
        // The length in bytes of the list of symmetric suites, of which there is one.
        let suites = [[0, 4], kdf, aead].concat();
        Ok([&[self.id], &kem[..], self.receiver()?.public(), &suites].concat())
    }

    /// What opens requests to it.
    pub(crate) fn receiver(&self) -> Result<Receiver, KeyFileError> {
        Receiver::derive(self.kem, self.seed.as_slice()).ok_or(KeyFileError::Derivation)
    }
}

impl fmt::Debug for SealingKey {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "SealingKey(id {}, {}, born {}, secret)", self.id, self.kem, self.born)
    }
}

#[cfg(test)]
mod tests {
    use super::{KeyFileError, SealingKey};
    use crate::Kem;

    #[test]
    fn a_key_survives_its_file_and_its_debug_shows_nothing() {
        for kem in Kem::ALL {
            let key = SealingKey::from_seed(7, kem, 1_800_000_000, [9; 32]);
            let text = key.to_json();
            let read = SealingKey::from_json(&text).unwrap();
            assert_eq!((read.id(), read.kem(), read.born()), (7, kem, 1_800_000_000));
            assert_eq!(read.config(), key.config());
            assert_eq!(format!("{key:?}"), format!("SealingKey(id 7, {kem}, born 1800000000, secret)"));
        }
    }

    #[test]
    fn a_configuration_is_the_one_that_another_implementation_derives() {
        use ohttp::hpke::{Aead, Kdf, Kem as Theirs};
        let suite = ohttp::SymmetricSuite::new(Kdf::HkdfSha256, Aead::Aes128Gcm);
        for (kem, theirs) in [(Kem::X25519, Theirs::X25519Sha256), (Kem::P256, Theirs::P256Sha256)] {
            for seed in (0..8).map(|seed| [seed; 32]) {
                let other = ohttp::KeyConfig::derive(7, theirs, vec![suite], &seed).unwrap();
                let ours = SealingKey::from_seed(7, kem, 0, seed);
                assert_eq!(ours.config().unwrap(), other.encode().unwrap(), "{kem}");
            }
        }
    }

    #[test]
    fn a_refusal_names_the_place_and_quotes_nothing() {
        let text = SealingKey::from_seed(1, Kem::X25519, 0, [3; 32]).to_json();
        let refusal = |text: &str| SealingKey::from_json(text).unwrap_err();
        assert!(matches!(refusal("{"), KeyFileError::Form { line: 1, .. }));
        assert!(matches!(refusal(&text.replace("\"kem\"", "\"kme\"")), KeyFileError::Form { .. }));
        assert_eq!(refusal(&text.replace("\"version\":1", "\"version\":2")), KeyFileError::Version(2));
        let short = refusal(&text.replace("AwMD", ""));
        assert_eq!(short, KeyFileError::Seed);
        assert!(!short.to_string().contains("AwM"));
    }
}
