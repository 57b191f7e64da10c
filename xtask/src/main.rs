//! The developers' commands: `cargo xtask demo | test | edge | bench | train`.
//!
//! Kept free of the product's own crates on purpose: this binary has to start within seconds on a fresh
//! machine, say what it is about to build or fetch, and only then start the long work.

use std::process::ExitCode;

use clap::{Parser, Subcommand};

mod wasm;

#[derive(Parser)]
#[command(name = "xtask", about, version)]
struct Cli {
    #[command(subcommand)]
    command: Command,
}

#[derive(Subcommand)]
enum Command {
    /// Build the edge's core modules (wasm32) into target/edge/modules
    Modules,
}

fn main() -> ExitCode {
    let outcome = match Cli::parse().command {
        Command::Modules => wasm::build_modules(),
    };
    match outcome {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            #[expect(clippy::print_stderr, reason = "a command-line tool reports on standard error")]
            {
                eprintln!("xtask: {error:#}");
            }
            ExitCode::FAILURE
        }
    }
}
