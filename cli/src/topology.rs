//! `domicile topology`: checks a topology and shows what it means.

use std::path::{Path, PathBuf};
use std::process::ExitCode;

use domicile_envelope::VerifyingKey;
use domicile_topology::{KeyUse, Topology, TopologyError};

use crate::output;

/// Check topologies.
#[derive(clap::Subcommand)]
pub(crate) enum TopologyCommand {
    /// Check a topology.toml: every problem with its place and remedy (exit 1), or what it means (exit 0)
    Check {
        /// The file
        file: PathBuf,
        /// Print the verdict as JSON
        #[arg(long)]
        json: bool,
    },
}

/// Runs one command.
pub(crate) fn run(command: TopologyCommand) -> anyhow::Result<ExitCode> {
    let TopologyCommand::Check { file, json } = command;
    Ok(match (Topology::parse(&output::read(&file)?), json) {
        (Ok(topology), true) => {
            output::json(&serde_json::json!({
                "sound": true, "serial": topology.serial, "cells": topology.cells.len(),
                "classes": topology.classes.len(), "locales": topology.locales.len(), "slots": topology.slots.len(),
            }));
            ExitCode::SUCCESS
        }
        (Ok(topology), false) => {
            show(&topology);
            ExitCode::SUCCESS
        }
        (Err(error), true) => {
            let problems: Vec<_> = error
                .problems
                .iter()
                .map(|p| serde_json::json!({ "place": p.place, "problem": p.text }))
                .collect();
            output::json(&serde_json::json!({ "sound": false, "problems": problems }));
            ExitCode::FAILURE
        }
        (Err(error), false) => {
            error.problems.iter().for_each(|p| output::line(format!("{}: {p}", file.display())));
            ExitCode::FAILURE
        }
    })
}

/// Reads a topology; the error names the file and every problem.
pub(crate) fn load(path: &Path) -> anyhow::Result<Topology> {
    Topology::parse(&output::read(path)?)
        .map_err(|error: TopologyError| anyhow::anyhow!("topology {}: {error}", path.display()))
}

/// Refuses a key that the topology does not list for `purpose`: no cell would accept what it signs.
pub(crate) fn ensure_listed(topology: &Topology, key: &VerifyingKey, purpose: KeyUse) -> anyhow::Result<()> {
    anyhow::ensure!(
        topology.keys_for(purpose).contains(key),
        "key {} is not listed with use {:?} in the topology: no cell would accept what it signs",
        key.id(),
        purpose.as_str()
    );
    Ok(())
}

fn show(topology: &Topology) {
    output::line(format!("serial {}: sound", topology.serial));
    for class in &topology.classes {
        let total: u32 = class.cells.iter().map(|c| c.weight).sum();
        let cells: Vec<String> = class
            .cells
            .iter()
            .filter_map(|c| topology.cell(c.cell).map(|cell| (cell, c.weight)))
            .map(|(cell, weight)| {
                format!("{} ({}, {}, {weight}/{total})", cell.name, cell.boundary, cell.operator)
            })
            .collect();
        let locales: Vec<&str> =
            topology.locales.iter().filter(|l| l.class == class.id).map(|l| l.name.as_str()).collect();
        let cells = if cells.is_empty() { "no cell: list only".to_owned() } else { cells.join(", ") };
        output::line(format!("class {} [{}]: {cells}", class.name, locales.join(" ")));
    }
    for slot in &topology.slots {
        output::line(format!(
            "slot {}: {} items, relay waits {} ms",
            slot.name, slot.items, slot.relay_wait_ms
        ));
    }
    if topology.has_demo_keys() {
        output::line("published demo keys: good on loopback only");
    }
}
