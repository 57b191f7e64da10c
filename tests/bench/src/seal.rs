//! The seal's bench: what sealing costs the cell, and what noise costs those who seal.

mod cells;
mod noise;
mod primitives;
mod requests;
mod throughput;

use std::path::PathBuf;

use serde_json::json;

use domicile_cluster::report::{print, say};

use crate::Verdict;
use crate::figures::Figures;
use cells::Cells;

/// What `domicile-bench seal` takes.
#[derive(clap::Args)]
pub(crate) struct Options {
    /// Where to work
    #[arg(long, value_name = "DIR")]
    folder: PathBuf,
    /// The ONNX Runtime library
    #[arg(long, value_name = "FILE")]
    onnxruntime: PathBuf,
    /// `shopper,item,kind,time_s`
    #[arg(long, value_name = "FILE")]
    history: PathBuf,
    /// `shopper,locale`
    #[arg(long, value_name = "FILE")]
    assignments: PathBuf,
    /// A few requests of everything: shows that it works, measures nothing
    #[arg(long)]
    quick: bool,
    /// Decides the order of shoppers, and the noise
    #[arg(long, default_value_t = 1)]
    seed: u64,
    /// Processor and cores, printed beside the figures
    #[arg(long, default_value = "machine: unknown")]
    machine: String,
    /// Print the figures as JSON
    #[arg(long)]
    json: bool,
}

/// How much of everything.
#[derive(Debug, Clone, Copy)]
struct Amounts {
    /// Rounds of a comparison. Sides take turns.
    rounds: usize,
    /// Requests of one side in a round.
    slice: usize,
    /// Requests opened and answered, one after the other.
    alone: usize,
    /// Seconds of a round of load at a fixed rate.
    seconds: u32,
    /// Whether that rate has to be kept: not where there are too few requests for one.
    keeps_rate: bool,
}

/// Connections of the load, each with one request under way.
const CONNECTIONS: u16 = 8;

impl Options {
    const fn amounts(&self) -> Amounts {
        if self.quick {
            Amounts { rounds: 2, slice: 100, alone: 200, seconds: 1, keeps_rate: false }
        } else {
            Amounts { rounds: 9, slice: 1_500, alone: 5_000, seconds: 6, keeps_rate: true }
        }
    }
}

/// Measures everything. A wrong answer is an error; a missed bar is a verdict.
pub(crate) async fn run(options: Options) -> anyhow::Result<Verdict> {
    let amounts = options.amounts();
    let mut figures = Figures::default();
    say(format!("{}; seed {}; load and cells share the machine", options.machine, options.seed));
    say("primitives: a request opened and an answer sealed, one after the other");
    primitives::measure(amounts, &mut figures)?;
    let cells = Cells::start(&options)?;
    say("throughput: rankings, sealed and plain");
    let sealed_rate = throughput::measure(&cells, amounts, &mut figures).await?;
    say("noise: garbage at ten times the rate of what is asked");
    noise::measure(&cells, amounts, sealed_rate, options.seed, &mut figures).await?;
    let missed = figures.missed();
    if options.json {
        let report = json!({
            "bench": "seal", "machine": options.machine, "seed": options.seed, "quick": options.quick,
            "figures": figures.json(), "missed": missed,
        });
        print(serde_json::to_string_pretty(&report)?);
    } else {
        figures.print();
    }
    if options.quick {
        say("--quick: these figures mean nothing; everything was answered as it should be");
        return Ok(Verdict::Met);
    }
    say(if missed.is_empty() { "all bars met".to_owned() } else { format!("missed: {}", missed.join(", ")) });
    Ok(if missed.is_empty() { Verdict::Met } else { Verdict::Missed })
}
