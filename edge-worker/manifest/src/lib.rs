//! `edge.manifest.dsse.json`: what stands, signed, beside an edge artefact.
//!
//! An artefact says nothing about itself: it is the same kind of file whoever made it and whatever topology is in it.
//! The manifest binds its hash to the topology and the lists it was made from, names everything it may do, and says
//! until when it can serve. A host that opens it needs no other file to know which cells the artefact may reach; an
//! auditor needs none to know what to compare.
//!
//! Putting the same facts into a custom section of the artefact was the alternative, rejected because the section
//! would be part of the bytes whose hash it has to state.
//!
//! Pure: bytes, keys and times are arguments.

mod error;
mod manifest;
mod time;

pub use domicile_envelope::sha256_hex;
pub use error::ManifestError;
pub use manifest::{CellOrigin, Interface, Manifest, PAYLOAD_TYPE, Scheme, VERSION};
