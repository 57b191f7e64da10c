//! The shelf against a bare guest on the same host: how much of what the host can do the edge leaves.
//!
//! Twice: as the host serves it, from lists it keeps for as long as they say, and with the guest asked each time, which
//! is what a host without such a cache does. The bar is the same for both.

use std::sync::Arc;

use super::host::Host;
use super::{Amounts, Scene};
use crate::figures::{Bar, Figures};
use crate::load::{Ask, Until, drive};
use crate::stats::{millis, quantile};

const THROUGHPUT_BAR: f64 = 0.8;
const P99_BAR: f64 = 2.0;

/// One side's rounds.
#[derive(Default)]
struct Side {
    rate: Vec<f64>,
    p50: Vec<f64>,
    p99: Vec<f64>,
    processor: Vec<f64>,
}

impl Side {
    async fn round(&mut self, host: &Host, asks: &Arc<[Ask]>, amounts: Amounts) -> anyhow::Result<()> {
        let before = host.processor()?;
        let tally =
            drive(host.address, asks, amounts.connections, Until::Requests(amounts.slice)).await?.whole()?;
        let used = host.processor()?.saturating_sub(before);
        self.rate.push(tally.rate());
        self.p50.push(millis(quantile(&tally.nanos, 500)));
        self.p99.push(millis(quantile(&tally.nanos, 990)));
        self.processor.push(used.as_secs_f64() * 1e6 / f64::from(u32::try_from(tally.nanos.len())?));
        Ok(())
    }
}

pub(super) async fn measure(scene: &Scene, amounts: Amounts, figures: &mut Figures) -> anyhow::Result<()> {
    let edge = Host::start("shelf", scene.edge(), scene.cell, &[])?;
    let asked = Host::start("asked", scene.edge(), scene.cell, &["--keep-shelves", "off"])?;
    let bare = Host::start("hello", &scene.hello, scene.cell, &[])?;
    for (host, asks) in [(&edge, &scene.shelves), (&asked, &scene.shelves), (&bare, &scene.greeting)] {
        drive(host.address, asks, amounts.connections, Until::Requests(amounts.warm_up)).await?.whole()?;
    }
    let (mut shelf, mut guest, mut hello) = (Side::default(), Side::default(), Side::default());
    for _ in 0..amounts.rounds {
        shelf.round(&edge, &scene.shelves, amounts).await?;
        guest.round(&asked, &scene.shelves, amounts).await?;
        hello.round(&bare, &scene.greeting, amounts).await?;
    }
    figures.rounds(
        "shelf ÷ hello, answers a second",
        "×",
        &ratio(&shelf.rate, &hello.rate),
        Some(Bar::AtLeast(THROUGHPUT_BAR)),
    );
    figures.rounds("shelf ÷ hello, p99", "×", &ratio(&shelf.p99, &hello.p99), Some(Bar::AtMost(P99_BAR)));
    figures.rounds(
        "shelf ÷ hello, host's processor time",
        "×",
        &ratio(&shelf.processor, &hello.processor),
        None,
    );
    figures.rounds(
        "shelf of the guest ÷ hello, answers a second",
        "×",
        &ratio(&guest.rate, &hello.rate),
        Some(Bar::AtLeast(THROUGHPUT_BAR)),
    );
    figures.rounds(
        "shelf of the guest ÷ hello, p99",
        "×",
        &ratio(&guest.p99, &hello.p99),
        Some(Bar::AtMost(P99_BAR)),
    );
    figures.rounds(
        "shelf of the guest ÷ hello, host's processor time",
        "×",
        &ratio(&guest.processor, &hello.processor),
        None,
    );
    for (names, side) in [
        (["shelf, answers a second", "shelf, p50", "shelf, p99", "shelf, host's processor time"], &shelf),
        (["hello, answers a second", "hello, p50", "hello, p99", "hello, host's processor time"], &hello),
    ] {
        figures.rounds(names[0], "/s", &side.rate, None);
        figures.rounds(names[1], "ms", &side.p50, None);
        figures.rounds(names[2], "ms", &side.p99, None);
        figures.rounds(names[3], "µs", &side.processor, None);
    }
    Ok(())
}

/// Round by round, so that both halves of a ratio saw the same machine.
fn ratio(one: &[f64], other: &[f64]) -> Vec<f64> {
    one.iter().zip(other).map(|(one, other)| one / other.max(f64::MIN_POSITIVE)).collect()
}
