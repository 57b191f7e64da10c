//! `domicile-bench`: what `cargo xtask bench` runs. Figures are held against bars in the same run that took them.
//!
//! One closed loop drives everything: as many requests under way as there are connections, the next one when the last
//! is answered. It understates what a queue does to the tail, and it does so on both sides of a ratio; the bars here
//! are ratios. An open loop on a machine that is shared with the server measures the generator's own lateness.

mod cell;
mod edge;
mod figures;
mod load;
mod order;
mod plot;
mod seal;
mod stats;

use std::process::ExitCode;

use clap::{Parser, Subcommand};

use domicile_cluster::report::say;

const EXIT_CODES: &str = "\
Exit codes:
  0  every bar is met; with --quick: everything was answered as it should be
  1  a bar is missed
  2  wrong usage
  3  nothing could be measured, or an answer was wrong";

/// Measures.
#[derive(Parser)]
#[command(name = "domicile-bench", version, after_help = EXIT_CODES)]
struct Cli {
    #[command(subcommand)]
    command: Command,
}

#[derive(Subcommand)]
enum Command {
    /// The edge: against a bare guest, against a direct call, cold, over many requests and swaps
    Edge(edge::Options),
    /// Sealing: opening and answering, against plain requests, and beside garbage
    Seal(seal::Options),
}

/// How a bench ended.
enum Verdict {
    Met,
    Missed,
}

fn main() -> ExitCode {
    let command = Cli::parse().command;
    // One thread: the generator must not take more of the machine than it has to.
    let outcome = tokio::runtime::Builder::new_current_thread()
        .enable_all()
        .build()
        .map_err(anyhow::Error::from)
        .and_then(|runtime| match command {
            Command::Edge(options) => runtime.block_on(edge::run(options)),
            Command::Seal(options) => runtime.block_on(seal::run(options)),
        });
    match outcome {
        Ok(Verdict::Met) => ExitCode::SUCCESS,
        Ok(Verdict::Missed) => ExitCode::from(1),
        Err(error) => {
            say(format!("domicile-bench: {error:#}"));
            ExitCode::from(3)
        }
    }
}
