//! Whether an artefact is what a build would make now.
//!
//! Building again and comparing bytes would say no more than *that* they differ, and needs the secret key of the pins.
//! So the facts are compared one by one, and each difference has a name.

use std::collections::BTreeMap;
use std::fmt;

use domicile_edge_manifest::Manifest;
use domicile_overlay::Overlay;
use domicile_topology::SignedTopology;
use serde::Serialize;

use crate::{Audit, MintedPin, SignedRoute, origin};

/// What an artefact is compared with. What is not given, or empty, is not compared.
#[derive(Debug, Clone)]
pub struct Wanted<'a> {
    /// The topology in force.
    pub topology: &'a SignedTopology,
    /// The overlay in force.
    pub overlay: Option<&'a Overlay>,
    /// Pins that have to be known.
    pub pins: &'a [MintedPin],
    /// SHA-256 of the modules by file name.
    pub modules: &'a BTreeMap<String, String>,
    /// The route manifests in force.
    pub routes: &'a [SignedRoute],
}

/// A way in which an artefact is not what a build would make now.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Difference {
    /// In what.
    pub aspect: Aspect,
    /// What the artefact has.
    pub found: String,
    /// What it should have.
    pub wanted: String,
}

/// What can differ.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum Aspect {
    /// The manifest is missing, altered, or signed by no key the topology lists with use `edge`.
    Manifest,
    /// The manifest is of another artefact.
    Artefact,
    /// The audit finds what must not be.
    Audit,
    /// Bound to another topology.
    Topology,
    /// It reaches other cells.
    Cells,
    /// Built with another overlay.
    Overlay,
    /// Its lists are of another item vocabulary.
    Vocabulary,
    /// Built from other modules.
    Modules,
    /// A pin that has to be known is not in it, or none is known any more.
    Pins,
    /// Its lists are stale.
    Lists,
    /// It hands out other route manifests, none, or one that is over.
    Routes,
    /// The `spin.toml` or a file beside it is not what would be generated.
    Spin,
}

impl fmt::Display for Aspect {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Manifest => "manifest",
            Self::Artefact => "artefact",
            Self::Audit => "audit",
            Self::Topology => "topology",
            Self::Cells => "cells",
            Self::Overlay => "overlay",
            Self::Vocabulary => "vocabulary",
            Self::Modules => "modules",
            Self::Pins => "pins",
            Self::Lists => "lists",
            Self::Routes => "routes",
            Self::Spin => "spin",
        })
    }
}

impl fmt::Display for Difference {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}: {}; {}", self.aspect, self.found, self.wanted)
    }
}

/// Everything in which an artefact differs from what is wanted, at this time in seconds since 1970.
#[must_use]
pub fn differences(
    artefact: &[u8],
    audit: &Audit,
    manifest: &Manifest,
    wanted: &Wanted<'_>,
    now: i64,
) -> Vec<Difference> {
    let mut found = Vec::new();
    let mut add = |aspect, found_text: String, wanted: String| {
        found.push(Difference { aspect, found: found_text, wanted })
    };
    if let Err(error) = manifest.ensure_describes(artefact) {
        add(Aspect::Artefact, error.to_string(), "its manifest is of another build".to_owned());
    }
    for finding in &audit.findings {
        let found = format!("{}: {}", finding.component, finding.item);
        add(Aspect::Audit, found, "`domicile edge audit` says what must not be".to_owned());
    }
    let signed = wanted.topology;
    let name = |serial: u64, sha256: &str| format!("serial {serial} ({sha256:.12})");
    if manifest.topology_sha256 != signed.sha256 {
        let found = name(manifest.topology_serial, &manifest.topology_sha256);
        add(Aspect::Topology, found, format!("now {}", name(signed.topology.serial, &signed.sha256)));
    }
    let cells = origin::cells(&signed.topology);
    if manifest.cells != cells {
        let text = |cells: &[domicile_edge_manifest::CellOrigin]| {
            cells.iter().map(|cell| format!("{} at {cell}", cell.name)).collect::<Vec<_>>().join(", ")
        };
        add(Aspect::Cells, text(&manifest.cells), format!("now {}", text(&cells)));
    }
    if let Some(overlay) = wanted.overlay {
        if manifest.overlay != overlay.id() {
            add(Aspect::Overlay, manifest.overlay.clone(), format!("now {}", overlay.id()));
        }
        if manifest.vocabulary != overlay.vocabulary() {
            add(Aspect::Vocabulary, manifest.vocabulary.clone(), format!("now {}", overlay.vocabulary()));
        }
    }
    for (name, sha256) in wanted.modules {
        let built = manifest.inputs.get(name).map_or("nothing", String::as_str);
        if built != sha256 {
            add(Aspect::Modules, format!("{name} {built:.12}"), format!("now {sha256:.12}"));
        }
    }
    if i64::from(manifest.pins_until_minute) * 60 <= now {
        let minute = manifest.pins_until_minute;
        add(Aspect::Pins, format!("none after minute {minute}"), "build it again".to_owned());
    }
    for minted in wanted.pins {
        let text = minted.pin.to_string();
        if !artefact.windows(text.len()).any(|window| window == text.as_bytes()) {
            let (class, epoch) = (minted.pin.stated_class(), minted.pin.stated_epoch().0);
            add(
                Aspect::Pins,
                format!("not that of class {class}, epoch {epoch}"),
                "build it again".to_owned(),
            );
        }
    }
    if manifest.lists_not_after.as_second() <= now {
        let found = format!("held until {}", manifest.lists_not_after);
        add(Aspect::Lists, found, "publish a newer overlay and build with it".to_owned());
    }
    if let Some(end) = manifest.routes_not_after.filter(|end| end.as_second() <= now) {
        let remedy = "sign newer ones (`domicile topology sign --routes`) and build with them";
        add(Aspect::Routes, format!("held until {end}"), remedy.to_owned());
    }
    for route in wanted.routes {
        let name = origin::route_name(signed.topology.class(route.class).map_or("", |class| &class.name));
        let built = manifest.inputs.get(&name).map_or("nothing", String::as_str);
        if built != route.sha256 {
            add(Aspect::Routes, format!("{name} {built:.12}"), format!("now {:.12}", route.sha256));
        }
    }
    found
}
