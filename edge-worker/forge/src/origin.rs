//! What a manifest says besides what stands in the artefact: where it comes from.

use std::collections::BTreeMap;

use domicile_edge_manifest::{CellOrigin, Manifest, Scheme, VERSION};
use domicile_overlay::Overlay;
use domicile_topology::{SignedTopology, Topology};

use crate::{Artefact, MintedPin, SignedRoute};

/// What an artefact was made from.
#[derive(Debug, Clone)]
pub struct Origin<'a> {
    /// The topology it is bound to.
    pub topology: &'a SignedTopology,
    /// The overlay whose lists it serves.
    pub overlay: &'a Overlay,
    /// The pins it knows.
    pub pins: &'a [MintedPin],
    /// The route manifests it hands out.
    pub routes: &'a [SignedRoute],
    /// The minute since 1970 it was built for.
    pub minute: u32,
    /// The versions of what made its modules, by name.
    pub tools: BTreeMap<String, String>,
    /// SHA-256 of everything it was made from, by name.
    pub inputs: BTreeMap<String, String>,
}

impl Artefact {
    /// The manifest of this artefact, not signed yet.
    #[must_use]
    pub fn manifest(&self, origin: Origin<'_>) -> Manifest {
        let size = |bytes: usize| u64::try_from(bytes).unwrap_or(u64::MAX);
        Manifest {
            version: VERSION,
            sha256: self.whole.sha256.clone(),
            bytes: size(self.bytes.len()),
            bytes_without_tables: size(self.bytes_without_tables),
            built_minute: origin.minute,
            topology_serial: origin.topology.topology.serial,
            topology_sha256: origin.topology.sha256.clone(),
            overlay: origin.overlay.id().to_owned(),
            vocabulary: origin.overlay.vocabulary().to_owned(),
            lists_not_after: time(origin.overlay.not_after_seconds()),
            routes_not_after: origin.routes.iter().map(|route| route.not_after_s).min().map(time),
            pins_until_minute: known_until(origin.pins),
            cells: cells(&origin.topology.topology),
            tools: origin.tools,
            inputs: origin.inputs,
            imports: self.whole.imports.clone(),
            parts: self
                .parts
                .iter()
                .map(|(part, audit)| (part.name().to_owned(), audit.imports.clone()))
                .collect(),
        }
    }
}

/// A time that no calendar holds never was: what held until then is over.
fn time(seconds: i64) -> jiff::Timestamp {
    jiff::Timestamp::from_second(seconds).unwrap_or(jiff::Timestamp::UNIX_EPOCH)
}

/// The name of a class's route manifest among what an edge was made from, and of its file.
#[must_use]
pub fn route_name(class: &str) -> String {
    format!("route-{class}.dsse.json")
}

/// Where the cells of a topology are reached.
pub(crate) fn cells(topology: &Topology) -> Vec<CellOrigin> {
    let origin = |cell: &domicile_topology::Cell| CellOrigin {
        name: cell.name.clone(),
        scheme: match cell.scheme {
            domicile_topology::Scheme::Http => Scheme::Http,
            domicile_topology::Scheme::Https => Scheme::Https,
        },
        authority: cell.authority.clone(),
    };
    topology.cells.iter().map(origin).collect()
}

/// The first minute in which the newest pin of some class is over: from then on a shopper of that class is refused.
fn known_until(pins: &[MintedPin]) -> u32 {
    let mut newest = BTreeMap::new();
    for minted in pins {
        let until = newest.entry(minted.pin.stated_class()).or_insert(0);
        *until = minted.until.max(*until);
    }
    newest.into_values().min().unwrap_or(0)
}
