//! Goodput beside garbage: rankings come at a fixed rate, and ten times as many posts that cost the cell the most it can
//! be made to spend on noise (a live key's id, the right size, the right suite, and nothing that opens).
//!
//! The rate is a quarter of what the cell was just seen to do: without garbage it has to keep up with ease.

use std::net::SocketAddr;
use std::sync::Arc;
use std::sync::atomic::{AtomicU32, Ordering};
use std::time::Duration;

use anyhow::Context as _;
use bytes::Bytes;
use hyper::Method;
use tokio::sync::Mutex;
use tokio::task::JoinSet;
use tokio::time::{MissedTickBehavior, interval, timeout};

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
/// What the cell can do is divided by this: rankings a second.
const PART: f64 = 4.0;
/// Garbage for each of them.
const TIMES: u32 = 10;
/// Of what is to be sent, this much has to be: with less, it is the load that was slow.
const KEPT: f64 = 0.95;
/// Later than this a ranking is not good: the demo's `cell_budget` and the way there.
const IN_TIME: Duration = Duration::from_millis(150);
/// Bytes of a sealed request before what is random: key id, KEM, KDF, AEAD.
const HEADER: usize = 7;
/// What a gateway answers to what it cannot open or read.
const REFUSALS: [u16; 2] = [400, 422];

/// What a round is made of.
#[derive(Clone, Copy)]
struct Round {
    seconds: u32,
    /// Rankings a second.
    rate: u32,
    /// Posts of garbage a second.
    garbage: u32,
    keeps_rate: bool,
    seed: u64,
}

/// Garbage so far.
#[derive(Default)]
struct Noise {
    sent: AtomicU32,
    refused: AtomicU32,
}

/// Measures at a rate that follows from the sealed rankings a second that the cell can do.
pub(super) async fn measure(
    cells: &Cells,
    amounts: Amounts,
    sealed_rate: f64,
    seed: u64,
    figures: &mut Figures,
) -> anyhow::Result<()> {
    // `as` rounds down.
    let rate = (sealed_rate / PART).max(1.0) as u32;
    let garbage = rate * TIMES;
    let Amounts { seconds, keeps_rate, .. } = amounts;
    let (mut quiet, mut noisy) = (Vec::new(), Vec::new());
    for number in (0_u64..).take(amounts.rounds.min(3)) {
        let round = Round { seconds, rate, garbage: 0, keeps_rate, seed: seed + number };
        quiet.push(one(cells, round).await?);
        noisy.push(one(cells, Round { garbage, ..round }).await?);
    }
    let ratios: Vec<f64> = noisy.iter().zip(&quiet).map(|(noisy, quiet)| noisy / quiet.max(1.0)).collect();
    figures.rounds("goodput beside garbage ÷ without", "×", &ratios, Some(Bar::AtLeast(BAR)));
    figures.once("rankings sent, with and without garbage", "/s", f64::from(rate), None);
    figures.once("garbage sent beside them", "/s", f64::from(garbage), None);
    Ok(())
}

/// How many rankings were good.
async fn one(cells: &Cells, round: Round) -> anyhow::Result<f64> {
    let to = cells.sealed.address;
    let statement = Connection::open(to).await?.read(&Ask::get("/keys", "")).await?;
    let sealer = cells.requests.sealer(std::str::from_utf8(&statement)?)?;
    let asked = round.rate * round.seconds;
    let requests = cells.requests.sealed(&sealer, usize::try_from(asked)?)?;
    let sample = requests.first().context("no request")?.bytes.clone();
    let mut throwers = JoinSet::new();
    let noise = Arc::new(Noise::default());
    let connections = u32::from(CONNECTIONS);
    for connection in 0..connections {
        // What does not divide evenly goes to the first ones: together they send exactly what is to be sent.
        let more = u32::from(connection < round.garbage % connections);
        let a_second = round.garbage / connections + more;
        if a_second > 0 {
            let order = Order::new(round.seed ^ u64::from(connection) << 32);
            let thrown = throw(to, sample.clone(), a_second, round.seconds, order, Arc::clone(&noise));
            // What was not thrown while rankings came disturbed none.
            throwers.spawn(timeout(Duration::from_secs(round.seconds.into()), thrown));
        }
    }
    let good = f64::from(u32::try_from(ask(to, requests, round.rate).await?)?);
    while let Some(thrown) = throwers.join_next().await {
        // Who ran out of time has sent too little, which is looked at below.
        if let Ok(ended) = thrown.context("a connection with garbage failed")? {
            ended.context("garbage")?;
        }
    }
    let (sent, refused) = (noise.sent.load(Ordering::Relaxed), noise.refused.load(Ordering::Relaxed));
    if round.garbage == 0 {
        anyhow::ensure!(
            !round.keeps_rate || good >= KEPT * f64::from(asked),
            "only {good} of {asked} rankings were good without any garbage: the machine was busy; measure again \
             when nothing else runs"
        );
    } else {
        let wanted = round.garbage * round.seconds;
        anyhow::ensure!(refused > 0, "no garbage was refused: there was none");
        anyhow::ensure!(
            !round.keeps_rate || f64::from(refused) >= KEPT * f64::from(wanted),
            "of {wanted} posts of garbage {sent} were sent and {refused} refused: too few to have been a disturbance"
        );
    }
    Ok(good)
}

/// Sends the rankings at their rate, whatever becomes of those before, and counts the good ones.
async fn ask(to: SocketAddr, requests: Vec<SealedRequest>, rate: u32) -> anyhow::Result<usize> {
    let idle: Arc<Mutex<Vec<Connection>>> = Arc::default();
    let mut ticks = interval(Duration::from_secs(1) / rate);
    ticks.set_missed_tick_behavior(MissedTickBehavior::Burst);
    let mut asked = JoinSet::new();
    for SealedRequest { bytes, opener } in requests {
        ticks.tick().await;
        let idle = Arc::clone(&idle);
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

/// Posts garbage at a rate for so many seconds; the cell refuses each.
async fn throw(
    to: SocketAddr,
    sample: Bytes,
    a_second: u32,
    seconds: u32,
    mut order: Order,
    noise: Arc<Noise>,
) -> anyhow::Result<()> {
    let mut ticks = interval(Duration::from_secs(1) / a_second);
    let mut connection = Connection::open(to).await?;
    for _ in 0..a_second * seconds {
        ticks.tick().await;
        let mut bytes = sample.get(..HEADER).unwrap_or_default().to_vec();
        bytes.resize_with(size::REQUEST, || order.byte());
        noise.sent.fetch_add(1, Ordering::Relaxed);
        let answered = connection.answer(&gateway(bytes.into())).await;
        match answered {
            Ok((status, _)) if REFUSALS.contains(&status.as_u16()) => {
                noise.refused.fetch_add(1, Ordering::Relaxed);
            }
            // Anything else shows no work on garbage, and may have left the connection unusable.
            _ => connection = Connection::open(to).await?,
        }
    }
    Ok(())
}

fn gateway(body: Bytes) -> Ask {
    Ask { method: Method::POST, path: "/gateway".into(), body, outcome: "", media: Some(REQUEST_TYPE) }
}
