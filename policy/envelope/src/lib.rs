//! Signed documents: DSSE envelopes over ECDSA P-256.
//!
//! Everything that Domicile signs, except pins and tokens, is one of these: topology, snapshot and overlay
//! manifests, edge manifests, receipts. One envelope means one verifier to review. DSSE was chosen over JWS and
//! detached signatures because its signed bytes bind the payload's type and need no canonical JSON; P-256
//! because it is what every browser's WebCrypto can verify.
//!
//! Source: DSSE v1.0.2 (secure-systems-lab), protocol.md and envelope.md; FIPS 186-5; RFC 6979 (a
//! [`SigningKey`] is deterministic: the same payload and key give the same bytes); RFC 7517/7518 (key files are JWK).

mod document;
mod hash;
mod key;
mod published;
mod sign;
mod verify;

pub use document::{Envelope, EnvelopeError};
pub use hash::{hex, sha256_hex};
pub use key::{KeyError, KeyId, SigningKey, VerifyingKey};
pub use published::is_published;
#[cfg(not(target_family = "wasm"))]
pub use sign::RandomizedSigner;
pub use sign::Sign;
