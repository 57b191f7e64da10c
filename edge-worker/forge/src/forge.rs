//! The whole way, from modules and rows to an artefact.

use std::path::Path;

use domicile_files::{ReadError, limit};

use crate::input::Rows;
use crate::{Audit, ComposeError, InventoryError, Part, RewriteError, audit, componentise, compose, rewrite};

/// The three core modules.
#[derive(Debug, Clone)]
pub struct Modules {
    /// The router's bytes.
    pub router: Vec<u8>,
    /// Popularity's bytes.
    pub popularity: Vec<u8>,
    /// The relay's bytes.
    pub relay: Vec<u8>,
}

/// A finished edge.
#[derive(Debug, Clone)]
pub struct Artefact {
    /// The component.
    pub bytes: Vec<u8>,
    /// Its size without what the topology and the lists put in.
    pub bytes_without_tables: usize,
    /// The audits of the parts, before plugging.
    pub parts: Vec<(Part, Audit)>,
    /// The audit of the whole.
    pub whole: Audit,
}

/// Why there is no edge.
#[derive(Debug, thiserror::Error)]
pub enum ForgeError {
    /// A module cannot be read.
    #[error("cannot read the module {name}: {source}")]
    Read {
        /// The module's file.
        name: String,
        /// What was found instead, and what to do.
        source: ReadError,
    },
    /// A module cannot be rewritten.
    #[error(
        "the module of {part} cannot be used; take it from a release of this version, or build it with `cargo xtask modules`"
    )]
    Rewrite {
        /// Which.
        part: Part,
        /// Why.
        source: RewriteError,
    },
    /// The parts do not make an edge.
    #[error(transparent)]
    Compose(#[from] ComposeError),
    /// What was made is no component: a fault of the forge.
    #[error(transparent)]
    Inventory(#[from] InventoryError),
    /// An audit found something.
    #[error(
        "the audit of {name} failed: {}; take the modules from a release, `domicile edge audit` says what must not be",
        first(.audit)
    )]
    Audit {
        /// Of which part, or `edge`.
        name: &'static str,
        /// With what result.
        audit: Box<Audit>,
    },
}

impl Modules {
    /// Reads `router.wasm`, `popularity.wasm` and `relay.wasm` of a folder.
    ///
    /// # Errors
    /// When one of them cannot be read.
    pub fn read(folder: &Path) -> Result<Self, ForgeError> {
        let read = |part: Part| {
            let path = folder.join(part.file());
            domicile_files::read(&path, limit::MODULE)
                .map_err(|source| ForgeError::Read { name: path.display().to_string(), source })
        };
        Ok(Self {
            router: read(Part::Router)?,
            popularity: read(Part::Popularity)?,
            relay: read(Part::Relay)?,
        })
    }

    /// Each by its file name.
    pub fn files(&self) -> impl Iterator<Item = (String, &[u8])> {
        Part::ALL.into_iter().map(|part| (part.file(), self.part(part).as_slice()))
    }

    const fn part(&self, part: Part) -> &Vec<u8> {
        match part {
            Part::Router => &self.router,
            Part::Popularity => &self.popularity,
            Part::Relay => &self.relay,
        }
    }
}

impl Rows {
    const fn part(&self, part: Part) -> &Vec<Vec<u8>> {
        match part {
            Part::Router => &self.router,
            Part::Popularity => &self.popularity,
            Part::Relay => &self.relay,
        }
    }

    /// How many bytes they take in an artefact, each with its entry in the directory.
    fn size(&self) -> usize {
        Part::ALL.iter().flat_map(|part| self.part(*part)).map(|row| row.len() + rewrite::ENTRY_BYTES).sum()
    }
}

/// Makes an edge: rewrites, componentises and audits each part, plugs them, audits the whole.
///
/// # Errors
/// When a module does not have the shape it should, or an audit finds anything.
pub fn forge(modules: &Modules, rows: &Rows) -> Result<Artefact, ForgeError> {
    let mut parts = Vec::new();
    let part = |part: Part| -> Result<(Vec<u8>, Audit), ForgeError> {
        let component = prepare(part, modules.part(part), rows.part(part))?;
        let audit = passed(part.name(), audit(&component)?)?;
        Ok((component, audit))
    };
    let (router, router_audit) = part(Part::Router)?;
    let (popularity, popularity_audit) = part(Part::Popularity)?;
    let (relay, relay_audit) = part(Part::Relay)?;
    parts.push((Part::Router, router_audit));
    parts.push((Part::Popularity, popularity_audit));
    parts.push((Part::Relay, relay_audit));
    let bytes = compose(&router, &popularity, &relay)?;
    let whole = passed("edge", audit(&bytes)?)?;
    let bytes_without_tables = bytes.len().saturating_sub(rows.size());
    Ok(Artefact { bytes, bytes_without_tables, parts, whole })
}

/// Rewrites a module of a part with its rows and makes a component of it, without an audit.
///
/// # Errors
/// When the module does not have the shape it should.
pub fn prepare(part: Part, module: &[u8], rows: &[Vec<u8>]) -> Result<Vec<u8>, ForgeError> {
    let rewritten = rewrite(module, part, rows).map_err(|source| ForgeError::Rewrite { part, source })?;
    Ok(componentise(&rewritten.bytes)?)
}

fn passed(name: &'static str, audit: Audit) -> Result<Audit, ForgeError> {
    if audit.passed() { Ok(audit) } else { Err(ForgeError::Audit { name, audit: Box::new(audit) }) }
}

fn first(audit: &Audit) -> String {
    let more = audit.findings.len().saturating_sub(1);
    let item = audit.findings.first().map_or_else(String::new, |finding| finding.item.clone());
    if more == 0 { item } else { format!("{item} (and {more} more)") }
}
