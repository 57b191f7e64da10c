//! The `domicile` command.
//!
//! Exit codes of every command: 0 done; 1 refused or failed, with one line that says why; 2 wrong usage.

use std::process::ExitCode;

use clap::{Parser, Subcommand};

mod client;
mod clock;
mod document;
mod edge;
mod key;
mod load;
mod output;
mod pin;
mod rank;
mod routes;
mod topology;

/// Personalised ranking that stays at home.
#[derive(Parser)]
#[command(
    name = "domicile",
    version,
    about,
    after_help = "Exit codes: 0 done; 1 refused or failed, the reason in one line; 2 wrong usage."
)]
struct Cli {
    #[command(subcommand)]
    command: Command,
}

#[derive(Subcommand)]
enum Command {
    /// Build, check and audit the edge artefact
    #[command(subcommand)]
    Edge(edge::Edge),
    /// Make and show keys
    #[command(subcommand)]
    Key(key::Key),
    /// Drive an edge with many callers and report latency, rungs and outcomes
    Load(load::Load),
    /// Sign, verify and show overlays: eligibility and popularity lists
    #[command(subcommand)]
    Overlay(document::Document),
    /// Mint and verify pins
    #[command(subcommand)]
    Pin(pin::PinCommand),
    /// Ask for a shopper's shelf and show it beside the popularity list
    Rank(rank::Rank),
    /// Sign, verify and show snapshots: models, index and item tables
    #[command(subcommand)]
    Snapshot(document::Document),
    /// Sign and check topologies
    #[command(subcommand)]
    Topology(topology::TopologyCommand),
}

fn main() -> ExitCode {
    let outcome = match Cli::parse().command {
        Command::Edge(command) => edge::run(command),
        Command::Key(command) => key::run(command),
        Command::Load(command) => block_on(load::run(command)),
        Command::Overlay(command) => document::run(document::Kind::Overlay, command),
        Command::Pin(command) => pin::run(command),
        Command::Rank(command) => block_on(rank::run(command)),
        Command::Snapshot(command) => document::run(document::Kind::Snapshot, command),
        Command::Topology(command) => topology::run(command),
    };
    match outcome {
        Ok(code) => code,
        Err(error) => {
            output::complain(format!("{error:#}"));
            ExitCode::FAILURE
        }
    }
}

fn block_on(work: impl Future<Output = anyhow::Result<ExitCode>>) -> anyhow::Result<ExitCode> {
    tokio::runtime::Builder::new_multi_thread().enable_all().build()?.block_on(work)
}
