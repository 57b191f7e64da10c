//! `domicile edge`: builds, checks and audits edge artefacts. None of it needs a compiler or a network.

use std::process::ExitCode;

mod audit;
mod build;
mod check;
mod inputs;
mod modules;
pub(crate) mod overlap;
mod place;
mod release;

/// Build, check and audit the edge artefact.
#[derive(clap::Subcommand)]
pub(crate) enum Edge {
    /// Put an edge together from core modules, a signed topology, an overlay and pins; or, with --check, say whether
    /// one is what a build would make now
    #[command(after_help = build::EXIT_CODES)]
    Build(Box<build::Build>),
    /// Say what an artefact can do and whether that is allowed
    #[command(after_help = audit::EXIT_CODES)]
    Audit(audit::AuditArgs),
    /// Put built core modules into a folder with a signed statement of what they are, for others to build edges from
    ReleaseModules(release::Release),
}

/// Runs one command.
pub(crate) fn run(command: Edge) -> anyhow::Result<ExitCode> {
    match command {
        Edge::Build(build) => match &build.check {
            Some(artefact) => Ok(check::run(&build, artefact)),
            None => build::run(&build),
        },
        Edge::Audit(audit) => Ok(audit::run(&audit)),
        Edge::ReleaseModules(release) => release::run(&release),
    }
}

/// The exit code when there is nothing to judge: a file that cannot be read, or is no component.
const UNREADABLE: u8 = 2;

/// Says why nothing could be judged.
fn unreadable(what: &std::path::Path, reason: &str) -> ExitCode {
    crate::output::complain(format!("{}: {reason}", what.display()));
    ExitCode::from(UNREADABLE)
}
