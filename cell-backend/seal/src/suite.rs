//! The suites used here.
//!
//! One KDF and one AEAD, HKDF-SHA256 and AES-128-GCM, under one of two KEMs: X25519 wherever a browser's WebCrypto has
//! it, P-256 elsewhere. A choice of AEADs would only be another thing that tells two clients apart.

use std::fmt;
use std::str::FromStr;

use serde::{Deserialize, Serialize};

/// The number of the KDF, the same for both KEMs (RFC 9180, table 3).
pub(crate) const KDF_ID: u16 = 1;
/// The number of the AEAD, the same for both KEMs (RFC 9180, table 5).
pub(crate) const AEAD_ID: u16 = 1;
/// Bytes of the AEAD's key (Nk).
pub(crate) const KEY: usize = 16;
/// Bytes of the AEAD's nonce (Nn).
pub(crate) const NONCE: usize = 12;
/// Bytes of an authentication tag.
pub(crate) const TAG: usize = 16;
/// Bytes of an answer's nonce: the larger of key and nonce (RFC 9458, section 4.4).
pub(crate) const ANSWER_NONCE: usize = 16;
/// Bytes before the encapsulated key: key id, KEM, KDF, AEAD (RFC 9458, section 4.3).
pub(crate) const HEADER: usize = 7;

/// A key encapsulation mechanism.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Kem {
    /// DHKEM(X25519, HKDF-SHA256), the default.
    X25519,
    /// DHKEM(P-256, HKDF-SHA256), for browsers without X25519.
    P256,
}

impl Kem {
    /// Both, the preferred one first.
    pub const ALL: [Self; 2] = [Self::X25519, Self::P256];

    /// Its number (RFC 9180, table 2).
    #[must_use]
    pub const fn id(self) -> u16 {
        match self {
            Self::X25519 => 0x20,
            Self::P256 => 0x10,
        }
    }

    /// The KEM with this number, if it is one of ours.
    #[must_use]
    pub fn of_id(id: u16) -> Option<Self> {
        Self::ALL.into_iter().find(|kem| kem.id() == id)
    }

    /// Its name in files and on command lines.
    #[must_use]
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::X25519 => "x25519",
            Self::P256 => "p256",
        }
    }

    /// How every request to a key of this KEM begins (RFC 9458, section 4.3): the id, and the suite.
    pub(crate) fn header(self, id: u8) -> [u8; HEADER] {
        let [[kem, kem_low], [kdf, kdf_low], [aead, aead_low]] =
            [self.id(), KDF_ID, AEAD_ID].map(u16::to_be_bytes);
        [id, kem, kem_low, kdf, kdf_low, aead, aead_low]
    }

    /// Bytes of a public key, and of an encapsulated one (Npk and Nenc, which are equal for both).
    #[must_use]
    pub const fn public_bytes(self) -> usize {
        match self {
            Self::X25519 => 32,
            Self::P256 => 65,
        }
    }
}

impl fmt::Display for Kem {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.as_str())
    }
}

impl FromStr for Kem {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        Self::ALL
            .into_iter()
            .find(|kem| kem.as_str() == text)
            .ok_or_else(|| format!("{text:?} is no KEM used here; use x25519 or p256"))
    }
}
