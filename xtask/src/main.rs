//! The developers' commands: `cargo xtask demo | test | edge | release-modules | bench | fuzz | train`.
//!
//! Kept free of the product's own crates on purpose: this binary has to start within seconds on a fresh
//! machine, say what it is about to build or fetch, and only then start the long work.

use std::process::ExitCode;

use clap::{Parser, Subcommand};

mod bench;
mod browser;
mod build;
mod demo;
mod fetch;
mod fuzz;
mod test;
mod train;
mod wasm;

use domicile_cluster::report;

/// The developers' commands.
#[derive(Parser)]
#[command(
    name = "cargo xtask",
    version,
    about,
    after_help = "Exit codes: 0 done; 1 failed, the reason in one line; 2 wrong usage."
)]
struct Cli {
    #[command(subcommand)]
    command: Command,
}

#[derive(Subcommand)]
enum Command {
    /// Measure
    #[command(subcommand)]
    Bench(bench::Bench),
    /// Two EU cells, one US cell, the edge and a shop on loopback, with real data
    Demo(demo::Demo),
    /// Build the edge artefact for the demo topology and audit it
    Edge,
    /// Look for inputs that are read wrongly, guided by coverage
    Fuzz(fuzz::Fuzz),
    /// Build the edge's core modules (wasm32) into target/edge/modules
    Modules {
        /// Build the negative fixtures as well
        #[arg(long)]
        fixtures: bool,
    },
    /// Build the core modules and put them into a folder with a signed statement of what they are
    ReleaseModules(wasm::Release),
    /// Everything CI runs, with a table of time per step
    Test {
        /// Only the steps whose name contains this
        step: Option<String>,
    },
    /// Train the demo snapshot and overlay anew and sign them with the published demo keys
    Train,
}

fn main() -> ExitCode {
    let outcome = match Cli::parse().command {
        Command::Bench(bench) => bench::run(&bench),
        Command::Demo(demo) => demo::run(&demo),
        Command::Edge => test::run_edge(),
        Command::Fuzz(fuzz) => fuzz::run(&fuzz),
        Command::Modules { fixtures } => modules(fixtures),
        Command::ReleaseModules(release) => wasm::release(&release),
        Command::Test { step } => test::run(step.as_deref()),
        Command::Train => train::run(),
    };
    match outcome {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            report::say(format!("xtask: {error:#}"));
            ExitCode::FAILURE
        }
    }
}

fn modules(fixtures: bool) -> anyhow::Result<()> {
    wasm::build_modules()?;
    if fixtures { wasm::build_fixtures() } else { Ok(()) }
}
