//! Memory over many requests, shelves and sealed ones mixed.

use std::sync::Arc;

use super::host::Host;
use super::{Amounts, Scene};
use crate::figures::{Bar, Figures};
use crate::load::{Ask, Until, drive};
use crate::stats::Spread;

/// Per cent that memory may grow (DESIGN.md, section 13).
const GROWTH_BAR: f64 = 3.0;
/// Samples; the first tenth is warm-up, and the next is what the last is held against.
const SAMPLES: usize = 100;

pub(super) async fn measure(scene: &Scene, amounts: Amounts, figures: &mut Figures) -> anyhow::Result<()> {
    let host = Host::start("flat", scene.edge(), scene.cell, &["--keep-shelves", "off"])?;
    let mixed: Arc<[Ask]> = scene.shelves.iter().chain(scene.sealed.iter()).cloned().collect();
    let mut memory = Vec::new();
    for _ in 0..SAMPLES {
        let until = Until::Requests(amounts.requests.div_ceil(SAMPLES));
        drive(host.address, &mixed, amounts.connections, until).await?.whole()?;
        memory.push(host.memory()?);
    }
    let tenth = |at: usize| {
        let from = SAMPLES / 10 * at;
        Spread::of(memory.get(from..from + SAMPLES / 10).unwrap_or_default()).median
    };
    let growth = (tenth(9) / tenth(1) - 1.0) * 100.0;
    figures.once("memory, last tenth over second", "%", growth, Some(Bar::AtMost(GROWTH_BAR)));
    figures.rounds("memory", "MiB", &memory, None);
    Ok(())
}
