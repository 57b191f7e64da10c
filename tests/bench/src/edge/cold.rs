//! From nothing to an answer: a process is started, and its first shelf read.

use std::process::Command;

use domicile_cluster::{paths, process, report};

use super::host::Host;
use super::{Amounts, Scene};
use crate::figures::{Bar, Figures};
use crate::load::{Ask, Connection};
use crate::stats::millis;

const BAR_MS: f64 = 300.0;

pub(super) async fn measure(scene: &Scene, amounts: Amounts, figures: &mut Figures) -> anyhow::Result<()> {
    let cache = scene.folder.join("cache");
    let _ = std::fs::remove_dir_all(&cache);
    make_private(&cache)?;
    let cache = cache.display().to_string();
    let mut prepare = Command::new(paths::binary("domicile-edge"));
    prepare.arg("--artefact").arg(scene.edge()).args(["--prepare", "--cache-dir", &cache]);
    process::run(prepare.args(["--log-level", "warn"]))?;
    let (mut compiling, mut prepared) = (Vec::new(), Vec::new());
    for _ in 0..amounts.starts {
        compiling.push(first_answer(scene, &[]).await?);
        prepared.push(first_answer(scene, &["--cache-dir", &cache]).await?);
    }
    figures.rounds("first answer of a fresh process, prepared", "ms", &prepared, Some(Bar::AtMost(BAR_MS)));
    figures.rounds("first answer of a fresh process, compiling", "ms", &compiling, None);
    Ok(())
}

/// Milliseconds from before the process exists to the last byte of its first shelf.
async fn first_answer(scene: &Scene, more: &[&str]) -> anyhow::Result<f64> {
    let started = report::now();
    let host = Host::start("cold", scene.edge(), scene.cell, more)?;
    Connection::open(host.address).await?.ask(&Ask::get("/v1/shelf/de-DE/home", "list")).await?;
    Ok(millis(u64::try_from(started.elapsed().as_nanos())?))
}

/// A directory that nobody else may write to: the host runs what it finds there.
fn make_private(folder: &std::path::Path) -> std::io::Result<()> {
    use std::os::unix::fs::DirBuilderExt as _;
    std::fs::DirBuilder::new().recursive(true).mode(0o700).create(folder)
}
