//! What is in a component, compared with what may be.
//!
//! An allow-list, not a deny-list: whatever the list of a part does not name is a finding, so a function that a later
//! version of WASI brings is refused until somebody has looked at it. The audit reads the finished bytes and trusts
//! nothing of how they were made; the same code runs over a component just built and over a file from anywhere.
//!
//! The lists are per part, and so they hold only for code that stands directly in a part: code beside the parts, or in
//! components further inside, is refused whatever it does, rather than measured. So is a component without code that
//! composition does not make (`nested`): an edge is to be its three parts and nothing else.

mod builtin;
mod inventory;
mod list;
mod nested;
mod page;
mod powers;

use domicile_edge_manifest::{Interface, Manifest};
use serde::Serialize;

pub use inventory::{Inventory, InventoryError};
pub use list::AllowList;

use crate::{Modules, Part, repeats, world};

/// The result of an audit.
#[derive(Debug, Clone, Serialize)]
pub struct Audit {
    /// SHA-256 of the audited bytes, in hex.
    pub sha256: String,
    /// Their number.
    pub bytes: usize,
    /// What the outermost component imports from its host.
    pub imports: Vec<Interface>,
    /// The components inside, or the component itself when it has none inside.
    pub components: Vec<ComponentAudit>,
    /// What must not be. Empty when the audit passes.
    pub findings: Vec<Finding>,
}

/// One component of the audited file.
#[derive(Debug, Clone, Serialize)]
pub struct ComponentAudit {
    /// Which part of the edge it is taken for, by what it exports and imports.
    pub part: &'static str,
    /// What is in it.
    pub inventory: Inventory,
}

/// Something that must not be.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Finding {
    /// Where: the name of a part, or `edge` for the whole.
    pub component: &'static str,
    /// What it breaks.
    pub rule: Rule,
    /// What was found, by name.
    pub item: String,
}

/// The rules of the audit.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum Rule {
    /// An import, imported function or canonical built-in the list does not name.
    NotAllowed,
    /// The component is not one of the world it has to keep to.
    World,
    /// The edge does not consist of exactly its three parts.
    Parts,
    /// A part has components or core modules inside it that composition does not make: no list says what these may have.
    Nested,
    /// A core module gets trailers and may hand them on.
    Trailers,
    /// The manifest says something else, or nobody trusted has signed it.
    Manifest,
    /// Other modules than those given, or more than modules and data.
    Modules,
    /// The whole has core modules beside its parts: it is to be wiring alone.
    OwnCode,
}

impl Audit {
    /// Compares with what a manifest says, once its signature has been checked.
    pub fn compare(&mut self, manifest: &Manifest) {
        if manifest.sha256 != self.sha256 {
            self.refuse(format!("it describes another artefact, {}", manifest.sha256));
        }
        if manifest.imports != self.imports {
            self.refuse("it lists other imports".to_owned());
        }
        for component in &self.components {
            if manifest.parts.get(component.part) != Some(&component.inventory.imports) {
                let item = format!("it lists other imports of {}", component.part);
                self.findings.push(Finding { component: "edge", rule: Rule::Manifest, item });
            }
        }
    }

    /// Adds what is wrong with the manifest to the findings.
    pub fn refuse(&mut self, item: String) {
        self.findings.push(Finding { component: "edge", rule: Rule::Manifest, item });
    }

    /// Makes the edge again from these modules and the data in it; `artefact` is what was audited.
    pub fn repeat(&mut self, artefact: &[u8], modules: &Modules) {
        if !repeats(artefact, self, modules) {
            let item = "these modules and the data in it make other bytes".to_owned();
            self.findings.push(Finding { component: "edge", rule: Rule::Modules, item });
        }
    }

    /// Whether nothing was found.
    #[must_use]
    pub fn passed(&self) -> bool {
        self.findings.is_empty()
    }
}

/// Audits a whole edge, or one of its parts before plugging.
///
/// # Errors
/// When the bytes are not a valid component.
pub fn audit(bytes: &[u8]) -> Result<Audit, InventoryError> {
    let whole = Inventory::of(bytes)?;
    let mut findings = Vec::new();
    let mut components = Vec::new();
    if whole.components.is_empty() {
        let part = guess(&whole);
        examine_part(part, &whole, &mut findings);
        check_world(part.name(), bytes, &mut findings);
        components.push(ComponentAudit { part: part.name(), inventory: whole.clone() });
    } else {
        examine("edge", &whole, &AllowList::of_edge(), &mut findings);
        check_world("edge", bytes, &mut findings);
        if whole.modules > 0 {
            let item = format!("{} outside the parts", nested::counted(whole.modules, "core module"));
            findings.push(Finding { component: "edge", rule: Rule::OwnCode, item });
        }
        findings.extend(whole.bare.iter().map(|bare| Finding {
            component: "edge",
            rule: Rule::Parts,
            item: format!("{} beside the parts", nested::described(bare)),
        }));
        for inner in &whole.components {
            let part = guess(inner);
            examine_part(part, inner, &mut findings);
            components.push(ComponentAudit { part: part.name(), inventory: inner.clone() });
        }
        let mut parts: Vec<_> = components.iter().map(|component| component.part).collect();
        parts.sort_unstable();
        if parts != ["popularity", "relay", "router"] {
            let item = format!("made of {}", parts.join(", "));
            findings.push(Finding { component: "edge", rule: Rule::Parts, item });
        }
    }
    Ok(Audit {
        sha256: crate::sha256_hex(bytes),
        bytes: bytes.len(),
        imports: whole.imports,
        components,
        findings,
    })
}

/// Takes a component for the part whose interfaces it has. A stranger is taken for the part that may do least of
/// what it does, so it is measured by some list in any case.
fn guess(inventory: &Inventory) -> Part {
    let routing =
        |interfaces: &[Interface]| interfaces.iter().any(|i| i.name.starts_with("domicile:boundary/routing"));
    if routing(&inventory.exports) {
        Part::Router
    } else if routing(&inventory.imports) {
        Part::Relay
    } else {
        Part::Popularity
    }
}

fn examine_part(part: Part, inventory: &Inventory, findings: &mut Vec<Finding>) {
    examine(part.name(), inventory, &AllowList::of_part(part), findings);
    let strangers = nested::strangers(inventory).into_iter();
    findings.extend(strangers.map(|item| Finding { component: part.name(), rule: Rule::Nested, item }));
}

fn examine(component: &'static str, inventory: &Inventory, list: &AllowList, findings: &mut Vec<Finding>) {
    findings.extend(inventory.lines().into_iter().filter(|line| !list.allows(line)).map(|item| Finding {
        component,
        rule: Rule::NotAllowed,
        item,
    }));
    let kept = inventory.trailers_kept.iter().cloned();
    findings.extend(kept.map(|item| Finding { component, rule: Rule::Trailers, item }));
}

fn check_world(component: &'static str, bytes: &[u8], findings: &mut Vec<Finding>) {
    if let Err(error) = world::check(bytes, component) {
        findings.push(Finding {
            component,
            rule: Rule::World,
            // It explains itself over several lines.
            item: error.to_string().split_whitespace().collect::<Vec<_>>().join(" "),
        });
    }
}
