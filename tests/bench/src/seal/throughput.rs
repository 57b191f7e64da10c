//! Rankings a second, sealed against plain: everything that comes with a seal counts (the token's signature, the
//! receipt's, the padding of both messages), not the cipher alone.
//!
//! Every answer is kept, and read once the clock has stopped: an error that comes quickly is no ranking.

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;

use anyhow::Context as _;
use bytes::Bytes;
use hyper::Method;
use tokio::task::JoinSet;

use domicile_cluster::report;
use domicile_wire::{RankAnswer, Reply};

use super::cells::{Cells, Running};
use super::{Amounts, CONNECTIONS};
use crate::figures::{Bar, Figures};
use crate::load::{Ask, Connection};
use crate::stats::{Spread, millis, quantile};

/// Sealing may cost a tenth.
const BAR: f64 = 0.9;
/// The least processor time that can be seen: a tick of `/proc/PID/stat`.
const TICK: Duration = Duration::from_millis(10);

/// What came of one side in a round.
struct Slice {
    /// Latency of each ranking, in nanoseconds.
    nanos: Vec<u64>,
    /// How long all of them took.
    elapsed: Duration,
    /// Processor time that the cell took for them.
    processor: Duration,
    /// Rankings on the rung `full` or `compact`.
    best: usize,
}

impl Slice {
    /// Rankings a second.
    fn rate(&self) -> f64 {
        number(self.nanos.len()) / self.elapsed.as_secs_f64()
    }

    /// Milliseconds of processor time for each ranking.
    fn processor_ms(&self) -> f64 {
        self.processor.max(TICK).as_secs_f64() * 1e3 / number(self.nanos.len())
    }

    /// Percent of the rankings on the rung `full` or `compact`.
    fn best_share(&self) -> f64 {
        100.0 * number(self.best) / number(self.nanos.len())
    }

    /// Reads an answer; an error unless it is a ranking.
    fn read(&mut self, message: &[u8]) -> anyhow::Result<()> {
        let answer = Reply::decode(message)?.parse::<RankAnswer>()?;
        let answer = answer.map_err(|problem| anyhow::anyhow!("a problem, not a ranking: {problem:?}"))?;
        if matches!(answer.rung.as_str(), "full" | "compact") {
            self.best += 1;
        }
        Ok(())
    }
}

/// One answer, as it came.
struct Answer {
    /// Which request it answers.
    at: usize,
    nanos: u64,
    body: Bytes,
}

/// Measures both sides; gives back the sealed rankings a second of the round in the middle.
pub(super) async fn measure(cells: &Cells, amounts: Amounts, figures: &mut Figures) -> anyhow::Result<f64> {
    let (mut sealed, mut plain) = (Vec::new(), Vec::new());
    // The first round warms both sides and counts for nothing.
    for round in 0..=amounts.rounds {
        let of_sealed = sealed_slice(cells, amounts.slice).await.context("sealed rankings")?;
        let of_plain = plain_slice(cells, amounts.slice).await.context("plain rankings")?;
        if round > 0 {
            sealed.push(of_sealed);
            plain.push(of_plain);
        }
    }
    let rates = each(&sealed, Slice::rate);
    let plain_rates = each(&plain, Slice::rate);
    let (times, plain_times) = (each(&sealed, Slice::processor_ms), each(&plain, Slice::processor_ms));
    let mut nanos: Vec<u64> = sealed.iter().flat_map(|slice| slice.nanos.iter().copied()).collect();
    nanos.sort_unstable();
    let by_rate = ratios(&rates, &plain_rates);
    figures.rounds("sealed ÷ plain, rankings a second", "×", &by_rate, Some(Bar::AtLeast(BAR)));
    figures.rounds("sealed rankings", "/s", &rates, None);
    figures.rounds("plain rankings", "/s", &plain_rates, None);
    figures.once("sealed rankings, p50", "ms", millis(quantile(&nanos, 500)), None);
    figures.once("sealed rankings, p99", "ms", millis(quantile(&nanos, 990)), None);
    figures.rounds("full or compact, sealed", "%", &each(&sealed, Slice::best_share), None);
    figures.rounds("full or compact, plain", "%", &each(&plain, Slice::best_share), None);
    figures.rounds("processor time of a sealed ranking", "ms", &times, None);
    figures.rounds("processor time of a plain ranking", "ms", &plain_times, None);
    let by_time = ratios(&times, &plain_times);
    figures.rounds("processor time of a sealed ÷ of a plain ranking", "×", &by_time, None);
    Ok(Spread::of(&rates).median)
}

fn each(slices: &[Slice], value: fn(&Slice) -> f64) -> Vec<f64> {
    slices.iter().map(value).collect()
}

fn ratios(sealed: &[f64], plain: &[f64]) -> Vec<f64> {
    sealed.iter().zip(plain).map(|(sealed, plain)| sealed / plain).collect()
}

fn number(count: usize) -> f64 {
    f64::from(u32::try_from(count).unwrap_or(u32::MAX))
}

/// Sealed rankings: each is sealed before the clock starts, sent once, and opened after the clock has stopped.
async fn sealed_slice(cells: &Cells, count: usize) -> anyhow::Result<Slice> {
    let statement = Connection::open(cells.sealed.address).await?.read(&Ask::get("/keys", "")).await?;
    let sealer = cells.requests.sealer(std::str::from_utf8(&statement)?)?;
    let requests = cells.requests.sealed(&sealer, count)?;
    let (bodies, openers): (Vec<_>, Vec<_>) =
        requests.into_iter().map(|request| (request.bytes, request.opener)).unzip();
    let (mut slice, answers) = load(&cells.sealed, bodies, domicile_seal::REQUEST_TYPE).await?;
    for (answer, opener) in answers.iter().zip(openers) {
        slice.read(&opener.open(answer)?)?;
    }
    Ok(slice)
}

/// The same of the cell without seals.
async fn plain_slice(cells: &Cells, count: usize) -> anyhow::Result<Slice> {
    let bodies = cells.requests.plain(count)?;
    let (mut slice, answers) = load(&cells.plain, bodies, "message/bhttp").await?;
    for answer in &answers {
        slice.read(answer)?;
    }
    Ok(slice)
}

/// Sends each body once; the answers come back in the order of the bodies.
async fn load(
    cell: &Running,
    bodies: Vec<Bytes>,
    media: &'static str,
) -> anyhow::Result<(Slice, Vec<Bytes>)> {
    let ask =
        |body| Ask { method: Method::POST, path: "/gateway".into(), body, outcome: "", media: Some(media) };
    let asks: Arc<[Ask]> = bodies.into_iter().map(ask).collect();
    let next = Arc::new(AtomicUsize::new(0));
    let mut callers = JoinSet::new();
    let before = cell.processor()?;
    let started = report::now();
    for _ in 0..CONNECTIONS {
        callers.spawn(caller(cell.address, Arc::clone(&asks), Arc::clone(&next)));
    }
    let mut answers: Vec<Answer> = Vec::with_capacity(asks.len());
    while let Some(some) = callers.join_next().await {
        answers.extend(some.context("a caller failed")??);
    }
    let elapsed = started.elapsed();
    let processor = cell.processor()?.saturating_sub(before);
    answers.sort_unstable_by_key(|answer| answer.at);
    let nanos = answers.iter().map(|answer| answer.nanos).collect();
    let bodies = answers.into_iter().map(|answer| answer.body).collect();
    Ok((Slice { nanos, elapsed, processor, best: 0 }, bodies))
}

/// One connection: takes the next request for as long as there is one.
async fn caller(
    to: std::net::SocketAddr,
    asks: Arc<[Ask]>,
    next: Arc<AtomicUsize>,
) -> anyhow::Result<Vec<Answer>> {
    let mut answers = Vec::new();
    let mut connection = Connection::open(to).await?;
    loop {
        let at = next.fetch_add(1, Ordering::Relaxed);
        let Some(ask) = asks.get(at) else { return Ok(answers) };
        let started = report::now();
        let body = connection.read(ask).await?;
        let nanos = u64::try_from(started.elapsed().as_nanos()).unwrap_or(u64::MAX);
        answers.push(Answer { at, nanos, body });
    }
}
