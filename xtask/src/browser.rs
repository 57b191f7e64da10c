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

/// The package's own tests, most of them in a real Chromium, then its codec against the cell's, both ways.
///
/// # Errors
/// When one fails, or what they need is missing and cannot be installed.
pub(crate) fn test() -> anyhow::Result<()> {
    packages()?;
    chromium()?;
    let out = paths::target().join("browser");
    std::fs::create_dir_all(&out).with_context(|| format!("cannot make {}", out.display()))?;
    let (requests, answers) = (out.join("requests.json"), out.join("answers.json"));
    for file in [&requests, &answers] {
        let _ = std::fs::remove_file(file);
    }
    process::run(npm().arg("test").env("DOMICILE_SEALED_OUT", &requests))?;
    say("opening with the cell's code what the browser's sealed, and the other way round");
    process::run(Command::new(paths::binary("examples/other")).arg(&requests).arg(&answers))?;
    let mut opens = Command::new("node");
    opens.current_dir(folder()).args(["test/run.mjs", "cross"]);
    process::run(opens.env("DOMICILE_ANSWERS_IN", &answers))
}

/// What a page computes for a shelf, measured in Chromium.
///
/// # Errors
/// When it cannot be measured.
pub(crate) fn bench() -> anyhow::Result<()> {
    packages()?;
    chromium()?;
    process::run(npm().args(["run", "--silent", "bench"]))
}

/// Debian's Chromium; installed when it is missing.
fn chromium() -> anyhow::Result<()> {
    if std::path::Path::new(CHROMIUM).exists() {
        return Ok(());
    }
    fetch::debian(&["chromium"])
        .with_context(|| format!("the browser tests need Chromium at {CHROMIUM}: install it there"))
}

/// Where the tests look for it.
const CHROMIUM: &str = "/usr/bin/chromium";

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
