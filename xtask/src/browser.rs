//! The browser package: what it needs, fetched once, and its build.

use std::path::PathBuf;
use std::process::{Child, Command};
use std::time::Duration;

use anyhow::Context as _;

use domicile_cluster::report::say;
use domicile_cluster::{Cluster, Setup, paths, process};

use crate::{demo, fetch};

/// Between two looks at what the shop's page wishes for, and at whether everything still runs.
const BETWEEN_LOOKS: Duration = Duration::from_millis(200);

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

/// The package's own tests, most of them in a real Chromium, then its codec against the cell's, both ways, then its
/// pages against the demo's edge, cells and identity service.
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
    process::run(node(&["test/run.mjs", "cross"]).env("DOMICILE_ANSWERS_IN", &answers))?;
    beside_a_cluster("browser-real", &mut node(&["test/run.mjs", "real/"]))
}

/// What a page computes for a shelf, and how long after its navigation the personal shelf is there, in Chromium.
///
/// # Errors
/// When it cannot be measured, or a bar is missed.
pub(crate) fn bench() -> anyhow::Result<()> {
    packages()?;
    chromium()?;
    beside_a_cluster("bench-browser", &mut node(&["bench/run.mjs"]))
}

/// Starts the demo's cluster with its shop, tells `command` where that is, and does what the shop's page wishes for
/// until the command ends.
fn beside_a_cluster(name: &str, command: &mut Command) -> anyhow::Result<()> {
    demo::prepare()?;
    let pages = Some(build()?);
    let mut cluster = Cluster::start(Setup { pages, ..demo::setup(name)? })?;
    let shop = cluster.shop_url().context("there is no shop")?.to_owned();
    let mut running = Running(command.env("DOMICILE_SHOP", shop).spawn().context("cannot start node")?);
    let status = loop {
        if let Some(status) = running.0.try_wait()? {
            break status;
        }
        cluster.grant_wishes();
        cluster.check_alive()?;
        std::thread::sleep(BETWEEN_LOOKS);
    };
    anyhow::ensure!(status.success(), "node {:?} failed ({status})", command.get_args().collect::<Vec<_>>());
    Ok(())
}

/// Ends with its owner.
struct Running(Child);

impl Drop for Running {
    fn drop(&mut self) {
        let _ = self.0.kill();
        let _ = self.0.wait();
    }
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
    node_and_npm()?;
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
fn node_and_npm() -> anyhow::Result<()> {
    if process::exists("node") && process::exists("npm") {
        return Ok(());
    }
    fetch::debian(&["nodejs", "npm"])
        .context("Node.js is needed for the shop's pages: install Node.js 20 or later, with npm")
}

/// Node.js with one of the package's own scripts.
fn node(arguments: &[&str]) -> Command {
    let mut node = Command::new("node");
    node.current_dir(folder()).args(arguments);
    node
}

fn npm() -> Command {
    let mut npm = Command::new("npm");
    npm.current_dir(folder());
    npm
}
