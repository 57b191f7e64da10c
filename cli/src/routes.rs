//! Route manifests as files: one for each class of a topology, beside each other in a folder.

use std::path::{Path, PathBuf};

use anyhow::Context as _;
use domicile_envelope::SigningKey;
use domicile_topology::Topology;

use crate::{clock, output};

/// The file of a class's manifest. A class's name is fit for it: it stands in paths.
pub(crate) fn file(folder: &Path, class: &str) -> PathBuf {
    folder.join(format!("route-{class}.dsse.json"))
}

/// Every class's name with its manifest, signed to hold for so many days from now.
pub(crate) fn signed(
    topology: &Topology,
    key: &SigningKey,
    valid_days: u16,
) -> anyhow::Result<Vec<(String, String)>> {
    let now = i64::from(clock::minute()) * 60;
    let manifests = topology.routes(now, now + i64::from(valid_days) * 86_400)?;
    Ok(manifests.into_iter().map(|manifest| (manifest.class.clone(), manifest.sign(key))).collect())
}

/// Writes them into a folder, which is made.
pub(crate) fn write(folder: &Path, manifests: &[(String, String)]) -> anyhow::Result<()> {
    std::fs::create_dir_all(folder).with_context(|| format!("cannot make {}", folder.display()))?;
    manifests
        .iter()
        .try_for_each(|(class, envelope)| output::write_whole(&file(folder, class), envelope.as_bytes()))
}
