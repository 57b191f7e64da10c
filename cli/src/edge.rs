//! `domicile edge`: build and audit the edge artefact.

use std::process::ExitCode;

/// The edge's commands.
#[derive(clap::Subcommand)]
pub(crate) enum Edge {}

/// Runs one command.
pub(crate) fn run(command: Edge) -> anyhow::Result<ExitCode> {
    match command {}
}
