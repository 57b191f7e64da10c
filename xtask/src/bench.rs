//! `cargo xtask bench`: measurements, with seed and machine; never part of a test.

use std::process::Command;

use anyhow::Context as _;
use serde_json::Value;

use domicile_cluster::cluster::demo_file;
use domicile_cluster::report::{print, say};
use domicile_cluster::{Cluster, paths, process};

use crate::{build, demo, wasm};

/// What can be measured.
#[derive(clap::Subcommand)]
pub(crate) enum Bench {
    /// Personal answers over the demo catalogue, end to end through the edge, 8 concurrent callers
    Demo {
        /// Decides the order of shoppers
        #[arg(long, default_value_t = 1)]
        seed: u64,
        /// Requests counted
        #[arg(long, default_value_t = 4_000)]
        requests: u32,
    },
    /// The edge: against a bare guest, against a direct call, cold, over many requests and swaps
    Edge(Edge),
    /// Sealing: what it costs the cell, against plain requests and beside garbage
    Seal(Seal),
    /// The page's side in Chromium: sealing and opening with either curve, and from navigation to the personal shelf
    Browser,
}

/// What the seal's bench takes.
#[derive(clap::Args)]
pub(crate) struct Seal {
    /// A few requests of everything: shows that it works, measures nothing
    #[arg(long)]
    quick: bool,
    /// Decides the order of shoppers, and the noise
    #[arg(long, default_value_t = 1)]
    seed: u64,
    /// Print the figures as JSON
    #[arg(long)]
    json: bool,
}

/// What the edge's bench takes.
#[derive(clap::Args)]
pub(crate) struct Edge {
    /// A few requests of everything: shows that it works, measures nothing
    #[arg(long)]
    quick: bool,
    /// Only the parts whose name contains this: router, build, cold, shelf, instances, relay, memory, swaps
    #[arg(long, value_name = "NAME")]
    only: Option<String>,
    /// Requests over which memory has to stay flat
    #[arg(long, default_value_t = 100_000)]
    requests: u32,
    /// A million of them, as the bar says: takes some minutes more
    #[arg(long, conflicts_with = "requests")]
    million: bool,
    /// Decides the order of locales and slots
    #[arg(long, default_value_t = 1)]
    seed: u64,
    /// Print the figures as JSON
    #[arg(long)]
    json: bool,
}

/// The bar of the demo bench, in milliseconds at the 99th percentile.
const DEMO_P99_MS: f64 = 40.0;

/// What `--million` stands for.
const MILLION: u32 = 1_000_000;

/// Runs one bench. A missed bar is reported and is an error.
pub(crate) fn run(bench: &Bench) -> anyhow::Result<()> {
    match bench {
        Bench::Demo { seed, requests } => demo(*seed, *requests),
        Bench::Edge(options) => edge(options),
        Bench::Seal(options) => seal(options),
        Bench::Browser => crate::browser::bench(),
    }
}

/// The edge. The bench is a program of its own: this one is the first that is built on a new machine, and stays small.
fn edge(options: &Edge) -> anyhow::Result<()> {
    build::programs()?;
    wasm::build_modules()?;
    let hello = wasm::build_hello()?;
    let requests = if options.million { MILLION } else { options.requests };
    let mut bench = Command::new(paths::binary("domicile-bench"));
    bench.arg("edge").arg("--hello").arg(hello).arg("--folder").arg(paths::target().join("bench"));
    bench.arg("--seed").arg(options.seed.to_string()).arg("--requests").arg(requests.to_string());
    bench.arg("--machine").arg(machine());
    bench.args(options.quick.then_some("--quick")).args(options.json.then_some("--json"));
    bench.args(options.only.iter().flat_map(|only| ["--only", only]));
    end(&mut bench)
}

/// Sealing: cells alone, without an edge.
fn seal(options: &Seal) -> anyhow::Result<()> {
    demo::prepare()?;
    let setup = demo::setup("bench")?;
    let mut bench = Command::new(paths::binary("domicile-bench"));
    bench.arg("seal").arg("--folder").arg(&setup.folder).arg("--onnxruntime").arg(&setup.onnx_runtime);
    bench.arg("--history").arg(&setup.history).arg("--assignments").arg(&setup.assignments);
    bench.arg("--seed").arg(options.seed.to_string()).arg("--machine").arg(machine());
    bench.args(options.quick.then_some("--quick")).args(options.json.then_some("--json"));
    end(&mut bench)
}

/// Runs a bench to its end; a missed bar is an error.
fn end(bench: &mut Command) -> anyhow::Result<()> {
    let status = bench.status().context("cannot start domicile-bench")?;
    match status.code() {
        Some(0) => Ok(()),
        Some(1) => anyhow::bail!("a bar is missed"),
        _ => anyhow::bail!("nothing could be measured ({status})"),
    }
}

fn demo(seed: u64, requests: u32) -> anyhow::Result<()> {
    demo::prepare()?;
    let cluster = Cluster::start(demo::setup("bench-demo")?)?;
    say(format!("{}; clients, edge and cells share them", machine()));
    let mut load = Command::new(paths::binary("domicile"));
    load.args(["load", "--json", "--callers", "8", "--edge", cluster.edge_url()]);
    load.arg("--seed").arg(seed.to_string()).arg("--requests").arg(requests.to_string());
    load.args(["--identity", cluster.identity_url(), "--root-key"]).arg(demo_file("keys/root.jwk"));
    load.arg("--assignments").arg(&cluster.setup().assignments);
    let report = process::capture(&mut load)?;
    print(report.trim_end());
    let report: Value = serde_json::from_str(&report).context("domicile load printed no JSON")?;
    ensure_ranked(&report)?;
    let p99 = report.get("p99_ms").and_then(Value::as_f64).context("no p99")?;
    let verdict = if p99 <= DEMO_P99_MS { "met" } else { "missed" };
    print(format!("p99 {p99:.1} ms, bar {DEMO_P99_MS} ms: {verdict}"));
    anyhow::ensure!(p99 <= DEMO_P99_MS, "the bar is missed");
    Ok(())
}

/// An error unless all but a few requests were ranked: an answer that is none comes quickly.
fn ensure_ranked(report: &Value) -> anyhow::Result<()> {
    let outcomes = report.get("outcomes").and_then(Value::as_object).context("no outcomes")?;
    let count = |wanted: fn(&str) -> bool| -> u64 {
        outcomes.iter().filter(|(name, _)| wanted(name)).filter_map(|(_, count)| count.as_u64()).sum()
    };
    let (all, ranked) =
        (count(|_| true), count(|name| name.starts_with("rung full") || name.starts_with("rung compact")));
    anyhow::ensure!(
        ranked * 100 >= all * 95,
        "{ranked} of {all} requests were ranked: the figures mean nothing"
    );
    Ok(())
}

/// Processor and cores, as figures need them beside them.
pub(crate) fn machine() -> String {
    let info = std::fs::read_to_string("/proc/cpuinfo").unwrap_or_default();
    let model = info
        .lines()
        .find_map(|l| l.strip_prefix("model name")?.split_once(": "))
        .map_or("unknown", |(_, m)| m);
    let cores = std::thread::available_parallelism().map_or(0, usize::from);
    format!("machine: {model}, {cores} cores")
}
