//! `domicile load`: a closed loop of callers against an edge.
//!
//! Closed loop: each caller sends its next request when it has the answer to the last, so this measures latency at a
//! fixed concurrency and says nothing about overload (an open loop does; it belongs to the overload drills).

use std::collections::BTreeMap;
use std::path::PathBuf;
use std::process::ExitCode;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;

use anyhow::Context as _;
use domicile_client::{Ask, Cells, Client, Grant, Network, Outcome, Page};
use domicile_files::limit;
use serde_json::json;

use crate::client::{At, Granted, PATIENCE};
use crate::{clock, output};

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

/// One prepared request: a shopper's page with a grant for it.
struct Call {
    grant: Grant,
    page: Page,
    limit: Duration,
}

#[derive(Default)]
struct Tally {
    micros: Vec<u64>,
    outcomes: BTreeMap<String, u64>,
}

/// Runs the command. Exit 1 when a request got neither a ranking nor a list.
pub(crate) async fn run(load: Load) -> anyhow::Result<ExitCode> {
    let network = Network::new();
    let clients = (0..load.callers).map(|_| load.at.client(&network).map(Arc::new));
    let clients = clients.collect::<anyhow::Result<Vec<_>>>()?;
    let first = clients.first().context("no caller")?;
    let calls = Arc::new(calls(&load, first, &network).await?);
    drive(&clients, &calls, load.warm_up).await?;
    let started = clock::now();
    let tally = drive(&clients, &calls, load.requests).await?;
    report(&load, tally, started.elapsed().as_secs_f64())
}

/// Shoppers whose class has a cell, each with a grant, in an order that the seed decides: as many as will be asked.
async fn calls(load: &Load, client: &Client<Network>, network: &Network) -> anyhow::Result<Vec<Call>> {
    let file = load.assignments.display();
    let text = output::text(&load.assignments, limit::DOCUMENT)?;
    let mut shoppers = Vec::new();
    for (at, line) in text.lines().enumerate().skip(1) {
        let shopper = line.split_once(',');
        shoppers.push(shopper.with_context(|| format!("{file}: line {} is not `shopper,locale`", at + 1))?);
    }
    let mut state = load.seed;
    for at in (1..shoppers.len()).rev() {
        shoppers.swap(at, usize::try_from(split_mix(&mut state) % (at as u64 + 1)).unwrap_or(0));
    }
    let mut calls = Vec::new();
    for (shopper, locale) in shoppers {
        if calls.len() >= load.warm_up.max(load.requests) {
            break;
        }
        let page =
            Page::new(locale, &load.slot).context("a locale or slot is no name that a path can hold")?;
        if let Granted::Grant(grant) = load.at.grant(client, network, Some(shopper), locale).await? {
            let route = client.route(grant.class(), client.deadline(PATIENCE)).await;
            let route = route.map_err(|reason| anyhow::anyhow!("class {:?}: {reason}", grant.class()))?;
            let limit = Duration::from_millis(route.clocks.page_limit_ms.into());
            calls.push(Call { grant, page, limit });
        }
    }
    anyhow::ensure!(!calls.is_empty(), "{file}: no shopper has a cell");
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
    clients: &[Arc<Client<Network>>],
    calls: &Arc<Vec<Call>>,
    requests: usize,
) -> anyhow::Result<Tally> {
    let next = Arc::new(AtomicUsize::new(0));
    let mut callers: tokio::task::JoinSet<Tally> = tokio::task::JoinSet::new();
    for client in clients {
        let (client, calls, next) = (client.clone(), calls.clone(), next.clone());
        callers.spawn(async move {
            let mut tally = Tally::default();
            loop {
                let at = next.fetch_add(1, Ordering::Relaxed);
                let Some(call) = calls.get(at % calls.len()).filter(|_| at < requests) else {
                    return tally;
                };
                one(&client, call, &mut tally).await;
            }
        });
    }
    let mut all = Tally::default();
    while let Some(tally) = callers.join_next().await {
        let tally = tally.context("a caller failed")?;
        all.micros.extend(tally.micros);
        for (outcome, count) in tally.outcomes {
            *all.outcomes.entry(outcome).or_default() += count;
        }
    }
    all.micros.sort_unstable();
    Ok(all)
}

/// One shopper's page: what failed on the page before is no affair of this one.
async fn one(client: &Client<Network>, call: &Call, tally: &mut Tally) {
    client.turn_page();
    let started = clock::now();
    let deadline = client.deadline(call.limit);
    let ask = Ask { grant: &call.grant, page: &call.page, cells: Cells::Any, deadline };
    let outcome = client.rank(ask, Vec::new()).await;
    tally.micros.push(u64::try_from(started.elapsed().as_micros()).unwrap_or(u64::MAX));
    let outcome = match outcome {
        Outcome::Answered(answered) => {
            format!("rung {} ({})", answered.answer.rung.as_str(), answered.answer.reason.as_str())
        }
        Outcome::Refused(refusal) => format!("problem {}", refusal.problem.code.as_str()),
        Outcome::Fallback(fallback) => match fallback.edge {
            Some(edge) => format!("refused {}", edge.status),
            None => format!("fallback {}", fallback.reason),
        },
    };
    *tally.outcomes.entry(outcome).or_default() += 1;
}

/// Whether a page had something to show: a ranking, or the list that the edge sends in a cell's place.
fn is_shelf(outcome: &str) -> bool {
    const LISTS: [&str; 4] = ["cell-busy", "cell-failed", "key-refused", "too-large"];
    outcome.starts_with("rung ")
        || outcome.strip_prefix("fallback ").is_some_and(|reason| LISTS.contains(&reason))
}

fn report(load: &Load, tally: Tally, seconds: f64) -> anyhow::Result<ExitCode> {
    let at = |permille: usize| {
        let rank = (tally.micros.len() * permille).div_ceil(1_000).saturating_sub(1);
        tally.micros.get(rank).copied().map(millis)
    };
    let count = u32::try_from(tally.micros.len()).context("too many requests")?;
    let per_second = f64::from(count) / seconds;
    let bad = tally.outcomes.keys().any(|outcome| !is_shelf(outcome));
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
    Duration::from_micros(micros).as_secs_f64() * 1_000.0
}
