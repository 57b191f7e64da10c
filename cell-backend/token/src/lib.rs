//! Shoppers' tokens: signed by an identity service, verified by cells.
//!
//! JWS compact form (RFC 7515) by the `jsonwebtoken` crate, with two algorithms and no more (RFC 8725, section 3.1):
//! EdDSA over Ed25519 and ES256. The crate's own backends were not taken: one brings RSA with a known timing leak
//! (RUSTSEC-2023-0071), the other a C library, and this workspace has the curve already. So `provider.rs` gives it these
//! two. A key is for one algorithm, stated by its own kind, whatever a token's header says: that is what makes
//! `alg: none` and key confusion impossible rather than forbidden.
//!
//! What a token's claims have to say is `policy/token`'s.

mod keyset;
mod mint;
mod provider;

pub use keyset::{KeySet, KeySetError};
pub use mint::{MintError, TokenAlgorithm, TokenKey};

/// Longest token in bytes: a sealed request holds 4 KiB with everything.
pub const TOKEN_MAX: usize = 2_048;
