//! Sealed requests: what a shopper's page and a cell say to each other past an edge that cannot read it.
//!
//! Oblivious HTTP (RFC 9458) gives the encapsulation: HPKE (RFC 9180) to the cell, and an answer under a key that both
//! draw from the same exchange. It is used here for confidentiality from the edge. The RFC's own goal, that a server
//! cannot link requests, is not ours: the shopper's token is inside.
//!
//! A client seals with the `ohttp` crate. A cell opens with primitives of AWS-LC, for their speed ([`KeyRing`]). What
//! this crate adds to both:
//! - **one size**: every request is [`size::REQUEST`] bytes, whatever it asks and whichever curve sealed it, and every
//!   answer of a cell is one size, errors included, so that length tells nobody anything ([`size`]);
//! - **a ring**: several keys are live at once and the request's key id picks one ([`KeyRing`]);
//! - **strict configurations**: `ohttp` takes the last usable configuration of a list, and panics on one whose suites it
//!   does not know; here a list is read by our own rules first ([`config`]);
//! - **replay**: a bounded, best-effort memory of encapsulated keys ([`Seen`]). The guarantee against replay is the
//!   date inside the seal and idempotent calls; this only makes a replay harder to use.
//!
//! Which keys are to be live is decided by `policy/rotation`; where their files lie, by the cell.

pub mod config;
pub mod size;

mod client;
mod kdf;
mod key;
mod receiver;
mod replay;
mod ring;
mod suite;

pub use client::{Opener, SealError, Sealer};
pub use key::{KeyFileError, SealingKey};
pub use replay::Seen;
pub use ring::{AnswerTooLong, Answerer, KeyRing, Opened, RingError, SealRefusal};
pub use suite::Kem;

/// Media type of a sealed request (RFC 9458, section 9.2).
pub const REQUEST_TYPE: &str = "message/ohttp-req";
/// Media type of a sealed answer (RFC 9458, section 9.3).
pub const ANSWER_TYPE: &str = "message/ohttp-res";
/// Media type of a list of key configurations (RFC 9458, section 9.1).
pub const KEYS_TYPE: &str = "application/ohttp-keys";
