//! `domicile pin`: mints and verifies pins.

use std::path::PathBuf;
use std::process::ExitCode;

use anyhow::Context as _;
use domicile_pin::Pin;
use domicile_topology::{ClassId, KeyUse, Topology};

use crate::{clock, key, output, topology};

/// Mint and verify pins: the signed statement of a residency class, the same for every shopper of it.
#[derive(clap::Subcommand)]
pub(crate) enum PinCommand {
    /// Mint the pin of a class for an epoch
    Mint {
        /// The topology that names the class and its epochs
        #[arg(long, value_name = "FILE")]
        topology: PathBuf,
        /// The secret key; the topology has to list its public half with use "pin"
        #[arg(long, value_name = "FILE")]
        key: PathBuf,
        /// The class's name
        #[arg(long)]
        class: String,
        /// A minute of the epoch meant, counted from the Unix epoch; default: now
        #[arg(long, value_name = "MINUTE")]
        minute: Option<u32>,
        /// Print pin, class, epoch, and the minutes between which it is accepted
        #[arg(long)]
        json: bool,
    },
    /// Verify a pin; exits 1 with the refusal's code when it is refused
    Verify {
        /// The topology that lists the keys
        #[arg(long, value_name = "FILE")]
        topology: PathBuf,
        /// The pin's text
        pin: String,
        /// The minute to judge at, counted from the Unix epoch; default: now
        #[arg(long, value_name = "MINUTE")]
        minute: Option<u32>,
        /// Print the verdict as JSON
        #[arg(long)]
        json: bool,
    },
}

/// Runs one command.
pub(crate) fn run(command: PinCommand) -> anyhow::Result<ExitCode> {
    match command {
        PinCommand::Mint { topology: file, key: key_file, class, minute, json } => {
            let topology = topology::load(&file)?;
            let signing = key::signing(&key_file)?;
            topology::ensure_listed(&topology, &signing.verifying_key(), KeyUse::Pin)
                .with_context(|| file.display().to_string())?;
            let known = || topology.classes.iter().map(|c| c.name.as_str()).collect::<Vec<_>>().join(", ");
            let class = topology
                .class_named(&class)
                .with_context(|| format!("no class {class:?}; there are {}", known()))?;
            let epoch = topology.pin.at(minute.unwrap_or_else(clock::minute));
            let pin = Pin::mint(class.id.0, epoch, &signing);
            if json {
                output::json(&serde_json::json!({
                    "pin": pin.to_string(), "class": class.name, "epoch": epoch.0,
                    "from_minute": topology.pin.begins(epoch), "until_minute": topology.pin.ends(epoch),
                }));
            } else {
                output::line(pin.to_string());
            }
            Ok(ExitCode::SUCCESS)
        }
        PinCommand::Verify { topology: file, pin, minute, json } => {
            let topology = topology::load(&file)?;
            Ok(verify(&topology, &pin, minute.unwrap_or_else(clock::minute), json))
        }
    }
}

fn verify(topology: &Topology, text: &str, minute: u32, json: bool) -> ExitCode {
    let verdict =
        Pin::parse(text).and_then(|pin| pin.verify(&topology.keys_for(KeyUse::Pin), topology.pin, minute));
    let class = verdict.map(|id| topology.class(ClassId(id)).map(|c| c.name.clone()));
    let (accepted, said) = match class {
        Ok(Some(name)) => (true, name),
        Ok(None) => (false, "unknown-class".to_owned()),
        Err(refusal) => (false, refusal.to_string()),
    };
    if json {
        let field = if accepted { "class" } else { "refusal" };
        output::json(&serde_json::json!({ "accepted": accepted, field: said }));
    } else {
        output::line(said);
    }
    if accepted { ExitCode::SUCCESS } else { ExitCode::FAILURE }
}
