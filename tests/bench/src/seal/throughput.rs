//! Rankings a second, sealed against plain: everything that comes with a seal counts (the token's signature, the
//! receipt's, the padding of both messages), not the cipher alone.

use std::sync::Arc;

use bytes::Bytes;
use hyper::Method;

use super::cells::Cells;
use super::{Amounts, CONNECTIONS};
use crate::figures::{Bar, Figures};
use crate::load::{Ask, Connection, Tally, Until, drive};
use crate::stats::{millis, quantile};

/// Sealing may cost a tenth.
const BAR: f64 = 0.9;

pub(super) async fn measure(cells: &Cells, amounts: Amounts, figures: &mut Figures) -> anyhow::Result<()> {
    let (mut ratios, mut rates, mut plain_rates) = (Vec::new(), Vec::new(), Vec::new());
    let mut nanos = Vec::new();
    // The first round warms both sides and counts for nothing.
    for round in 0..=amounts.rounds {
        let sealed = sealed(cells, amounts.slice).await?;
        let asks = cells.requests.plain(amounts.slice)?;
        let plain = load(cells.plain, asks, "message/bhttp").await?;
        if round > 0 {
            ratios.push(sealed.rate() / plain.rate());
            rates.push(sealed.rate());
            plain_rates.push(plain.rate());
            nanos.extend(sealed.nanos);
        }
    }
    nanos.sort_unstable();
    figures.rounds("sealed ÷ plain, rankings a second", "×", &ratios, Some(Bar::AtLeast(BAR)));
    figures.rounds("sealed rankings", "/s", &rates, None);
    figures.rounds("plain rankings", "/s", &plain_rates, None);
    figures.once("sealed rankings, p50", "ms", millis(quantile(&nanos, 500)), None);
    figures.once("sealed rankings, p99", "ms", millis(quantile(&nanos, 990)), None);
    Ok(())
}

/// Sealed rankings: each is sealed before the clock starts and sent once.
async fn sealed(cells: &Cells, count: usize) -> anyhow::Result<Tally> {
    let statement = Connection::open(cells.sealed).await?.read(&Ask::get("/keys", "")).await?;
    let sealer = cells.requests.sealer(std::str::from_utf8(&statement)?)?;
    let asks = cells.requests.sealed(&sealer, count)?.into_iter().map(|request| request.bytes).collect();
    load(cells.sealed, asks, domicile_seal::REQUEST_TYPE).await
}

async fn load(to: std::net::SocketAddr, bodies: Vec<Bytes>, media: &'static str) -> anyhow::Result<Tally> {
    let ask =
        |body| Ask { method: Method::POST, path: "/gateway".into(), body, outcome: "", media: Some(media) };
    let asks: Arc<[Ask]> = bodies.into_iter().map(ask).collect();
    let count = asks.len();
    drive(to, &asks, CONNECTIONS, Until::Requests(count)).await?.whole()
}
