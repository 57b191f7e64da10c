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
