//! `domicile edge`: builds and audits the edge artefact. Neither needs a compiler or a network.

use std::path::PathBuf;
use std::process::ExitCode;

mod audit;
mod build;

/// Build and audit the edge artefact.
#[derive(clap::Subcommand)]
pub(crate) enum Edge {
    /// Put an edge together from core modules, a topology, an overlay and pins
    Build(build::Build),
    /// Say what an artefact imports and whether that is allowed (exit 0: passed, 1: failed, 2: unreadable)
    Audit {
        /// The artefact, or one of its components before plugging
        file: PathBuf,
        /// Print the audit as JSON
        #[arg(long)]
        json: bool,
    },
}

/// Runs one command.
pub(crate) fn run(command: Edge) -> anyhow::Result<ExitCode> {
    match command {
        Edge::Build(build) => build::run(&build),
        Edge::Audit { file, json } => Ok(audit::run(&file, json)),
    }
}
