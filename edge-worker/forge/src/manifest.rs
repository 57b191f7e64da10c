//! What is written beside an artefact: its hash, what it was made from, and everything it imports.

use std::collections::BTreeMap;

use serde::Serialize;

use crate::{Artefact, Interface};

/// The version of the manifest's form.
const VERSION: u32 = 1;

/// `edge.manifest.json`.
#[derive(Debug, Clone, Serialize)]
pub struct Manifest {
    /// The version of this form.
    pub version: u32,
    /// SHA-256 of the artefact.
    pub sha256: String,
    /// Its size in bytes.
    pub bytes: usize,
    /// Its size without what topology and lists put in.
    pub bytes_without_tables: usize,
    /// The serial of the topology it is bound to.
    pub topology_serial: u64,
    /// The overlay whose lists it serves.
    pub overlay: String,
    /// When these become stale.
    pub lists_not_after: String,
    /// The first minute since 1970 for which it has no pin any more.
    pub pins_until_minute: u32,
    /// SHA-256 of everything it was made from, by name.
    pub inputs: BTreeMap<String, String>,
    /// What it asks of its host.
    pub imports: Vec<Interface>,
    /// What each part asked for before it was plugged.
    pub parts: BTreeMap<&'static str, Vec<Interface>>,
}

/// What a manifest says besides what stands in the artefact.
#[derive(Debug, Clone)]
pub struct Origin {
    /// The serial of the topology.
    pub topology_serial: u64,
    /// The overlay's id.
    pub overlay: String,
    /// When its lists become stale.
    pub lists_not_after: String,
    /// The first minute without a pin.
    pub pins_until_minute: u32,
    /// SHA-256 of the inputs, by name.
    pub inputs: BTreeMap<String, String>,
}

impl Manifest {
    /// The manifest of an artefact.
    #[must_use]
    pub fn new(artefact: &Artefact, origin: Origin) -> Self {
        Self {
            version: VERSION,
            sha256: artefact.whole.sha256.clone(),
            bytes: artefact.bytes.len(),
            bytes_without_tables: artefact.bytes_without_tables,
            topology_serial: origin.topology_serial,
            overlay: origin.overlay,
            lists_not_after: origin.lists_not_after,
            pins_until_minute: origin.pins_until_minute,
            inputs: origin.inputs,
            imports: artefact.whole.imports.clone(),
            parts: artefact.parts.iter().map(|(part, audit)| (part.name(), audit.imports.clone())).collect(),
        }
    }
}
