//! `domicile edge build`.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::process::ExitCode;

use anyhow::Context as _;
use domicile_envelope::SigningKey;
use domicile_forge::{Manifest, MintedPin, Modules, Origin, Rows, SpinFiles};
use domicile_topology::{KeyUse, Topology};

use super::inputs::Inputs;
use super::place;
use crate::{clock, key, output, topology};

pub(super) const EXIT_CODES: &str = "\
Exit codes: 0 built; 1 refused or failed, the reason in one line; 2 wrong usage.
With --check: 0 what a build would make now; 1 something differs, each by its name; 2 something cannot be read.";

/// What an edge is put together from.
#[derive(clap::Args)]
pub(crate) struct Build {
    #[command(flatten)]
    pub(super) inputs: Inputs,
    /// The folder with router.wasm, popularity.wasm and relay.wasm
    #[arg(long, value_name = "DIR", required_unless_present = "check")]
    pub(super) modules: Option<PathBuf>,
    /// The secret key pins are minted with; the topology has to list its public half with use "pin"
    #[arg(long, value_name = "FILE", required_unless_present = "check")]
    pub(super) pin_key: Option<PathBuf>,
    /// The secret key the manifest is signed with; the topology has to list its public half with use "edge"
    #[arg(long, value_name = "FILE", required_unless_present = "check")]
    sign_key: Option<PathBuf>,
    /// For how many days the edge has to know the pins; after them it refuses every sealed request
    #[arg(long, value_name = "DAYS", default_value_t = 30, value_parser = clap::value_parser!(u16).range(1..=400))]
    pin_days: u16,
    /// The minute to build or check for, counted from the Unix epoch, to repeat a build; default: now
    #[arg(long, value_name = "MINUTE")]
    minute: Option<u32>,
    /// Where the artefact goes; NAME.manifest.dsse.json goes beside it
    #[arg(long, value_name = "FILE", default_value = "target/edge/edge.wasm")]
    out: PathBuf,
    /// Write a spin.toml for the artefact as well, and the two files it names below deploy/spin
    #[arg(long, value_name = "FILE")]
    pub(super) spin_toml: Option<PathBuf>,
    /// Build nothing: compare this artefact, its manifest and, if named, the spin.toml with the inputs as of now
    #[arg(long, value_name = "ARTEFACT", conflicts_with_all = ["out", "sign_key", "pin_days"])]
    pub(super) check: Option<PathBuf>,
    /// Print the manifest, or what differs, as JSON
    #[arg(long)]
    pub(super) json: bool,
}

const MINUTES_PER_DAY: u32 = 24 * 60;

/// Builds an edge and writes it with its manifest.
pub(super) fn run(build: &Build) -> anyhow::Result<ExitCode> {
    let minute = build.minute();
    let until = minute.saturating_add(u32::from(build.pin_days) * MINUTES_PER_DAY);
    let signed = build.inputs.topology()?;
    let topology = &signed.topology;
    let overlay = build.inputs.overlay(topology, minute)?;
    let pins = build.mint(topology, minute, until)?;
    let sign_key = build.listed_key("sign-key", build.sign_key.as_deref(), topology, KeyUse::Edge)?;
    let folder = build.modules.as_deref().context("--modules is missing")?;
    let modules = Modules::read(folder).context("no core modules (`cargo xtask modules` builds them)")?;

    let manifest_path = manifest_path(&build.out);
    let outputs = [Some(build.out.as_path()), Some(manifest_path.as_path()), build.spin_toml.as_deref()];
    ensure_no_input(build, folder, &outputs.into_iter().flatten().collect::<Vec<_>>())?;

    let artefact = domicile_forge::forge(&modules, &Rows::new(topology, &overlay, &pins))?;
    let manifest = artefact.manifest(Origin {
        topology: &signed,
        overlay: &overlay,
        pins: &pins,
        minute,
        tools: tools(&modules, folder)?,
        inputs: inputs(build, &modules)?,
    });
    write(build, topology, &artefact.bytes, &manifest, &sign_key)?;
    if build.json {
        output::json(&serde_json::to_value(&manifest)?);
    } else {
        report(build, &manifest, &sign_key);
    }
    Ok(ExitCode::SUCCESS)
}

impl Build {
    /// The minute meant.
    pub(super) fn minute(&self) -> u32 {
        self.minute.unwrap_or_else(clock::minute)
    }

    /// Mints the pins of the epochs live between two minutes.
    pub(super) fn mint(&self, topology: &Topology, from: u32, until: u32) -> anyhow::Result<Vec<MintedPin>> {
        let key = self.listed_key("pin-key", self.pin_key.as_deref(), topology, KeyUse::Pin)?;
        Ok(domicile_forge::mint(topology, &key, from, until))
    }

    fn listed_key(
        &self,
        flag: &str,
        path: Option<&Path>,
        topology: &Topology,
        purpose: KeyUse,
    ) -> anyhow::Result<SigningKey> {
        let path = path.with_context(|| format!("--{flag} is missing"))?;
        let signing = key::signing(path)?;
        topology::ensure_listed(topology, &signing.verifying_key(), purpose).with_context(|| {
            format!("--{flag} {}, topology {}", path.display(), self.inputs.topology.display())
        })?;
        Ok(signing)
    }
}

/// SHA-256 of the modules, by file name.
pub(super) fn hashes(modules: &Modules) -> Vec<(String, String)> {
    let files = [
        ("popularity.wasm", &modules.popularity),
        ("relay.wasm", &modules.relay),
        ("router.wasm", &modules.router),
    ];
    files.map(|(name, bytes)| (name.to_owned(), domicile_forge::sha256_hex(bytes))).into()
}

/// What the modules say of their tools, and what whoever built them wrote beside them.
fn tools(modules: &Modules, folder: &Path) -> anyhow::Result<BTreeMap<String, String>> {
    let mut tools = domicile_forge::tools(modules);
    let path = folder.join("tools.json");
    match std::fs::read(&path) {
        Ok(beside) => tools
            .extend(serde_json::from_slice::<BTreeMap<String, String>>(&beside).with_context(|| {
                format!("{}: not a list of tools; take the modules anew", path.display())
            })?),
        // Modules made by hand come without; the manifest then names what they say themselves.
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => {}
        Err(error) => return Err(error).with_context(|| format!("cannot read {}", path.display())),
    }
    tools.insert("domicile".to_owned(), env!("CARGO_PKG_VERSION").to_owned());
    Ok(tools)
}

/// Refuses to write over what the build is made from: a key would be gone for good.
fn ensure_no_input(build: &Build, modules: &Path, outputs: &[&Path]) -> anyhow::Result<()> {
    let parts = ["popularity.wasm", "relay.wasm", "router.wasm", "tools.json"].map(|part| modules.join(part));
    let mut inputs: Vec<&Path> = vec![&build.inputs.topology, &build.inputs.overlay];
    inputs.extend(build.pin_key.as_deref().into_iter().chain(build.sign_key.as_deref()));
    inputs.extend(build.inputs.root_key.iter().map(PathBuf::as_path));
    inputs.extend(parts.iter().map(PathBuf::as_path));
    let real = |path: &Path| path.canonicalize().ok();
    for output in outputs {
        let over =
            real(output).and_then(|found| inputs.iter().find(|input| real(input).as_ref() == Some(&found)));
        if let Some(input) = over {
            anyhow::bail!(
                "{} would be written over {}; name another place",
                output.display(),
                input.display()
            );
        }
    }
    Ok(())
}

fn inputs(build: &Build, modules: &Modules) -> anyhow::Result<BTreeMap<String, String>> {
    let mut inputs: BTreeMap<_, _> = hashes(modules).into_iter().collect();
    for (name, path) in [("overlay", &build.inputs.overlay), ("topology", &build.inputs.topology)] {
        let bytes = std::fs::read(path).with_context(|| format!("cannot read {}", path.display()))?;
        inputs.insert(name.to_owned(), domicile_forge::sha256_hex(&bytes));
    }
    Ok(inputs)
}

fn write(
    build: &Build,
    topology: &Topology,
    artefact: &[u8],
    manifest: &Manifest,
    key: &SigningKey,
) -> anyhow::Result<()> {
    let (manifest_path, manifest) = (manifest_path(&build.out), manifest.sign(key));
    let spin = build.spin_toml.as_ref().map(|path| spin_files(topology, &build.out, path));
    let mut files = vec![(build.out.as_path(), artefact)];
    files.extend(spin.iter().flatten().map(|(path, text)| (path.as_path(), text.as_bytes())));
    files.push((&manifest_path, manifest.as_bytes()));
    place::replace(&files)
}

/// `edge.wasm` has its manifest in `edge.manifest.dsse.json`.
pub(super) fn manifest_path(artefact: &Path) -> PathBuf {
    artefact.with_extension("manifest.dsse.json")
}

/// The files that Spin wants, each with its place.
pub(super) fn spin_files(topology: &Topology, artefact: &Path, spin_toml: &Path) -> [(PathBuf, String); 3] {
    let folder = spin_toml.parent().unwrap_or(Path::new(""));
    let source = artefact.strip_prefix(folder).unwrap_or(artefact).display().to_string();
    let files = domicile_forge::spin_files(topology, &source);
    [
        (spin_toml.to_owned(), files.manifest),
        (folder.join(SpinFiles::RUNTIME_CONFIG), files.runtime_config),
        (folder.join(SpinFiles::ENVIRONMENT), files.environment),
    ]
}

fn report(build: &Build, manifest: &Manifest, key: &SigningKey) {
    output::line(format!("artefact      {}", build.out.display()));
    output::line(format!("sha256        {}", manifest.sha256));
    output::line(format!(
        "size          {} bytes, {} without topology and lists",
        manifest.bytes, manifest.bytes_without_tables
    ));
    output::line(format!("signed by     {}", key.verifying_key().id()));
    output::line(format!("topology      serial {}", manifest.topology_serial));
    output::line(format!("lists         {} until {}", manifest.overlay, manifest.lists_not_after));
    if !build.inputs.knows_vocabulary() {
        output::line(format!(
            "vocabulary    {}, compared with nothing (--snapshot or --vocabulary does)",
            manifest.vocabulary
        ));
    }
    for import in &manifest.imports {
        let only_types = if import.functions.is_empty() { " (types only)" } else { "" };
        output::line(format!("import        {}{only_types}", import.name));
    }
    output::line(format!("serves until  {}", manifest.serves_until_text()));
}
