//! `cargo xtask release-modules`: what the modules are, stated and signed.
//!
//! The statement is made by `domicile edge release-modules`, which knows its form; what only a checkout knows is here:
//! how to build the modules, and the revision of what they are built from.

use std::path::PathBuf;
use std::process::Command;

use domicile_cluster::{paths, process};

use super::{build_modules, modules};
use crate::build;

/// What `cargo xtask release-modules` takes.
#[derive(clap::Args)]
pub(crate) struct Release {
    /// The secret key of the release (`domicile key sign new`)
    #[arg(long, value_name = "FILE")]
    key: PathBuf,
    /// The folder that gets the modules and modules.dsse.json
    #[arg(long, value_name = "DIR")]
    out: PathBuf,
}

/// Builds, and has the result signed.
pub(crate) fn release(release: &Release) -> anyhow::Result<()> {
    let source = revision()?;
    build::programs()?;
    build_modules()?;
    let mut command = Command::new(paths::binary("domicile"));
    command.args(["edge", "release-modules", "--source", &source, "--modules"]).arg(modules());
    process::run(command.arg("--key").arg(&release.key).arg("--out").arg(&release.out))
}

/// The commit that the tree is at. With changes in it, no revision names what is built.
fn revision() -> anyhow::Result<String> {
    let git = || {
        let mut git = Command::new("git");
        git.current_dir(paths::root());
        git
    };
    let changed = process::capture(git().args(["status", "--porcelain"]))?;
    anyhow::ensure!(
        changed.is_empty(),
        "the tree has changes; commit them first: a release names the revision that it is built from"
    );
    Ok(process::capture(git().args(["rev-parse", "HEAD"]))?.trim().to_owned())
}
