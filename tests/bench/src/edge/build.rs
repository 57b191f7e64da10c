//! Lists republished: an edge built with another overlay, by the command an operator runs.

use domicile_cluster::cluster::compose;
use domicile_cluster::report;

use super::{Amounts, Scene};
use crate::figures::{Bar, Figures};

const BAR_S: f64 = 3.0;

pub(super) fn measure(scene: &Scene, amounts: Amounts, figures: &mut Figures) -> anyhow::Result<()> {
    let out = scene.folder.join("built/edge.wasm");
    std::fs::create_dir_all(scene.folder.join("built"))?;
    let mut seconds = Vec::new();
    for overlay in scene.overlays.iter().cycle().take(amounts.rounds) {
        let started = report::now();
        compose(&scene.topology, overlay, &out)?;
        seconds.push(started.elapsed().as_secs_f64());
    }
    figures.rounds("build with new lists", "s", &seconds, Some(Bar::AtMost(BAR_S)));
    Ok(())
}
