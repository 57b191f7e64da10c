//! The artefact exchanged under load, again and again: every request is answered, by the old edge or by the new.

use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use anyhow::Context as _;
use tokio::task::JoinSet;

use domicile_cluster::{process, report};

use super::host::Host;
use super::{Amounts, Scene};
use crate::figures::{Bar, Figures};
use crate::load::{Ask, Connection, Until, drive};

/// A swap that is not seen after this long has failed.
const PATIENCE: Duration = Duration::from_secs(20);
/// Between two looks for the new edge.
const LOOK_AGAIN: Duration = Duration::from_millis(5);
/// What the host may have beside an artefact; they go together.
const MANIFESTS: [&str; 2] = ["edge.manifest.dsse.json", "edge.manifest.json"];

pub(super) async fn measure(scene: &Scene, amounts: Amounts, figures: &mut Figures) -> anyhow::Result<()> {
    let served = scene.folder.join("served/edge.wasm");
    std::fs::create_dir_all(scene.folder.join("served"))?;
    put(&scene.edges[0], &served)?;
    let host = Host::start("swapped", &served, scene.cell, &[])?;
    let mixed: Arc<[Ask]> = scene.shelves.iter().chain(scene.sealed.iter()).cloned().collect();
    let told = Arc::new(AtomicBool::new(false));
    let mut load = JoinSet::new();
    let (address, until) = (host.address, Until::Told(Arc::clone(&told)));
    load.spawn(async move { drive(address, &mixed, amounts.connections, until).await });

    let swapped = swaps(scene, &host, &served, amounts.swaps).await;
    told.store(true, Ordering::Relaxed);
    let tally = load.join_next().await.context("no load")?.context("the load failed")??;
    let millis = swapped.with_context(|| format!("{} requests were lost meanwhile", tally.lost))?;
    if let Some(complaint) = &tally.complaint {
        report::say(format!("lost: {complaint}"));
    }
    #[expect(clippy::cast_precision_loss, reason = "a count of requests")]
    let (lost, answered) = (tally.lost as f64, tally.nanos.len() as f64);
    figures.once("requests lost in swaps under load", "", lost, Some(Bar::AtMost(0.0)));
    figures.once("requests answered meanwhile", "", answered, None);
    figures.rounds("swap, from the signal to the first new answer", "ms", &millis, None);
    Ok(())
}

/// Swaps to and fro; says how long each took to be seen, in milliseconds.
async fn swaps(scene: &Scene, host: &Host, served: &Path, count: usize) -> anyhow::Result<Vec<f64>> {
    let shelf = Ask::get("/v1/shelf/de-DE/home", "list");
    let mut looking = Connection::open(host.address).await?;
    let mut millis = Vec::new();
    for next in scene.edges.iter().cycle().skip(1).take(count) {
        let old = looking.fetch(&shelf).await?;
        put(next, served)?;
        let (id, started) = (host.id(), report::now());
        tokio::task::spawn_blocking(move || process::signal("HUP", id)).await?;
        while looking.fetch(&shelf).await? == old {
            anyhow::ensure!(started.elapsed() < PATIENCE, "the edge is not swapped after {PATIENCE:?}");
            tokio::time::sleep(LOOK_AGAIN).await;
        }
        millis.push(started.elapsed().as_secs_f64() * 1e3);
    }
    Ok(millis)
}

/// Puts an edge where the host reads it, whole at once: first what belongs to it, then itself.
fn put(edge: &Path, served: &Path) -> anyhow::Result<()> {
    for name in MANIFESTS.iter().copied().chain(["edge.wasm"]) {
        let (from, to) = (edge.with_file_name(name), served.with_file_name(name));
        if from.is_file() {
            let partial = to.with_extension("partial");
            std::fs::copy(&from, &partial).and_then(|_| std::fs::rename(&partial, &to))?;
        }
    }
    Ok(())
}
