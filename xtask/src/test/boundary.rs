//! The same artefact attacked in two hosts: ours with its stripping off, and `wasmtime serve`, which strips nothing.
//!
//! What holds here is the component's doing. A capture server plays the cell and keeps every byte that reaches it; the
//! scenarios are the same for both hosts. Each step first shows that the search finds what it looks for: a request
//! sent straight to the cell leaks every canary.

mod basics;
mod caller;
mod canaries;
mod cell;
mod memory;
mod misbehaviour;
mod smuggling;
mod stage;

use anyhow::Context as _;
use domicile_cluster::report::say;

use stage::{Host, Stage};

/// What is done to an edge.
type Scenario = fn(&Stage) -> anyhow::Result<()>;

/// What is played, and by which name it fails. The search of log and metrics comes last but one: all that was said
/// meanwhile is in there.
const SCENARIOS: [(&str, Scenario); 8] = [
    ("shelf, relay and the cell's codes", basics::check),
    ("canaries", canaries::sweep),
    ("canaries in linear memory", memory::check),
    ("10,000 requests", canaries::many),
    ("smuggling", smuggling::check),
    ("cells that misbehave", misbehaviour::check),
    ("log and metrics", canaries::nothing_was_said),
    ("no cell", basics::without_a_cell),
];

/// The step for our host.
pub(super) fn in_our_host() -> anyhow::Result<()> {
    under(Host::Ours)
}

/// The step for `wasmtime serve`.
pub(super) fn under_wasmtime_serve() -> anyhow::Result<()> {
    under(Host::WasmtimeServe)
}

fn under(host: Host) -> anyhow::Result<()> {
    let stage = Stage::set(host)?;
    for (name, scenario) in SCENARIOS {
        scenario(&stage).with_context(|| format!("{}: {name}", host.name()))?;
    }
    say(format!("{}: nothing got through, and everything was answered", host.name()));
    Ok(())
}
