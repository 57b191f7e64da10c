//! `cargo xtask demo`: two EU cells of two operators, one US cell, the edge, the identity service and a shop on
//! loopback, with real data.
//!
//! Nothing here is special to the demo but the choice of files: cells, edge and command are the product's own
//! programs, started the way an operator would start them.

mod shop;
mod show;

use std::sync::mpsc;
use std::time::Duration;

use anyhow::Context as _;

use domicile_cluster::report::{self, print, say, seconds};
use domicile_cluster::{Clocks, Cluster, Setup, cluster, paths};

use crate::{browser, build, fetch};

/// Between two looks at what the shop's page wishes for, and at whether everything still runs.
const BETWEEN_LOOKS: Duration = Duration::from_millis(200);

/// What `cargo xtask demo` takes.
#[derive(clap::Args)]
pub(crate) struct Demo {
    /// End after the first answers; exit 0 when they are what they should be, 1 otherwise
    #[arg(long)]
    once: bool,
}

/// Runs the demo until Ctrl-C, or once.
pub(crate) fn run(demo: &Demo) -> anyhow::Result<()> {
    let (interrupt, interrupted) = mpsc::sync_channel(1);
    ctrlc::set_handler(move || {
        // A second Ctrl-C finds the channel full; the first is being acted on.
        let _ = interrupt.try_send(());
    })
    .context("cannot listen for Ctrl-C")?;
    let started = report::now();
    prepare()?;
    let pages = Some(browser::build()?);
    let mut cluster = Cluster::start(Setup { pages, ..setup("demo")? })?;
    say(format!("up after {}", seconds(started.elapsed())));
    let sound = show::first_answers(&cluster)?;
    shop::check(&cluster)?;
    if demo.once {
        anyhow::ensure!(sound, "the first answers are not what they should be");
        return Ok(());
    }
    say(format!(
        "\nthe edge serves at {}, the identity service at {}",
        cluster.edge_url(),
        cluster.identity_url()
    ));
    print(format!("\nthe shop: {}/", cluster.shop_url().context("there is no shop")?));
    say("Ctrl-C ends everything");
    while let Err(mpsc::RecvTimeoutError::Timeout) = interrupted.recv_timeout(BETWEEN_LOOKS) {
        cluster.grant_wishes();
        cluster.check_alive()?;
    }
    say("stopping");
    Ok(())
}

/// Builds and fetches everything a cluster needs.
pub(crate) fn prepare() -> anyhow::Result<()> {
    build::programs()?;
    crate::wasm::build_modules()?;
    fetch::onnx_runtime()?;
    fetch::demo_data()?;
    Ok(())
}

/// What a cluster needs, with its files in a folder of its own.
pub(crate) fn setup(name: &str) -> anyhow::Result<Setup> {
    let data = fetch::demo_data()?;
    Ok(Setup {
        folder: paths::target().join(name),
        onnx_runtime: fetch::onnx_runtime()?,
        history: data.join("history.csv"),
        assignments: data.join("assignments.csv"),
        clocks: Clocks::Committed,
        pages: None,
    })
}

/// An error when a server of the demo is still running.
pub(crate) fn nothing_left() -> anyhow::Result<()> {
    let left = cluster::running(&paths::target().join("demo"));
    anyhow::ensure!(left.is_empty(), "processes were left behind: {left:?}");
    Ok(())
}
