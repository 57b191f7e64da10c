//! What the way through the edge adds to a sealed request, one at a time: with a queue in front of both it would be the
//! queue that is measured.

use super::host::Host;
use super::{Amounts, Scene};
use crate::figures::{Bar, Figures};
use crate::load::{Until, drive};
use crate::stats::{millis, quantile};

const ADDED_BAR_MS: f64 = 0.5;

pub(super) async fn measure(scene: &Scene, amounts: Amounts, figures: &mut Figures) -> anyhow::Result<()> {
    let pooled = Host::start("pooled", scene.edge(), scene.cell, &[])?;
    let unpooled = Host::start("unpooled", scene.edge(), scene.cell, &["--keep-connections", "0"])?;
    let ways =
        [(scene.cell, &scene.direct), (pooled.address, &scene.sealed), (unpooled.address, &scene.sealed)];
    for (to, asks) in ways {
        drive(to, asks, amounts.connections, Until::Requests(amounts.warm_up)).await?.whole()?;
    }
    let (mut added, mut added_unpooled, mut added_p99, mut rates) = (vec![], vec![], vec![], vec![]);
    for _ in 0..amounts.rounds {
        let (mut p50, mut p99) = ([0.0; 3], [0.0; 3]);
        for (((to, asks), p50), p99) in ways.into_iter().zip(&mut p50).zip(&mut p99) {
            let tally = drive(to, asks, 1, Until::Requests(amounts.alone)).await?.whole()?;
            *p50 = millis(quantile(&tally.nanos, 500));
            *p99 = millis(quantile(&tally.nanos, 990));
        }
        added.push(p50[1] - p50[0]);
        added_unpooled.push(p50[2] - p50[0]);
        added_p99.push(p99[1] - p99[0]);
        let until = Until::Requests(amounts.slice / 2);
        rates.push(drive(pooled.address, &scene.sealed, amounts.connections, until).await?.whole()?.rate());
    }
    figures.rounds("relay, added to a direct call, p50", "ms", &added, Some(Bar::AtMost(ADDED_BAR_MS)));
    figures.rounds("relay, added to a direct call, p99", "ms", &added_p99, None);
    figures.rounds("relay without kept connections, added, p50", "ms", &added_unpooled, None);
    figures.rounds("relayed answers a second", "/s", &rates, None);
    Ok(())
}
