//! The `domicile` command.
//!
//! Exit codes of every command: 0 done; 1 refused or failed, with one line that says why; 2 wrong usage.

use std::process::ExitCode;

use clap::{Parser, Subcommand};

mod client;
mod clock;
mod document;
mod edge;
mod identity;
mod key;
mod load;
mod output;
mod pin;
mod rank;
mod receipt;
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
    /// Serve tokens, pins and home cells to the demo's shoppers: a reference to write one's own from
    Identity(identity::Identity),
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
    /// Verify a cell's receipt of an answer; exits 0 when it holds, 1 when not, 2 when it cannot be read
    #[command(subcommand)]
    Receipt(receipt::ReceiptCommand),
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
        Command::Identity(command) => block_on(identity::run(command)),
        Command::Key(command) => key::run(command),
        Command::Load(command) => block_on(load::run(command)),
        Command::Overlay(command) => document::run(document::Kind::Overlay, command),
        Command::Pin(command) => pin::run(command),
        Command::Rank(command) => block_on(rank::run(command)),
        Command::Receipt(command) => Ok(receipt::run(command)),
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
