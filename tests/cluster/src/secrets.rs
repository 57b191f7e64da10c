//! What a cell seals and is trusted with: its own key directory, its signing key, and whose tokens it takes.

use std::path::{Path, PathBuf};

use anyhow::Context as _;

use crate::cluster::{Clocks, demo_file};

/// The stages' budgets under [`Clocks::Patient`].
const PATIENT: &str = "[budgets]\nfeatures_ms = 100\nquery_ms = 60\ncandidates_ms = 60\nrank_ms = 110\n";

/// Writes a cell's configuration. Its sealing keys lie below the cluster's folder and outlive a restart; its signing
/// key is the one that the demo's topology names.
///
/// # Errors
/// When it cannot be written.
pub(crate) fn cell_config(folder: &Path, cell: &str, clocks: Clocks) -> anyhow::Result<PathBuf> {
    let budgets = if clocks == Clocks::Patient { PATIENT } else { "" };
    let keys = folder.join("seal-keys").join(cell);
    let (signing, tokens) = (demo_file(&format!("keys/cell-{cell}.jwk")), demo_file("keys/token-keys.json"));
    let text = format!(
        "version = 1\n{budgets}[seal]\nkey_dir = {keys:?}\nsigning_key = {signing:?}\n[tokens]\nkeys = {tokens:?}\n"
    );
    let file = folder.join(format!("cell-{cell}.toml"));
    std::fs::create_dir_all(folder.join("seal-keys"))
        .and_then(|()| std::fs::write(&file, text))
        .with_context(|| format!("cannot write below {}", folder.display()))?;
    Ok(file)
}
