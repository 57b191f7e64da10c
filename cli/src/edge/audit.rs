//! `domicile edge audit`.

use std::path::{Path, PathBuf};
use std::process::ExitCode;

use domicile_envelope::VerifyingKey;
use domicile_files::limit;
use domicile_forge::{Audit, Manifest};
use serde::Serialize;

use super::modules::ModulesArgs;
use super::unreadable;
use crate::{clock, key, output};

pub(super) const EXIT_CODES: &str = "\
Exit codes: 0 passed; 1 failed, each finding by its name; 2 the file, the manifest, the modules or a key cannot be read.
An artefact that no longer serves still passes: what it can do has not changed. So does one beside which a manifest of
another artefact lies, unless --manifest names that manifest: the page says so.";

/// What is audited.
#[derive(clap::Args)]
pub(crate) struct AuditArgs {
    /// The artefact, or one of its components before plugging
    file: PathBuf,
    /// Its manifest: has to be signed by a key given and to describe this file
    #[arg(long, value_name = "FILE", requires = "key")]
    manifest: Option<PathBuf>,
    /// A key, public or secret, that may have signed the manifest (the topology lists it with use "edge"); repeatable
    #[arg(long, value_name = "JWK", requires = "manifest")]
    key: Vec<PathBuf>,
    /// The published core modules: the file has to be what these and the data in it make, byte by byte
    #[arg(long, value_name = "DIR")]
    modules: Option<PathBuf>,
    /// The public key of who publishes the modules: modules.dsse.json beside them has to be signed with it; repeatable
    #[arg(long, value_name = "FILE", requires = "modules")]
    modules_key: Vec<PathBuf>,
    /// Print the audit as JSON
    #[arg(long)]
    json: bool,
}

/// A manifest and the key that signed it.
struct Vouched {
    manifest: Manifest,
    by: String,
}

/// Everything that is said of a file.
struct Findings {
    audit: Audit,
    vouched: Option<Vouched>,
    /// Whose word the modules are taken on.
    modules: Option<String>,
}

/// What lies where the manifest should, when none was given.
#[derive(Clone, Copy, Serialize)]
#[serde(rename_all = "kebab-case")]
enum Beside {
    /// Nothing.
    Nothing,
    /// A manifest that describes the file; who signed it was not asked.
    Its,
    /// A manifest of another artefact.
    Another,
    /// What is no manifest, or cannot be read.
    Unreadable,
}

/// Audits a file and prints what is in it.
pub(super) fn run(args: &AuditArgs) -> ExitCode {
    match audit(args) {
        Ok(found) => {
            if args.json {
                json(args, &found);
            } else {
                page(args, &found);
            }
            if found.audit.passed() { ExitCode::SUCCESS } else { ExitCode::FAILURE }
        }
        Err(reason) => unreadable(&args.file, &format!("cannot be audited: {reason:#}")),
    }
}

fn audit(args: &AuditArgs) -> anyhow::Result<Findings> {
    let artefact = domicile_files::read(&args.file, limit::ARTEFACT)?;
    // The parser explains itself over several lines; the first says what is wrong.
    let mut audit = domicile_forge::audit(&artefact).map_err(|error| {
        let said = error.to_string();
        let first = said.lines().next().unwrap_or("no component");
        anyhow::anyhow!("{first}; give an artefact, or a part before plugging")
    })?;
    let given = ModulesArgs { modules: args.modules.clone(), modules_key: args.modules_key.clone() };
    let modules = given.read()?.map(|read| {
        audit.repeat(&artefact, &read.modules);
        read.trust()
    });
    let vouched = vouched(args, &mut audit)?;
    Ok(Findings { audit, vouched, modules })
}

/// Opens the manifest that was given; what is wrong with it becomes a finding.
fn vouched(args: &AuditArgs, audit: &mut Audit) -> anyhow::Result<Option<Vouched>> {
    let Some(path) = &args.manifest else { return Ok(None) };
    let keys = args.key.iter().map(|path| key::verifying(path)).collect::<anyhow::Result<Vec<_>>>()?;
    let bytes = output::bytes(path, limit::TEXT)?;
    Ok(match Manifest::open(&bytes, &keys) {
        Ok(manifest) => {
            audit.compare(&manifest);
            let signed_by = |key: &&VerifyingKey| Manifest::open(&bytes, std::slice::from_ref(*key)).is_ok();
            let by = keys.iter().find(signed_by).map(|key| key.id().to_string()).unwrap_or_default();
            Some(Vouched { manifest, by })
        }
        Err(error) => {
            audit.refuse(error.to_string());
            None
        }
    })
}

fn page(args: &AuditArgs, Findings { audit, vouched, modules }: &Findings) {
    output::line(format!("Audit of {}\n", args.file.display()));
    match vouched {
        Some(Vouched { manifest, by }) => {
            output::line(format!("signed by     {by}"));
            let (serial, sha256) = (manifest.topology_serial, &manifest.topology_sha256);
            output::line(format!("topology      serial {serial}, sha256 {}", output::shown(sha256)));
            let overlay = output::shown(&manifest.overlay);
            output::line(format!("lists         {overlay} until {}", manifest.lists_not_after));
            if let Some(until) = manifest.routes_not_after {
                output::line(format!("routes        until {until}"));
            }
            let cells: Vec<_> =
                manifest.cells.iter().map(|cell| format!("{} at {cell}", cell.name)).collect();
            output::line(format!("cells         {}", output::shown(&cells.join(", "))));
            let tools: Vec<_> =
                manifest.tools.iter().map(|(name, version)| format!("{name} {version}")).collect();
            output::line(format!("made with     {}", output::shown(&tools.join(", "))));
            let over = if over(manifest) { " (over)" } else { "" };
            output::line(format!("serves until  {}{over}", manifest.serves_until_text()));
        }
        None => output::line(unvouched(args, audit)),
    }
    if let (Some(trust), Some(folder)) = (modules, &args.modules) {
        output::line(format!("made again    of {} and the data in it, and compared", folder.display()));
        output::line(format!("modules       {trust}"));
    } else {
        output::line(
            "made again    no (--modules DIR does: no name in its wiring is then taken at its word)",
        );
    }
    output::line(audit.to_string().trim_end());
}

/// What is said of an artefact whose manifest was not looked at, or does not hold.
fn unvouched(args: &AuditArgs, audit: &Audit) -> String {
    if args.manifest.is_some() {
        return "signed by     nobody trusted".to_owned();
    }
    let path = super::build::manifest_path(&args.file);
    let place = path.display();
    match beside(&path, audit) {
        Beside::Nothing => "signed by     nobody: no manifest was given".to_owned(),
        Beside::Its => format!("signed by     not looked at (--manifest {place} --key JWK does)"),
        Beside::Another => {
            format!("signed by     nobody: {place} describes another artefact; take both from one build")
        }
        Beside::Unreadable => {
            format!("signed by     nobody: {place} is no manifest that can be read; take both from one build")
        }
    }
}

fn beside(path: &Path, audit: &Audit) -> Beside {
    let manifest = match domicile_files::read(path, limit::TEXT) {
        Ok(bytes) => Manifest::open_unverified(&bytes).ok(),
        Err(error) if error.is_absent() => return Beside::Nothing,
        Err(_) => None,
    };
    match manifest {
        Some(manifest) if manifest.sha256 == audit.sha256 => Beside::Its,
        Some(_) => Beside::Another,
        None => Beside::Unreadable,
    }
}

fn json(args: &AuditArgs, Findings { audit, vouched, modules }: &Findings) {
    let vouched = vouched.as_ref().map(|Vouched { manifest, by }| {
        serde_json::json!({
            "signed_by": by, "serves_until": manifest.serves_until_text(), "over": over(manifest),
            "manifest": manifest,
        })
    });
    let beside = args.manifest.is_none().then(|| beside(&super::build::manifest_path(&args.file), audit));
    output::json(&serde_json::json!({
        "passed": audit.passed(), "audit": audit, "vouched": vouched, "modules": modules, "beside": beside,
    }));
}

fn over(manifest: &Manifest) -> bool {
    manifest.serves_until() <= i64::from(clock::minute()) * 60
}
