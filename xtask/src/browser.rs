//! The browser package: what it needs, fetched once, and its build.

use std::path::PathBuf;
use std::process::Command;

use anyhow::Context as _;

use domicile_cluster::report::say;
use domicile_cluster::{paths, process};

use crate::fetch;

/// Where the package is.
pub(crate) fn folder() -> PathBuf {
    paths::root().join("edge-worker/browser")
}

/// Builds client, component and the demo's pages. The folder of the pages.
///
/// # Errors
/// Without Node.js and npm where there is no apt-get, or when a build fails.
pub(crate) fn build() -> anyhow::Result<PathBuf> {
    packages()?;
    say("building the browser package and the demo's pages");
    process::run_quietly(npm().args(["run", "--silent", "build"]))?;
    Ok(folder().join("dist-shop"))
}

/// Fetches what the package's lock file names, once and again when it changes.
fn packages() -> anyhow::Result<()> {
    node()?;
    // npm writes it when all of them are there.
    let installed = folder().join("node_modules/.package-lock.json");
    let written = |file: PathBuf| std::fs::metadata(file).and_then(|meta| meta.modified());
    if written(installed)
        .is_ok_and(|then| written(folder().join("package-lock.json")).is_ok_and(|now| now <= then))
    {
        return Ok(());
    }
    say(
        "fetching what the browser package is built and tested with (npm: TypeScript, esbuild, hpke, …; about 60 MB)",
    );
    process::run_quietly(npm().args(["ci", "--no-audit", "--no-fund"]))
        .context("npm could not fetch the packages: is there a network, or a registry set for npm?")
}

/// Node.js with npm; on Debian they are installed when they are missing.
fn node() -> anyhow::Result<()> {
    if process::exists("node") && process::exists("npm") {
        return Ok(());
    }
    fetch::debian(&["nodejs", "npm"])
        .context("Node.js is needed for the shop's pages: install Node.js 20 or later, with npm")
}

fn npm() -> Command {
    let mut npm = Command::new("npm");
    npm.current_dir(folder());
    npm
}
