//! Route manifests as files: one for each class of a topology, beside each other in a folder.

use std::path::{Path, PathBuf};

use anyhow::Context as _;
use domicile_envelope::{SigningKey, VerifyingKey};
use domicile_files::limit;
use domicile_forge::{SignedRoute, route_name};
use domicile_topology::{Class, Topology};

use crate::output;

/// The file of a class's manifest. A class's name is fit for it: it stands in paths.
pub(crate) fn file(folder: &Path, class: &str) -> PathBuf {
    folder.join(route_name(class))
}

/// Every class's name with its manifest, signed to hold for so many days from this minute.
pub(crate) fn signed(
    topology: &Topology,
    key: &SigningKey,
    minute: u32,
    valid_days: u16,
) -> anyhow::Result<Vec<(String, String)>> {
    let from = i64::from(minute) * 60;
    let manifests = topology.routes(from, from + i64::from(valid_days) * 86_400)?;
    Ok(manifests.into_iter().map(|manifest| (manifest.class.clone(), manifest.sign(key))).collect())
}

/// Writes them into a folder, which is made.
pub(crate) fn write(folder: &Path, manifests: &[(String, String)]) -> anyhow::Result<()> {
    std::fs::create_dir_all(folder).with_context(|| format!("cannot make {}", folder.display()))?;
    manifests
        .iter()
        .try_for_each(|(class, envelope)| output::write_whole(&file(folder, class), envelope.as_bytes()))
}

/// Opens the manifest of every class, in the topology's order, at this minute.
pub(crate) fn open(
    folder: &Path,
    topology: &Topology,
    roots: &[VerifyingKey],
    minute: u32,
) -> anyhow::Result<Vec<SignedRoute>> {
    let now_s = i64::from(minute) * 60;
    let one = |class: &Class| {
        let path = file(folder, &class.name);
        SignedRoute::open(&output::text(&path, limit::TEXT)?, class, topology, roots, now_s)
            .with_context(|| path.display().to_string())
    };
    topology.classes.iter().map(one).collect()
}
