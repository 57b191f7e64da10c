//! Goodput beside garbage: rankings come at a fixed rate, and ten times as many posts that cost the cell the most it can
//! be made to spend on noise (a live key's id, the right size, the right suite, and nothing that opens).
//!
//! The rate is a twentieth of what the cell can do: garbage at ten times that is half of it in number.

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;

use anyhow::Context as _;
use bytes::Bytes;
use hyper::Method;
use tokio::sync::Mutex;
use tokio::task::JoinSet;
use tokio::time::{MissedTickBehavior, interval};

use domicile_cluster::report;
use domicile_seal::{REQUEST_TYPE, size};
use domicile_wire::{RankAnswer, Reply};

use super::cells::Cells;
use super::requests::SealedRequest;
use super::{Amounts, CONNECTIONS};
use crate::figures::{Bar, Figures};
use crate::load::{Ask, Connection};
use crate::order::Order;

/// Of what was good without the noise.
const BAR: f64 = 0.9;
/// Rankings a second.
const RATE: u32 = 25;
/// Garbage for each of them.
const TIMES: u32 = 10;
/// Later than this a ranking is not good: the demo's `cell_budget` and the way there.
const IN_TIME: Duration = Duration::from_millis(150);
/// Bytes of a sealed request before what is random: key id, KEM, KDF, AEAD.
const HEADER: usize = 7;

pub(super) async fn measure(
    cells: &Cells,
    amounts: Amounts,
    seed: u64,
    figures: &mut Figures,
) -> anyhow::Result<()> {
    let (mut quiet, mut noisy, mut refused) = (Vec::new(), Vec::new(), 0);
    for round in 0..2 * amounts.rounds.min(3) {
        let garbage = if round % 2 == 0 { 0 } else { RATE * TIMES };
        let (good, turned_away) = one(cells, amounts.seconds, garbage, seed + round as u64).await?;
        if garbage == 0 {
            quiet.push(good)
        } else {
            noisy.push(good)
        }
        refused += turned_away;
    }
    let ratios: Vec<f64> = noisy.iter().zip(&quiet).map(|(noisy, quiet)| noisy / quiet.max(1.0)).collect();
    anyhow::ensure!(refused > 0, "no garbage was refused: there was none");
    figures.rounds("goodput beside garbage ÷ without", "×", &ratios, Some(Bar::AtLeast(BAR)));
    Ok(())
}

/// How many rankings were good in so many seconds, and how much garbage was refused.
async fn one(cells: &Cells, seconds: u32, garbage: u32, seed: u64) -> anyhow::Result<(f64, usize)> {
    let statement = Connection::open(cells.sealed).await?.read(&Ask::get("/keys", "")).await?;
    let sealer = cells.requests.sealer(std::str::from_utf8(&statement)?)?;
    let count = usize::try_from(RATE * seconds)?;
    let requests = cells.requests.sealed(&sealer, count)?;
    let sample = requests.first().context("no request")?.bytes.clone();
    let mut noise = JoinSet::new();
    let refused = Arc::new(AtomicUsize::new(0));
    for connection in 0..CONNECTIONS {
        let each = garbage / u32::from(CONNECTIONS);
        if each > 0 {
            let order = Order::new(seed ^ u64::from(connection) << 32);
            noise.spawn(throw(cells.sealed, sample.clone(), each, order, Arc::clone(&refused)));
        }
    }
    let good = ask(cells, requests).await?;
    noise.abort_all();
    Ok((f64::from(u32::try_from(good)?), refused.load(Ordering::Relaxed)))
}

/// Sends the rankings at their rate, whatever becomes of those before, and counts the good ones.
async fn ask(cells: &Cells, requests: Vec<SealedRequest>) -> anyhow::Result<usize> {
    let idle: Arc<Mutex<Vec<Connection>>> = Arc::default();
    let mut ticks = interval(Duration::from_secs(1) / RATE);
    ticks.set_missed_tick_behavior(MissedTickBehavior::Burst);
    let mut asked = JoinSet::new();
    for SealedRequest { bytes, opener } in requests {
        ticks.tick().await;
        let (idle, to) = (Arc::clone(&idle), cells.sealed);
        asked.spawn(async move {
            let started = report::now();
            let kept = idle.lock().await.pop();
            let mut connection = match kept {
                Some(connection) => connection,
                None => Connection::open(to).await.ok()?,
            };
            let answer = connection.read(&gateway(bytes)).await.ok()?;
            let in_time = started.elapsed() <= IN_TIME;
            idle.lock().await.push(connection);
            let reply = Reply::decode(&opener.open(&answer).ok()?).ok()?;
            let answer = reply.parse::<RankAnswer>().ok()?.ok()?;
            (in_time && matches!(answer.rung.as_str(), "full" | "compact")).then_some(())
        });
    }
    Ok(asked.join_all().await.into_iter().flatten().count())
}

/// Posts garbage at a rate; the cell refuses each.
async fn throw(
    to: std::net::SocketAddr,
    sample: Bytes,
    a_second: u32,
    mut order: Order,
    refused: Arc<AtomicUsize>,
) -> anyhow::Result<()> {
    let mut ticks = interval(Duration::from_secs(1) / a_second);
    let mut connection = Connection::open(to).await?;
    loop {
        ticks.tick().await;
        let mut bytes = sample.get(..HEADER).unwrap_or_default().to_vec();
        bytes.resize_with(size::REQUEST, || order.byte());
        // A status other than 200 is an error to whoever asks; here it is what has to come.
        if connection.read(&gateway(bytes.into())).await.is_err() {
            refused.fetch_add(1, Ordering::Relaxed);
        }
    }
}

fn gateway(body: Bytes) -> Ask {
    Ask { method: Method::POST, path: "/gateway".into(), body, outcome: "", media: Some(REQUEST_TYPE) }
}
