//! What it takes to open a request and to seal its answer, without a server around it.

use std::hint::black_box;

use anyhow::Context as _;

use domicile_cluster::report;
use domicile_seal::config::{encode_list, read_list};
use domicile_seal::{Kem, KeyRing, Sealer, SealingKey};

use super::Amounts;
use crate::figures::{Bar, Figures};
use crate::stats::{millis, quantile};

/// DESIGN §13.
const BAR_MS: f64 = 0.3;
/// Bytes of the demo's answers.
const ANSWER: usize = 14_336;

pub(super) fn measure(amounts: Amounts, figures: &mut Figures) -> anyhow::Result<()> {
    for kem in Kem::ALL {
        let names: [&'static str; 2] = match kem {
            Kem::X25519 => ["open + seal, X25519, p50", "open + seal, X25519, p99"],
            Kem::P256 => ["open + seal, P-256, p50", "open + seal, P-256, p99"],
        };
        let nanos = times(kem, amounts.alone)?;
        let bar = Some(Bar::AtMost(BAR_MS));
        figures.once(names[0], "ms", millis(quantile(&nanos, 500)), bar);
        figures.once(names[1], "ms", millis(quantile(&nanos, 990)), None);
    }
    Ok(())
}

/// Nanoseconds of each exchange's part in the cell, sorted.
fn times(kem: Kem, exchanges: usize) -> anyhow::Result<Vec<u64>> {
    let key = SealingKey::generate(1, kem, 0)?;
    let ring = KeyRing::new([&key])?;
    let sealer = Sealer::new(&read_list(&encode_list([&key.config()?[..]]))?, None)?;
    let answer = vec![b'a'; 8_000];
    let mut nanos = Vec::with_capacity(exchanges);
    for _ in 0..exchanges {
        let (sealed, opener) = sealer.seal(b"a request")?;
        let started = report::now();
        let opened = ring.open(black_box(&sealed)).context("what was just sealed is not opened")?;
        let answer = opened.answerer.seal(black_box(&answer), ANSWER).map_err(|(_, error)| error)?;
        nanos.push(u64::try_from(started.elapsed().as_nanos()).unwrap_or(u64::MAX));
        // An answer that nobody can open would have been quicker to make.
        opener.open(&answer)?;
    }
    nanos.sort_unstable();
    Ok(nanos)
}
