//! The signed documents an edge is made from, opened in the order in which each vouches for the next: root key,
//! topology, then whatever the topology's keys sign.

use std::path::{Path, PathBuf};

use anyhow::Context as _;
use domicile_envelope::{Envelope, VerifyingKey};
use domicile_files::limit;
use domicile_forge::SignedRoute;
use domicile_overlay::Overlay;
use domicile_topology::{KeyUse, SignedTopology, Topology};
use serde::Deserialize;

use crate::{key, output, routes};

/// What an edge is made from, besides modules and keys.
#[derive(clap::Args)]
pub(super) struct Inputs {
    /// The topology the edge is bound to, signed (`domicile topology sign`)
    #[arg(long, value_name = "FILE")]
    pub(super) topology: PathBuf,
    /// A root key, public or secret, one of which has to have signed the topology; repeat it for the successor
    #[arg(long, value_name = "FILE", required = true)]
    pub(super) root_key: Vec<PathBuf>,
    /// The overlay whose lists the edge serves; signed with a key that the topology lists with use "overlay"
    #[arg(long, value_name = "FILE")]
    pub(super) overlay: PathBuf,
    /// The signed manifest of the snapshot that the cells run: the overlay has to speak of its item vocabulary
    #[arg(long, value_name = "FILE")]
    snapshot: Option<PathBuf>,
    /// The item vocabulary that the overlay has to speak of, where no snapshot is at hand
    #[arg(long, value_name = "ID", conflicts_with = "snapshot")]
    vocabulary: Option<String>,
    /// The folder with the route manifest of each class (`domicile topology sign --routes`)
    #[arg(long, value_name = "DIR", required_unless_present_any = ["without_routes", "check"])]
    pub(super) routes: Option<PathBuf>,
    /// Build in no route manifests: clients cannot seal through this edge
    #[arg(long, conflicts_with = "routes")]
    without_routes: bool,
}

/// The payload type of a snapshot's manifest.
const SNAPSHOT_TYPE: &str = "application/vnd.domicile.snapshot+json";

/// All that an edge needs to know of a snapshot.
#[derive(Deserialize)]
struct Snapshot {
    vocabulary: String,
}

/// A document, and which file it was: both of one reading.
pub(super) struct Opened<T> {
    pub(super) document: T,
    /// SHA-256 of the file, in lower-case hex.
    pub(super) sha256: String,
}

impl<T> Opened<T> {
    fn of(text: &str, document: T) -> Self {
        Self { document, sha256: domicile_forge::sha256_hex(text.as_bytes()) }
    }
}

impl Inputs {
    /// Opens the topology.
    pub(super) fn topology(&self) -> anyhow::Result<Opened<SignedTopology>> {
        let text = output::text(&self.topology, limit::TEXT)?;
        let signed = Topology::open(&text, &self.roots()?)
            .with_context(|| format!("topology {}", self.topology.display()))?;
        Ok(Opened::of(&text, signed))
    }

    /// Opens the route manifests, if any are given, for that topology, at this minute.
    pub(super) fn routes(&self, topology: &Topology, minute: u32) -> anyhow::Result<Vec<SignedRoute>> {
        match &self.routes {
            Some(folder) => routes::open(folder, topology, &self.roots()?, minute),
            None => Ok(Vec::new()),
        }
    }

    fn roots(&self) -> anyhow::Result<Vec<VerifyingKey>> {
        self.root_key.iter().map(|path| key::verifying(path)).collect()
    }

    /// Opens the overlay for that topology, at this minute.
    pub(super) fn overlay(&self, topology: &Topology, minute: u32) -> anyhow::Result<Opened<Overlay>> {
        let place = || format!("overlay {}", self.overlay.display());
        let keys = keys(topology, KeyUse::Overlay, &self.topology)?;
        let text = output::read(&self.overlay)?;
        let overlay = Overlay::open(&text, &keys, topology, i64::from(minute) * 60).with_context(place)?;
        if let Some(wanted) = self.wanted_vocabulary(topology)? {
            anyhow::ensure!(
                overlay.vocabulary() == wanted,
                "{}: its item vocabulary is {:?} and {wanted:?} is needed: an id may be another item there; \
                 publish an overlay of that vocabulary",
                place(),
                overlay.vocabulary()
            );
        }
        Ok(Opened::of(&text, overlay))
    }

    /// Every file that is read, with the flag that names it.
    pub(super) fn files(&self) -> impl Iterator<Item = (&'static str, PathBuf)> {
        let named = [
            ("--topology", Some(&self.topology)),
            ("--overlay", Some(&self.overlay)),
            ("--snapshot", self.snapshot.as_ref()),
        ];
        let named = named.into_iter().filter_map(|(flag, path)| Some((flag, path?.clone())));
        named.chain(self.root_key.iter().map(|path| ("--root-key", path.clone())))
    }

    /// The route manifests that are read.
    pub(super) fn route_files(&self, topology: &Topology) -> Vec<(&'static str, PathBuf)> {
        let Some(folder) = &self.routes else { return Vec::new() };
        topology.classes.iter().map(|class| ("--routes", routes::file(folder, &class.name))).collect()
    }

    /// Whether anything says which vocabulary the overlay has to speak of.
    pub(super) fn knows_vocabulary(&self) -> bool {
        self.snapshot.is_some() || self.vocabulary.is_some()
    }

    fn wanted_vocabulary(&self, topology: &Topology) -> anyhow::Result<Option<String>> {
        let Some(path) = &self.snapshot else { return Ok(self.vocabulary.clone()) };
        let keys = keys(topology, KeyUse::Snapshot, &self.topology)?;
        let open = || -> anyhow::Result<Snapshot> {
            let payload = Envelope::parse(&output::text(path, limit::TEXT)?)?.verify(SNAPSHOT_TYPE, &keys)?;
            Ok(serde_json::from_slice(&payload)?)
        };
        Ok(Some(
            open()
                .with_context(|| {
                    format!("snapshot {}, which has to be a signed manifest.dsse.json", path.display())
                })?
                .vocabulary,
        ))
    }
}

/// The keys that the topology lists for a use.
fn keys(topology: &Topology, purpose: KeyUse, file: &Path) -> anyhow::Result<Vec<VerifyingKey>> {
    let keys = topology.keys_for(purpose);
    anyhow::ensure!(
        !keys.is_empty(),
        "topology {}: no key of use {:?}; list one (`domicile key sign new`) and sign the topology again",
        file.display(),
        purpose.as_str()
    );
    Ok(keys)
}
