//! The route manifests that an edge hands out, checked before they are built in.
//!
//! A client checks them itself and takes nothing on an edge's word. They are checked here so that an edge whose clients
//! would all refuse its manifests, or would be sent to cells that the edge does not know, cannot be built.

use domicile_envelope::{Envelope, VerifyingKey};
use domicile_route::{RouteError, RouteManifest, Trust};
use domicile_topology::{Class, ClassId, RouteSkew, Topology};

use crate::sha256_hex;

/// A class's route manifest, as it is handed out.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SignedRoute {
    /// The class.
    pub class: ClassId,
    /// The envelope's JSON, on one line.
    pub envelope: String,
    /// When it ends, in seconds since 1970.
    pub not_after_s: i64,
    /// SHA-256 of the document it was read from, in lower-case hex.
    pub sha256: String,
}

/// Why a route manifest is not built in.
#[derive(Debug, PartialEq, Eq, thiserror::Error)]
pub enum SignedRouteError {
    /// A client would refuse it.
    #[error("{0}; sign it with the root key (`domicile topology sign --routes`)")]
    Refused(#[from] RouteError),
    /// It is another topology's.
    #[error(transparent)]
    Skew(#[from] RouteSkew),
}

impl SignedRoute {
    /// Opens a class's manifest, which one of the root keys has to have signed, at `now_s` seconds since 1970.
    ///
    /// # Errors
    /// The first [`SignedRouteError`] met: what a client would refuse it for, then what differs from the topology.
    pub fn open(
        document: &str,
        class: &Class,
        topology: &Topology,
        roots: &[VerifyingKey],
        now_s: i64,
    ) -> Result<Self, SignedRouteError> {
        // An older version than this topology's differs from it, and is told so.
        let manifest = RouteManifest::open(document, &class.name, Trust { roots, seen: 0, now_s })?;
        topology.agrees(&manifest)?;
        let envelope = Envelope::parse(document).map_err(RouteError::Untrusted)?.to_line();
        Ok(Self {
            class: class.id,
            envelope,
            // A manifest that was opened has an end.
            not_after_s: manifest.not_after_s().unwrap_or(0),
            sha256: sha256_hex(document.as_bytes()),
        })
    }
}
