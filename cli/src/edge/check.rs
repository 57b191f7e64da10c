//! `domicile edge build --check`: whether an artefact is what a build would make now.

use std::path::Path;
use std::process::ExitCode;

use anyhow::Context as _;
use domicile_files::limit;
use domicile_forge::{Aspect, Difference, Manifest, Wanted};
use domicile_topology::KeyUse;

use super::build::{self, Build};
use super::unreadable;
use crate::output;

/// Compares and prints what differs.
pub(super) fn run(build: &Build, artefact: &Path) -> ExitCode {
    let (serves_until, differences) = match compare(build, artefact) {
        Ok(compared) => compared,
        Err(reason) => return unreadable(artefact, &format!("{reason:#}")),
    };
    let current = differences.is_empty();
    if build.json {
        output::json(&serde_json::json!({
            "current": current, "serves_until": serves_until, "differences": differences,
        }));
    } else {
        differences.iter().for_each(|difference| output::line(output::shown(&difference.to_string())));
        if let Some(until) = serves_until {
            output::line(format!("serves until  {until}"));
        }
        output::line(if current { "current: a build would make the same" } else { "STALE: build it again" });
    }
    if current { ExitCode::SUCCESS } else { ExitCode::FAILURE }
}

fn compare(build: &Build, artefact: &Path) -> anyhow::Result<(Option<String>, Vec<Difference>)> {
    let (minute, bytes) = (build.minute(), output::bytes(artefact, limit::ARTEFACT)?);
    let audit = domicile_forge::audit(&bytes).map_err(|error| {
        anyhow::anyhow!("{}", error.to_string().lines().next().unwrap_or("not a component"))
    })?;
    let signed = build.inputs.topology()?.document;
    let mut found = Vec::new();
    let mut add = |aspect, text: String, wanted: &str| {
        found.push(Difference { aspect, found: text, wanted: wanted.to_owned() });
    };
    // What a build would refuse is a difference too: this artefact's successor cannot be built.
    let overlay = match build.inputs.overlay(&signed.topology, minute) {
        Ok(overlay) => Some(overlay.document),
        Err(refusal) => {
            add(Aspect::Overlay, format!("{refusal:#}"), "no edge can be built with it");
            None
        }
    };
    let routes = match build.inputs.routes(&signed.topology, minute) {
        Ok(routes) => routes,
        Err(refusal) => {
            add(Aspect::Routes, format!("{refusal:#}"), "no edge can be built with it");
            Vec::new()
        }
    };
    let pins = match build.pin_key {
        Some(_) => build.mint(&signed.topology, minute, minute)?,
        None => Vec::new(),
    };
    let modules = build.modules.read()?.map(|read| read.modules.hashes()).unwrap_or_default();
    if let Some(path) = &build.spin_toml {
        for (path, text) in build::spin_files(&signed.topology, artefact, path) {
            if domicile_files::read_text(&path, limit::TEXT).ok().as_ref() != Some(&text) {
                let place = path.display().to_string();
                add(Aspect::Spin, place, "another text is generated now; build with --spin-toml");
            }
        }
    }
    let manifest_path = build::manifest_path(artefact);
    let opened = output::bytes(&manifest_path, limit::TEXT).and_then(|bytes| {
        Manifest::open(&bytes, &signed.topology.keys_for(KeyUse::Edge))
            .with_context(|| manifest_path.display().to_string())
    });
    let until = match opened {
        Ok(manifest) => {
            let wanted = Wanted {
                topology: &signed,
                overlay: overlay.as_ref(),
                pins: &pins,
                modules: &modules,
                routes: &routes,
            };
            let now = i64::from(minute) * 60;
            found.extend(domicile_forge::differences(&bytes, &audit, &manifest, &wanted, now));
            Some(manifest.serves_until_text())
        }
        Err(refusal) => {
            add(Aspect::Manifest, format!("{refusal:#}"), "nothing vouches for the artefact");
            None
        }
    };
    Ok((until, found))
}
