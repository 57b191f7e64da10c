//! The signed documents that a client checks before it seals anything.
//!
//! Two, because they change at different speeds and different people sign them. The **route manifest** of a class says
//! which cells may be asked, in which order, and with which key each signs; the retailer's root key signs it, offline,
//! when cells come or go. The **key statement** of a cell says which keys may be sealed to; the cell itself signs it,
//! daily. An edge hands both out and can forge neither: a swapped key has no signature that leads to the root.
//!
//! What an edge *could* do is to hand out an old one. So a manifest has an end, and a client refuses a version below
//! the highest it has seen; a key statement ends soon. A root key ends one day too: a manifest may be signed by the
//! successor, which the client carries beside the root key.
//!
//! Pure: the time, in seconds since 1970, is an argument.

mod keys;
mod manifest;
mod stated_time;

pub use keys::{KeyStatement, KeyStatementError};
pub use manifest::{Clocks, RouteCell, RouteError, RouteManifest, RouteSlot, Transport, Trust};

/// The payload type of a route manifest's envelope.
pub const ROUTE_TYPE: &str = "application/vnd.domicile.route+json";
/// The payload type of a key statement's envelope.
pub const KEYS_TYPE: &str = "application/vnd.domicile.seal-keys+json";

/// Sealed answers are a whole number of these, in bytes.
pub const ANSWER_STEP: u32 = 1_024;
/// Least bytes of a sealed answer, however small the slots: an export's page and a long problem fit.
pub const ANSWER_LEAST: u32 = 8_192;
/// Most bytes of a sealed answer.
pub const ANSWER_MOST: u32 = 256 * 1_024;

/// Whether a sealed answer may be so long.
///
/// A client takes any of these sizes, and not the manifest's alone: a cell whose topology is ahead of the manifest's, or
/// behind it, has another, and is a cell of the class all the same. What a cut or foreign answer is, its seal tells.
#[must_use]
pub const fn is_answer_size(bytes: u32) -> bool {
    bytes.is_multiple_of(ANSWER_STEP) && bytes >= ANSWER_LEAST && bytes <= ANSWER_MOST
}
