//! `domicile topology`: signs and checks topologies and shows what they mean.

use std::path::{Path, PathBuf};
use std::process::ExitCode;

use anyhow::Context as _;
use domicile_envelope::{Envelope, KeyError, KeyId, VerifyingKey};
use domicile_files::{ensure_replaceable, limit};
use domicile_topology::{Cell, KeyUse, SignedTopologyError, Topology, TopologyError};

use crate::edge::overlap;
use crate::{clock, key, output, routes};

/// Sign and check topologies.
#[derive(clap::Subcommand)]
pub(crate) enum TopologyCommand {
    /// Check a topology.toml, signed or not: every problem with its place and remedy (exit 1), or what it means (exit 0)
    Check {
        /// The file
        file: PathBuf,
        /// A root key, public or secret, that may have signed it; repeat it for the successor
        #[arg(long, value_name = "FILE")]
        root_key: Vec<PathBuf>,
        /// Print the verdict as JSON
        #[arg(long)]
        json: bool,
    },
    /// Check a topology.toml and sign exactly its bytes into a DSSE envelope
    Sign {
        /// The topology.toml
        file: PathBuf,
        /// The secret root key; a key that the topology lists for another use is refused
        #[arg(long, value_name = "FILE")]
        key: PathBuf,
        /// Where the envelope goes
        #[arg(long, value_name = "FILE")]
        out: PathBuf,
        /// Sign the route manifest of each class as well, into DIR/route-CLASS.dsse.json
        #[arg(long, value_name = "DIR")]
        routes: Option<PathBuf>,
        /// How long the route manifests hold
        #[arg(long, value_name = "DAYS", default_value_t = 30, requires = "routes")]
        #[arg(value_parser = clap::value_parser!(u16).range(1..=3_650))]
        valid_days: u16,
        /// The minute from which they hold, counted from the Unix epoch, to repeat a signing; default: now
        #[arg(long, value_name = "MINUTE", requires = "routes")]
        minute: Option<u32>,
    },
}

/// Runs one command.
pub(crate) fn run(command: TopologyCommand) -> anyhow::Result<ExitCode> {
    match command {
        TopologyCommand::Check { file, root_key, json } => check(&file, &root_key, json),
        TopologyCommand::Sign { file, key, out, routes, valid_days, minute } => {
            let inputs = [("the topology", file.clone()), ("--key", key.clone())];
            let (text, key) = (output::text(&file, limit::TEXT)?, key::signing(&key)?);
            let named = || format!("topology {}", file.display());
            let envelope = Topology::sign(&text, &key).with_context(named)?;
            // Both or neither: what is refused leaves no topology behind that has no manifests.
            let manifests = match &routes {
                Some(_) => routes::signed(
                    &Topology::parse(&text)?,
                    &key,
                    minute.unwrap_or_else(clock::minute),
                    valid_days,
                )
                .with_context(named)?,
                None => Vec::new(),
            };
            let mut outputs = vec![("--out", out.clone())];
            for (folder, (class, _)) in
                routes.iter().flat_map(|folder| manifests.iter().map(move |m| (folder, m)))
            {
                outputs.push(("--routes", routes::file(folder, class)));
            }
            overlap::ensure_none(&inputs, &outputs)?;
            for (_, path) in &outputs {
                ensure_replaceable(path)?;
            }
            if let Some(folder) = &routes {
                routes::write(folder, &manifests)?;
            }
            output::write_whole(&out, envelope.as_bytes())?;
            Ok(ExitCode::SUCCESS)
        }
    }
}

fn check(file: &Path, root_key: &[PathBuf], json: bool) -> anyhow::Result<ExitCode> {
    let text = output::text(file, limit::TEXT)?;
    let roots = root_key.iter().map(|path| key::verifying(path)).collect::<anyhow::Result<Vec<_>>>()?;
    let (topology, signer) = if roots.is_empty() {
        (Topology::parse(&plain(text).with_context(|| file.display().to_string())?), None)
    } else {
        match Topology::open(&text, &roots) {
            Ok(signed) => (Ok(signed.topology), Some(signed.signer.to_string())),
            Err(SignedTopologyError::Unsound(error)) => (Err(error), None),
            Err(refusal) => {
                refused(file, &[("signature".to_owned(), refusal.to_string())], json);
                return Ok(ExitCode::FAILURE);
            }
        }
    };
    Ok(match (topology, json) {
        (Ok(topology), true) => {
            output::json(&serde_json::json!({
                "sound": true, "serial": topology.serial, "cells": topology.cells.len(),
                "classes": topology.classes.len(), "locales": topology.locales.len(), "slots": topology.slots.len(),
                "signed_by": signer,
            }));
            ExitCode::SUCCESS
        }
        (Ok(topology), false) => {
            show(&topology);
            output::line(match signer {
                Some(key) => format!("signed by {key}"),
                None => "signature: not looked at (--root-key does)".to_owned(),
            });
            ExitCode::SUCCESS
        }
        (Err(error), json) => {
            let problems: Vec<_> = error.problems.iter().map(|p| (p.place.clone(), p.text.clone())).collect();
            refused(file, &problems, json);
            ExitCode::FAILURE
        }
    })
}

fn refused(file: &Path, problems: &[(String, String)], json: bool) {
    if json {
        let problems: Vec<_> = problems
            .iter()
            .map(|(place, problem)| serde_json::json!({ "place": place, "problem": problem }))
            .collect();
        output::json(&serde_json::json!({ "sound": false, "problems": problems }));
    } else {
        for (place, problem) in problems {
            output::line(format!("{}: {}: {}", file.display(), output::shown(place), output::shown(problem)));
        }
    }
}

/// Reads a topology, signed or not; the error names the file and every problem.
///
/// A signature is not looked at: what is minted or asked with this is judged by edge and cell, each by its own
/// topology.
pub(crate) fn load(path: &Path) -> anyhow::Result<Topology> {
    let named = || format!("topology {}", path.display());
    Topology::parse(&plain(output::text(path, limit::TEXT)?).with_context(named)?)
        .map_err(|error: TopologyError| anyhow::anyhow!("{}: {error}", named()))
}

/// The text of a topology that may stand in an envelope. No `topology.toml` begins like one.
fn plain(text: String) -> anyhow::Result<String> {
    if text.trim_start().starts_with('{') {
        Ok(String::from_utf8(Envelope::parse(&text)?.unverified_payload()?)?)
    } else {
        Ok(text)
    }
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

/// Refuses a token key, by its public JWK, that the topology lists for whatever it is: a service that anybody may ask
/// would hold what pins, topologies or a cell's receipts are signed with.
pub(crate) fn ensure_unlisted(topology: &Topology, jwk: &str) -> anyhow::Result<()> {
    let id = match VerifyingKey::from_jwk(jwk) {
        Ok(key) => key.id(),
        // A token key is named as its owner likes: it is the same key under any name.
        Err(KeyError::WrongId { expected, .. }) => expected,
        // Of another curve than every listed key.
        Err(_) => return Ok(()),
    };
    match use_of(topology, id) {
        Some(purpose) => anyhow::bail!(
            "the topology lists key {id} as {purpose}, and a key does one thing only; make another with \
             `domicile key token new`"
        ),
        None => Ok(()),
    }
}

/// What a topology lists a key for, in words.
fn use_of(topology: &Topology, id: KeyId) -> Option<String> {
    let is = |key: &Option<VerifyingKey>| key.as_ref().is_some_and(|key| key.id() == id);
    let listed = topology.keys.iter().find(|listed| listed.key.id() == id);
    let of_cell = |cell: &Cell| {
        let member = if is(&cell.signing_key) {
            "signing_key"
        } else if is(&cell.next_signing_key) {
            "next_signing_key"
        } else {
            return None;
        };
        Some(format!("the {member} of cell {:?}", cell.name))
    };
    listed
        .map(|listed| format!("a key of use {:?}", listed.purpose.as_str()))
        .or_else(|| topology.cells.iter().find_map(of_cell))
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
                let operator = output::shown(&cell.operator);
                format!("{} ({}, {operator}, {weight}/{total})", cell.name, cell.boundary)
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
