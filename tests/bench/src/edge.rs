//! The edge's bench: each measurement is one file below `edge/`, all of them in one run.

mod build;
mod cold;
mod decide;
mod flat;
mod host;
mod hot;
mod instances;
mod relay;
mod scene;
mod swap;

use std::path::PathBuf;

use anyhow::Context as _;
use serde_json::json;

use domicile_cluster::report::{print, say};

use crate::figures::Figures;
use crate::{Verdict, plot};
use scene::Scene;

/// What `domicile-bench edge` takes.
#[derive(clap::Args)]
pub(crate) struct Options {
    /// The bare guest, as a core module (`cargo xtask bench edge` builds it)
    #[arg(long, value_name = "FILE")]
    hello: PathBuf,
    /// Where to work
    #[arg(long, value_name = "DIR")]
    folder: PathBuf,
    /// A few requests of everything: shows that it works, measures nothing
    #[arg(long)]
    quick: bool,
    /// Only the parts whose name contains this: router, build, cold, shelf, instances, relay, memory, swaps
    #[arg(long, value_name = "NAME")]
    only: Option<String>,
    /// Requests over which memory has to stay flat; the bar speaks of 1000000
    #[arg(long, default_value_t = 100_000)]
    requests: usize,
    /// Decides the order of locales and slots
    #[arg(long, default_value_t = 1)]
    seed: u64,
    /// Connections of the load, each with one request under way
    #[arg(long, default_value_t = 8, value_parser = clap::value_parser!(u16).range(1..=256))]
    connections: u16,
    /// Processor and cores, printed beside the figures
    #[arg(long, default_value = "machine: unknown")]
    machine: String,
    /// Print the figures as JSON
    #[arg(long)]
    json: bool,
}

/// How much of everything.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Amounts {
    /// Rounds of a comparison. Sides take turns, so that a machine that slows down slows both.
    rounds: usize,
    /// Requests of one side in a round.
    slice: usize,
    /// Requests before anything counts.
    warm_up: usize,
    /// Requests one after the other, where latency is compared.
    alone: usize,
    /// Starts of a process.
    starts: usize,
    /// Requests over which memory has to stay flat.
    requests: usize,
    /// Swaps of the artefact under load.
    swaps: usize,
    /// Router decisions in a round.
    decisions: u32,
    /// Connections of the load.
    connections: u16,
}

impl Options {
    const fn amounts(&self) -> Amounts {
        let connections = self.connections;
        if self.quick {
            return Amounts {
                rounds: 2,
                slice: 200,
                warm_up: 50,
                alone: 50,
                starts: 1,
                requests: 2_000,
                swaps: 3,
                decisions: 10_000,
                connections,
            };
        }
        Amounts {
            rounds: 9,
            slice: 20_000,
            warm_up: 5_000,
            alone: 3_000,
            starts: 9,
            requests: self.requests,
            swaps: 20,
            decisions: 1_000_000,
            connections,
        }
    }
}

/// Measures everything. A wrong answer is an error; a missed bar is a verdict.
pub(crate) async fn run(options: Options) -> anyhow::Result<Verdict> {
    let amounts = options.amounts();
    let scene = Scene::set(&options.folder, &options.hello, options.seed)?;
    let mut figures = Figures::default();
    let caption = format!("{}; seed {}, {} connections", options.machine, options.seed, amounts.connections);
    say(format!("{caption}; load, cell and edge share the machine"));
    let wanted = |part: &str, what: &str| {
        let wanted = options.only.as_deref().is_none_or(|only| part.contains(only));
        if wanted {
            say(format!("{part}: {what}"));
        }
        wanted
    };
    if wanted("router", "decisions, native") {
        decide::measure(amounts, &mut figures);
    }
    if wanted("build", "with new lists") {
        build::measure(&scene, amounts, &mut figures)?;
    }
    if wanted("cold", "first answers of fresh processes") {
        cold::measure(&scene, amounts, &mut figures).await?;
    }
    if wanted("shelf", "against a bare guest") {
        hot::measure(&scene, amounts, &mut figures).await?;
    }
    if wanted("instances", "fresh and reused") {
        instances::measure(&scene, amounts, &mut figures).await?;
    }
    if wanted("relay", "against the same request sent directly") {
        relay::measure(&scene, amounts, &mut figures).await?;
    }
    if wanted("memory", "over many requests") {
        flat::measure(&scene, amounts, &mut figures).await?;
    }
    if wanted("swaps", "under load") {
        swap::measure(&scene, amounts, &mut figures).await?;
    }
    anyhow::ensure!(!figures.all().is_empty(), "no part is called {:?}", options.only.unwrap_or_default());

    let missed = figures.missed();
    if options.json {
        let report = json!({
            "bench": "edge", "machine": options.machine, "seed": options.seed, "quick": options.quick,
            "connections": amounts.connections, "figures": figures.json(), "missed": missed,
        });
        print(serde_json::to_string_pretty(&report)?);
    } else {
        figures.print();
    }
    let picture = options.folder.join("edge.svg");
    std::fs::write(&picture, plot::svg(&figures, &caption))
        .with_context(|| format!("cannot write {}", picture.display()))?;
    say(format!("plot: {}", picture.display()));
    if options.quick {
        say("--quick: these figures mean nothing; everything was answered as it should be");
        return Ok(Verdict::Met);
    }
    say(if missed.is_empty() { "all bars met".to_owned() } else { format!("missed: {}", missed.join(", ")) });
    Ok(if missed.is_empty() { Verdict::Met } else { Verdict::Missed })
}
