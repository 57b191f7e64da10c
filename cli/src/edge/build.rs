//! `domicile edge build`.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::process::ExitCode;

use anyhow::Context as _;
use domicile_envelope::{SigningKey, VerifyingKey};
use domicile_forge::{Artefact, Manifest, MintedPin, Modules, Origin, Rows};
use domicile_overlay::Overlay;
use domicile_topology::{KeyUse, Topology};

use crate::{clock, key, output, topology};

/// What an edge is put together from.
#[derive(clap::Args)]
pub(crate) struct Build {
    /// The folder with router.wasm, popularity.wasm and relay.wasm
    #[arg(long, value_name = "DIR")]
    modules: PathBuf,
    /// The topology the edge is bound to
    #[arg(long, value_name = "FILE")]
    topology: PathBuf,
    /// The overlay whose lists the edge serves, as a signed envelope
    #[arg(long, value_name = "FILE")]
    overlay: PathBuf,
    /// The key that has to have signed the overlay; the topology has to list it with use "overlay"
    #[arg(long, value_name = "FILE")]
    overlay_key: PathBuf,
    /// The secret key pins are minted with; the topology has to list its public half with use "pin"
    #[arg(long, value_name = "FILE")]
    pin_key: PathBuf,
    /// For how many days the edge has to know the pins; after them it refuses every sealed request
    #[arg(long, value_name = "DAYS", default_value_t = 30, value_parser = clap::value_parser!(u16).range(1..=400))]
    pin_days: u16,
    /// The minute to build for, counted from the Unix epoch, to repeat a build; default: now
    #[arg(long, value_name = "MINUTE")]
    minute: Option<u32>,
    /// Where the artefact goes; edge.manifest.json goes beside it
    #[arg(long, value_name = "FILE", default_value = "target/edge/edge.wasm")]
    out: PathBuf,
    /// Write a spin.toml for the artefact as well
    #[arg(long, value_name = "FILE")]
    spin_toml: Option<PathBuf>,
    /// Print the manifest as JSON
    #[arg(long)]
    json: bool,
}

const MINUTES_PER_DAY: u32 = 24 * 60;

/// Builds an edge and writes it with its manifest.
pub(super) fn run(build: &Build) -> anyhow::Result<ExitCode> {
    let topology = topology::load(&build.topology)?;
    let minute = build.minute.unwrap_or_else(clock::minute);
    let until = minute.saturating_add(u32::from(build.pin_days) * MINUTES_PER_DAY);
    let overlay = overlay(build, &topology, minute)?;
    let pins = domicile_forge::mint(&topology, &pin_key(build, &topology)?, minute, until);
    let modules =
        Modules::read(&build.modules).context("no core modules (`cargo xtask modules` builds them)")?;
    let artefact = domicile_forge::forge(&modules, &Rows::new(&topology, &overlay, &pins))?;
    let manifest = Manifest::new(&artefact, origin(build, &topology, &overlay, &pins)?);
    write(build, &topology, &artefact, &manifest)?;
    if build.json {
        output::json(&serde_json::to_value(&manifest)?);
    } else {
        report(build, &artefact, &manifest);
    }
    Ok(ExitCode::SUCCESS)
}

fn overlay(build: &Build, topology: &Topology, minute: u32) -> anyhow::Result<Overlay> {
    let trusted: VerifyingKey = key::verifying(&build.overlay_key)?;
    listed(build, topology, &trusted, KeyUse::Overlay)?;
    Overlay::open(&output::read(&build.overlay)?, &[trusted], topology, i64::from(minute) * 60)
        .with_context(|| format!("overlay {}", build.overlay.display()))
}

fn pin_key(build: &Build, topology: &Topology) -> anyhow::Result<SigningKey> {
    let signing = key::signing(&build.pin_key)?;
    listed(build, topology, &signing.verifying_key(), KeyUse::Pin)?;
    Ok(signing)
}

fn listed(build: &Build, topology: &Topology, key: &VerifyingKey, purpose: KeyUse) -> anyhow::Result<()> {
    topology::ensure_listed(topology, key, purpose).with_context(|| build.topology.display().to_string())
}

fn origin(
    build: &Build,
    topology: &Topology,
    overlay: &Overlay,
    pins: &[MintedPin],
) -> anyhow::Result<Origin> {
    let module = |name: &str| build.modules.join(name);
    let files = [
        ("overlay", build.overlay.clone()),
        ("popularity.wasm", module("popularity.wasm")),
        ("relay.wasm", module("relay.wasm")),
        ("router.wasm", module("router.wasm")),
        ("topology", build.topology.clone()),
    ];
    let mut inputs = BTreeMap::new();
    for (name, path) in files {
        let bytes = std::fs::read(&path).with_context(|| format!("cannot read {}", path.display()))?;
        inputs.insert(name.to_owned(), domicile_forge::sha256_hex(&bytes));
    }
    Ok(Origin {
        topology_serial: topology.serial,
        overlay: overlay.id().to_owned(),
        lists_not_after: overlay.not_after().to_owned(),
        pins_until_minute: pins.iter().map(|minted| minted.until).max().unwrap_or(0),
        inputs,
    })
}

fn write(build: &Build, topology: &Topology, artefact: &Artefact, manifest: &Manifest) -> anyhow::Result<()> {
    let folder = build.out.parent().filter(|folder| !folder.as_os_str().is_empty());
    if let Some(folder) = folder {
        std::fs::create_dir_all(folder).with_context(|| format!("cannot make {}", folder.display()))?;
    }
    output::write_whole(&build.out, &artefact.bytes)?;
    let mut text = serde_json::to_string_pretty(manifest)?;
    text.push('\n');
    output::write_whole(&manifest_path(&build.out), text.as_bytes())?;
    if let Some(path) = &build.spin_toml {
        let source = relative(&build.out, path);
        output::write_whole(path, domicile_forge::spin_toml(topology, &source).as_bytes())?;
    }
    Ok(())
}

/// `edge.wasm` has its manifest in `edge.manifest.json`.
fn manifest_path(out: &Path) -> PathBuf {
    out.with_extension("manifest.json")
}

/// The artefact's path as a spin.toml in another folder names it: below that folder if it is there, else as given.
fn relative(out: &Path, spin_toml: &Path) -> String {
    let folder = spin_toml.parent().unwrap_or(Path::new(""));
    out.strip_prefix(folder).unwrap_or(out).display().to_string()
}

fn report(build: &Build, artefact: &Artefact, manifest: &Manifest) {
    output::line(format!("artefact  {}", build.out.display()));
    output::line(format!("sha256    {}", manifest.sha256));
    output::line(format!(
        "size      {} bytes, {} without topology and lists",
        artefact.bytes.len(),
        artefact.bytes_without_tables
    ));
    output::line(format!("lists     {} until {}", manifest.overlay, manifest.lists_not_after));
    for import in &manifest.imports {
        let only_types = if import.functions.is_empty() { " (types only)" } else { "" };
        output::line(format!("import    {}{only_types}", import.name));
    }
}
