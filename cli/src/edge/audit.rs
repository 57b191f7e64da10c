//! `domicile edge audit`.

use std::path::{Path, PathBuf};
use std::process::ExitCode;

use anyhow::Context as _;
use domicile_envelope::VerifyingKey;
use domicile_forge::{Audit, Manifest, Modules};

use super::unreadable;
use crate::{clock, key, output};

pub(super) const EXIT_CODES: &str = "\
Exit codes: 0 passed; 1 failed, each finding by its name; 2 the file, the manifest or a key cannot be read.
An artefact that no longer serves still passes: what it can do has not changed.";

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
    /// Print the audit as JSON
    #[arg(long)]
    json: bool,
}

/// A manifest and the key that signed it.
struct Vouched {
    manifest: Manifest,
    by: String,
}

/// Audits a file and prints what is in it.
pub(super) fn run(args: &AuditArgs) -> ExitCode {
    match audit(args) {
        Ok((audit, vouched)) => {
            if args.json {
                json(&audit, vouched.as_ref());
            } else {
                page(args, &audit, vouched.as_ref());
            }
            if audit.passed() { ExitCode::SUCCESS } else { ExitCode::FAILURE }
        }
        Err(reason) => unreadable(&args.file, &format!("cannot be audited: {reason:#}")),
    }
}

fn audit(args: &AuditArgs) -> anyhow::Result<(Audit, Option<Vouched>)> {
    // The parser explains itself over several lines; the first says what is wrong.
    let artefact = std::fs::read(&args.file)?;
    let mut audit = domicile_forge::audit(&artefact)
        .map_err(|error| anyhow::anyhow!("{}", error.to_string().lines().next().unwrap_or("no component")))?;
    if let Some(folder) = &args.modules {
        audit.repeat(&artefact, &Modules::read(folder)?);
    }
    let Some(path) = &args.manifest else { return Ok((audit, None)) };
    let keys = args.key.iter().map(|path| key::verifying(path)).collect::<anyhow::Result<Vec<_>>>()?;
    let bytes = std::fs::read(path).with_context(|| format!("cannot read {}", path.display()))?;
    let vouched = match Manifest::open(&bytes, &keys) {
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
    };
    Ok((audit, vouched))
}

fn page(args: &AuditArgs, audit: &Audit, vouched: Option<&Vouched>) {
    output::line(format!("Audit of {}\n", args.file.display()));
    match vouched {
        Some(Vouched { manifest, by }) => {
            output::line(format!("signed by     {by}"));
            let (serial, sha256) = (manifest.topology_serial, &manifest.topology_sha256);
            output::line(format!("topology      serial {serial}, sha256 {sha256}"));
            output::line(format!("lists         {} until {}", manifest.overlay, manifest.lists_not_after));
            let cells: Vec<_> =
                manifest.cells.iter().map(|cell| format!("{} at {cell}", cell.name)).collect();
            output::line(format!("cells         {}", cells.join(", ")));
            let tools: Vec<_> =
                manifest.tools.iter().map(|(name, version)| format!("{name} {version}")).collect();
            output::line(format!("made with     {}", tools.join(", ")));
            let over = if over(manifest) { " (over)" } else { "" };
            output::line(format!("serves until  {}{over}", manifest.serves_until_text()));
        }
        None => output::line(unvouched(&args.file, args.manifest.is_some())),
    }
    let modules = match &args.modules {
        Some(folder) => format!("made again    of {} and the data in it, and compared", folder.display()),
        None => "made again    no (--modules DIR does: no name in its wiring is then taken at its word)"
            .to_owned(),
    };
    output::line(modules);
    output::line(audit.to_string().trim_end());
}

/// What is said of an artefact whose manifest was not looked at, or does not hold.
fn unvouched(file: &Path, given: bool) -> String {
    let beside = super::build::manifest_path(file);
    if given {
        "signed by     nobody trusted".to_owned()
    } else if beside.is_file() {
        format!("signed by     not looked at (--manifest {} --key JWK does)", beside.display())
    } else {
        "signed by     nobody: no manifest was given".to_owned()
    }
}

fn json(audit: &Audit, vouched: Option<&Vouched>) {
    let vouched = vouched.map(|Vouched { manifest, by }| {
        serde_json::json!({
            "signed_by": by, "serves_until": manifest.serves_until_text(), "over": over(manifest),
            "manifest": manifest,
        })
    });
    output::json(&serde_json::json!({ "passed": audit.passed(), "audit": audit, "vouched": vouched }));
}

fn over(manifest: &Manifest) -> bool {
    manifest.serves_until() <= i64::from(clock::minute()) * 60
}
