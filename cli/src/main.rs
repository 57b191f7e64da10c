//! The `domicile` command.

use std::process::ExitCode;

use clap::{Parser, Subcommand};

mod edge;

/// Personalised ranking that stays at home.
#[derive(Parser)]
#[command(name = "domicile", version, about)]
struct Cli {
    #[command(subcommand)]
    command: Command,
}

#[derive(Subcommand)]
enum Command {
    /// Build and audit the edge artefact
    #[command(subcommand)]
    Edge(edge::Edge),
}

fn main() -> ExitCode {
    let outcome = match Cli::parse().command {
        Command::Edge(command) => edge::run(command),
    };
    match outcome {
        Ok(code) => code,
        Err(error) => {
            #[expect(clippy::print_stderr, reason = "a command-line tool reports on standard error")]
            {
                eprintln!("domicile: {error:#}");
            }
            ExitCode::FAILURE
        }
    }
}
