//! `domicile edge build`.

use std::path::{Path, PathBuf};
use std::process::ExitCode;

use anyhow::Context as _;
use domicile_envelope::SigningKey;
use domicile_forge::{Manifest, MintedPin, Origin, Rows, SpinFiles, route_name};
use domicile_topology::{KeyUse, Topology};

use super::inputs::Inputs;
use super::modules::{self, ModulesArgs};
use super::{overlap, place};
use crate::{clock, key, output, topology};

pub(super) const EXIT_CODES: &str = "\
Exit codes: 0 built; 1 refused or failed, the reason in one line; 2 wrong usage.
With --check: 0 what a build would make now; 1 something differs, each by its name; 2 something cannot be read.";

/// What an edge is put together from.
#[derive(clap::Args)]
pub(crate) struct Build {
    #[command(flatten)]
    pub(super) inputs: Inputs,
    #[command(flatten)]
    pub(super) modules: ModulesArgs,
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
    let topology = &signed.document.topology;
    let overlay = build.inputs.overlay(topology, minute)?;
    let routes = build.inputs.routes(topology, minute)?;
    let pins = build.mint(topology, minute, until)?;
    let sign_key = build.listed_key("sign-key", build.sign_key.as_deref(), topology, KeyUse::Edge)?;
    let modules =
        build.modules.read()?.context("--modules is missing; name the folder of the core modules")?;
    modules.ensure_fits(topology)?;
    overlap::ensure_none(&build.read_files(topology), &build.written_files())?;

    let rows = Rows::new(topology, &overlay.document, &pins, &routes);
    let artefact = domicile_forge::forge(&modules.modules, &rows)?;
    let mut tools = modules.tools.clone();
    tools.insert("domicile".to_owned(), env!("CARGO_PKG_VERSION").to_owned());
    let mut inputs = modules.hashes.clone();
    inputs.insert("overlay".to_owned(), overlay.sha256);
    inputs.insert("topology".to_owned(), signed.sha256);
    for route in &routes {
        let class = topology.class(route.class).map_or("", |class| class.name.as_str());
        inputs.insert(route_name(class), route.sha256.clone());
    }
    let manifest = artefact.manifest(Origin {
        topology: &signed.document,
        overlay: &overlay.document,
        pins: &pins,
        routes: &routes,
        minute,
        tools,
        inputs,
    });
    write(build, topology, &artefact.bytes, &manifest, &sign_key)?;
    if build.json {
        output::json(&serde_json::to_value(&manifest)?);
    } else {
        report(build, &manifest, &sign_key, &modules);
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
        let path = path.with_context(|| format!("--{flag} is missing; name the secret key's file"))?;
        let signing = key::signing(path)?;
        topology::ensure_listed(topology, &signing.verifying_key(), purpose).with_context(|| {
            format!("--{flag} {}, topology {}", path.display(), self.inputs.topology.display())
        })?;
        Ok(signing)
    }

    /// Every file that is read.
    fn read_files(&self, topology: &Topology) -> Vec<overlap::Named> {
        let keys = [("--pin-key", &self.pin_key), ("--sign-key", &self.sign_key)];
        let keys = keys.into_iter().filter_map(|(flag, path)| Some((flag, path.clone()?)));
        let routes = self.inputs.route_files(topology);
        self.inputs.files().chain(routes).chain(self.modules.files()).chain(keys).collect()
    }

    /// Every file that is written, or made to hold a lock.
    fn written_files(&self) -> Vec<overlap::Named> {
        let mut files = vec![
            ("--out", self.out.clone()),
            ("--out, its manifest", manifest_path(&self.out)),
            ("--out, its lock", place::lock_path(&self.out)),
        ];
        if let Some(spin_toml) = &self.spin_toml {
            let beside = |name| spin_toml.parent().unwrap_or(Path::new("")).join(name);
            files.push(("--spin-toml", spin_toml.clone()));
            files.push(("--spin-toml, its runtime configuration", beside(SpinFiles::RUNTIME_CONFIG)));
            files.push(("--spin-toml, its environment", beside(SpinFiles::ENVIRONMENT)));
        }
        files
    }
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

fn report(build: &Build, manifest: &Manifest, key: &SigningKey, modules: &modules::Read) {
    output::line(format!("artefact      {}", build.out.display()));
    output::line(format!("sha256        {}", manifest.sha256));
    output::line(format!(
        "size          {} bytes, {} without topology and lists",
        manifest.bytes, manifest.bytes_without_tables
    ));
    output::line(format!("signed by     {}", key.verifying_key().id()));
    output::line(format!("modules       {}", modules.trust()));
    output::line(format!("topology      serial {}", manifest.topology_serial));
    output::line(format!("lists         {} until {}", manifest.overlay, manifest.lists_not_after));
    output::line(match manifest.routes_not_after {
        Some(until) => format!("routes        until {until}"),
        None => "routes        none: clients cannot seal through this edge (--routes)".to_owned(),
    });
    if !build.inputs.knows_vocabulary() {
        output::line(format!(
            "vocabulary    {}, compared with nothing (--snapshot or --vocabulary does)",
            output::shown(&manifest.vocabulary)
        ));
    }
    for import in &manifest.imports {
        let only_types = if import.functions.is_empty() { " (types only)" } else { "" };
        output::line(format!("import        {}{only_types}", import.name));
    }
    output::line(format!("serves until  {}", manifest.serves_until_text()));
}
