//! An instance for each request against instances that serve many.

use super::host::Host;
use super::{Amounts, Scene};
use crate::figures::{Bar, Figures};
use crate::load::{Until, drive};
use crate::stats::{millis, quantile};

const FRESH_BAR_MS: f64 = 1.0;

pub(super) async fn measure(scene: &Scene, amounts: Amounts, figures: &mut Figures) -> anyhow::Result<()> {
    let reused = Host::start("reused", scene.edge(), scene.cell, &["--keep-shelves", "off"])?;
    let one_each = ["--keep-shelves", "off", "--reuse", "1", "--concurrent", "1"];
    let fresh = Host::start("fresh", scene.edge(), scene.cell, &one_each)?;
    let (mut gain, mut alone, mut alone_reused) = (Vec::new(), Vec::new(), Vec::new());
    for host in [&reused, &fresh] {
        let until = Until::Requests(amounts.warm_up);
        drive(host.address, &scene.shelves, amounts.connections, until).await?.whole()?;
    }
    for _ in 0..amounts.rounds {
        let mut rates = [0.0; 2];
        for ((host, rate), alone) in
            [&reused, &fresh].into_iter().zip(&mut rates).zip([&mut alone_reused, &mut alone])
        {
            let until = Until::Requests(amounts.slice / 2);
            *rate = drive(host.address, &scene.shelves, amounts.connections, until).await?.whole()?.rate();
            let one =
                drive(host.address, &scene.shelves, 1, Until::Requests(amounts.alone)).await?.whole()?;
            alone.push(millis(quantile(&one.nanos, 500)));
        }
        gain.push(rates[0] / rates[1].max(f64::MIN_POSITIVE));
    }
    figures.rounds("answer of a fresh instance, alone, p50", "ms", &alone, Some(Bar::AtMost(FRESH_BAR_MS)));
    figures.rounds("answer of a reused instance, alone, p50", "ms", &alone_reused, None);
    figures.rounds("reused ÷ fresh instances, answers a second", "×", &gain, None);
    Ok(())
}
