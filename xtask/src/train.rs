//! `cargo xtask train`: makes the demo snapshot and overlay anew. Never part of a test.

use std::process::Command;

use anyhow::Context as _;

use domicile_cluster::cluster::demo_file;
use domicile_cluster::{paths, process};

use crate::{build, fetch};

/// Trains, judges, and signs with the published demo keys.
pub(crate) fn run() -> anyhow::Result<()> {
    let (root, out) = (paths::root(), paths::target().join("train"));
    let packages = fetch::training_packages()?;
    process::run(
        Command::new("python3")
            .current_dir(root.join("models"))
            .args(["-B", "-m", "train", "--out"])
            .arg(&out)
            .env("PYTHONPATH", packages),
    )?;
    for file in ["full.onnx", "compact.onnx", "tower.onnx", "embeddings.f16", "items.csv", "parity.json"] {
        let (from, to) = (out.join(file), root.join("models/demo").join(file));
        std::fs::copy(&from, &to)
            .with_context(|| format!("cannot copy {} to {}", from.display(), to.display()))?;
    }
    build::programs()?;
    sign(&["snapshot", "sign"], "manifest.json", "snapshot", "models/demo/manifest.dsse.json")?;
    sign(&["overlay", "sign"], "overlay.json", "overlay", "lists/overlay.dsse.json")
}

fn sign(command: &[&str], payload: &str, key: &str, out: &str) -> anyhow::Result<()> {
    process::run(
        Command::new(paths::binary("domicile"))
            .args(command)
            .arg(paths::target().join("train").join(payload))
            .arg("--key")
            .arg(demo_file(&format!("keys/{key}.jwk")))
            .arg("--out")
            .arg(paths::root().join(out)),
    )
}
