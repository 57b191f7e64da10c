//! `domicile load`: a closed loop of callers against an edge.
//!
//! Closed loop: each caller sends its next request when it has the answer to the last, so this measures latency at a
//! fixed concurrency and says nothing about overload (an open loop does; it belongs to the overload drills).

use std::collections::BTreeMap;
use std::path::PathBuf;
use std::process::ExitCode;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use anyhow::Context as _;
use domicile_topology::Topology;
use serde_json::json;

use crate::client::{self, At, Client, Reply};
use crate::{clock, key, output, topology};

/// Ask an edge for many shoppers' shelves and report latency, rungs and outcomes.
#[derive(clap::Args)]
pub(crate) struct Load {
    #[command(flatten)]
    at: At,
    /// Shoppers and their locales: `shopper,locale` with a header line
    #[arg(long, value_name = "FILE")]
    assignments: PathBuf,
    /// The slot
    #[arg(long, default_value = "home")]
    slot: String,
    /// Callers at once
    #[arg(long, default_value_t = 8, value_parser = clap::value_parser!(u16).range(1..=1024))]
    callers: u16,
    /// Requests in all, after the warm-up
    #[arg(long, default_value_t = 4_000)]
    requests: usize,
    /// Requests before counting begins
    #[arg(long, default_value_t = 400)]
    warm_up: usize,
    /// Decides the order of shoppers
    #[arg(long, default_value_t = 1)]
    seed: u64,
    /// Print the report as JSON
    #[arg(long)]
    json: bool,
}

/// One prepared request.
struct Call {
    shopper: String,
    locale: String,
}

#[derive(Default)]
struct Tally {
    micros: Vec<u64>,
    outcomes: BTreeMap<String, u64>,
}

/// Runs the command. Exit 1 when a request got neither a ranking nor a list.
pub(crate) async fn run(load: Load) -> anyhow::Result<ExitCode> {
    let topology = Arc::new(topology::load(&load.at.topology)?);
    let signing = key::signing(&load.at.pin_key)?;
    let mut pins = BTreeMap::new();
    for class in &topology.classes {
        pins.insert(class.id.0, client::pin(&topology, class, &signing)?);
    }
    let (pins, calls) = (Arc::new(pins), Arc::new(calls(&load, &topology)?));
    let edge = Client::new(&load.at.edge);
    drive(&load, &edge, &topology, &pins, &calls, load.warm_up).await?;
    let started = clock::now();
    let tally = drive(&load, &edge, &topology, &pins, &calls, load.requests).await?;
    report(&load, tally, started.elapsed().as_secs_f64())
}

/// Shoppers whose class has a cell, in an order that the seed decides.
fn calls(load: &Load, topology: &Topology) -> anyhow::Result<Vec<Call>> {
    let text = output::read(&load.assignments)?;
    let mut calls = Vec::new();
    for (at, line) in text.lines().enumerate().skip(1) {
        let (shopper, locale) = line.split_once(',').with_context(|| {
            format!("{}: line {} is not `shopper,locale`", load.assignments.display(), at + 1)
        })?;
        if client::target(topology, locale, &load.slot, None, None, shopper)?.is_some() {
            calls.push(Call { shopper: shopper.to_owned(), locale: locale.to_owned() });
        }
    }
    anyhow::ensure!(!calls.is_empty(), "{}: no shopper has a cell", load.assignments.display());
    let mut state = load.seed;
    for at in (1..calls.len()).rev() {
        calls.swap(at, usize::try_from(split_mix(&mut state) % (at as u64 + 1)).unwrap_or(0));
    }
    Ok(calls)
}

/// The SplitMix64 generator (Steele, Lea, Flood 2014): enough for an order, and the same on every machine.
fn split_mix(state: &mut u64) -> u64 {
    *state = state.wrapping_add(0x9e37_79b9_7f4a_7c15);
    let mut z = *state;
    z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    z ^ (z >> 31)
}

async fn drive(
    load: &Load,
    edge: &Client,
    topology: &Arc<Topology>,
    pins: &Arc<BTreeMap<u16, String>>,
    calls: &Arc<Vec<Call>>,
    requests: usize,
) -> anyhow::Result<Tally> {
    let next = Arc::new(AtomicUsize::new(0));
    let mut callers: tokio::task::JoinSet<anyhow::Result<Tally>> = tokio::task::JoinSet::new();
    for _ in 0..load.callers {
        let (edge, topology, pins, calls) = (edge.clone(), topology.clone(), pins.clone(), calls.clone());
        let (next, slot) = (next.clone(), load.slot.clone());
        callers.spawn(async move {
            let mut tally = Tally::default();
            loop {
                let at = next.fetch_add(1, Ordering::Relaxed);
                let Some(call) = calls.get(at % calls.len()).filter(|_| at < requests) else {
                    return Ok(tally);
                };
                one(&edge, &topology, &pins, call, &slot, &mut tally).await?;
            }
        });
    }
    let mut all = Tally::default();
    while let Some(tally) = callers.join_next().await {
        let tally = tally.context("a caller failed")??;
        all.micros.extend(tally.micros);
        for (outcome, count) in tally.outcomes {
            *all.outcomes.entry(outcome).or_default() += count;
        }
    }
    all.micros.sort_unstable();
    Ok(all)
}

async fn one(
    edge: &Client,
    topology: &Topology,
    pins: &BTreeMap<u16, String>,
    call: &Call,
    slot: &str,
    tally: &mut Tally,
) -> anyhow::Result<()> {
    let target = client::target(topology, &call.locale, slot, None, None, &call.shopper)?;
    let target = target.context("a shopper without a cell")?;
    let pin = pins.get(&target.class.id.0).context("a class without a pin")?;
    let inner = client::inner(&target, pin, &call.shopper, Vec::new())?;
    let started = clock::now();
    let reply = edge.rank(&target, pin, &inner).await?;
    tally.micros.push(u64::try_from(started.elapsed().as_micros()).unwrap_or(u64::MAX));
    let outcome = match reply {
        Reply::Relayed(Ok(answer)) => format!("rung {} ({})", answer.rung.as_str(), answer.reason.as_str()),
        Reply::Relayed(Err(problem)) => format!("problem {}", problem.code.as_str()),
        Reply::Fallback { reason, .. } => format!("fallback {reason}"),
        Reply::Refused { status, .. } => format!("refused {}", status.as_u16()),
    };
    *tally.outcomes.entry(outcome).or_default() += 1;
    Ok(())
}

fn report(load: &Load, tally: Tally, seconds: f64) -> anyhow::Result<ExitCode> {
    let at = |permille: usize| {
        let rank = (tally.micros.len() * permille).div_ceil(1_000).saturating_sub(1);
        tally.micros.get(rank).copied().map(millis)
    };
    let count = u32::try_from(tally.micros.len()).context("too many requests")?;
    let per_second = f64::from(count) / seconds;
    let bad = tally.outcomes.keys().any(|k| k.starts_with("refused") || k.starts_with("problem"));
    let cores = std::thread::available_parallelism().map_or(0, usize::from);
    if load.json {
        output::json(&json!({
            "callers": load.callers, "requests": count, "seed": load.seed, "cores": cores, "per_second": per_second,
            "p50_ms": at(500), "p95_ms": at(950), "p99_ms": at(990), "max_ms": at(1_000), "outcomes": tally.outcomes,
        }));
    } else {
        let show = |v: Option<f64>| v.map_or_else(|| "-".to_owned(), |v| format!("{v:.1}"));
        output::line(format!(
            "{count} requests, {} callers, {cores} cores, seed {}: {per_second:.0}/s, p50 {} ms, p95 {} ms, p99 {} ms, max {} ms",
            load.callers,
            load.seed,
            show(at(500)),
            show(at(950)),
            show(at(990)),
            show(at(1_000)),
        ));
        for (outcome, n) in &tally.outcomes {
            output::line(format!("  {n:>7}  {outcome}"));
        }
    }
    Ok(if bad { ExitCode::FAILURE } else { ExitCode::SUCCESS })
}

fn millis(micros: u64) -> f64 {
    std::time::Duration::from_micros(micros).as_secs_f64() * 1_000.0
}
