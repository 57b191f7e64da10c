//! The route manifest of a residency class.

use domicile_envelope::{Envelope, EnvelopeError, SigningKey, VerifyingKey};
use serde::{Deserialize, Serialize};

use crate::{ROUTE_TYPE, stated_time};

/// The version of the payload's form.
const FORM: u32 = 1;

/// Which cells may be asked for a class, and what a client has to know to ask them.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct RouteManifest {
    /// The version of this form.
    pub form: u32,
    /// The manifest's own version, which only rises: the topology's serial.
    pub version: u64,
    /// When it was signed (RFC 3339).
    pub issued: String,
    /// When it ends (RFC 3339).
    pub not_after: String,
    /// The residency class.
    pub class: String,
    /// Its cells, in the order in which they are asked; none for a class that has no cell: list only.
    pub cells: Vec<RouteCell>,
    /// The locales whose shoppers are of this class.
    pub locales: Vec<String>,
    /// The slots.
    pub slots: Vec<RouteSlot>,
    /// The clocks.
    pub clocks: Clocks,
}

/// A cell as a client knows it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct RouteCell {
    /// Its name.
    pub name: String,
    /// Its boundary.
    pub boundary: String,
    /// Its weight among the class's cells.
    pub weight: u32,
    /// The way to it.
    pub transport: Transport,
    /// Bytes of every sealed answer of it when this was signed: one size, whatever was asked. A cell of another
    /// topology may have another ([`is_answer_size`](crate::is_answer_size)).
    pub answer_bytes: u32,
    /// The public key (JWK) that it signs key statements and receipts with.
    pub signing_key: String,
    /// The key that it is about to sign with, where it is being changed: good for the same, so that nothing stops while
    /// cells, edges and manifests differ.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub next_signing_key: Option<String>,
}

/// The way a sealed request takes to a cell.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Transport {
    /// Through the edge.
    Relay,
    /// To the cell's own origin: the same sealed request, and no edge that sees its size and time.
    Direct(String),
}

/// A slot as a client knows it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct RouteSlot {
    /// Its name.
    pub name: String,
    /// Items it shows.
    pub items: u16,
    /// Milliseconds the edge waits for a cell's first byte.
    pub relay_wait_ms: u32,
}

/// The clocks that a client keeps.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Clocks {
    /// Milliseconds within which a shelf may still be swapped in.
    pub page_limit_ms: u32,
    /// Milliseconds a cell has for an answer.
    pub cell_budget_ms: u32,
}

/// What a client holds a manifest against.
#[derive(Debug, Clone, Copy)]
pub struct Trust<'a> {
    /// The root key, and its successor where there is one.
    pub roots: &'a [VerifyingKey],
    /// The highest version of this class's manifest seen before; 0 when none was.
    pub seen: u64,
    /// Seconds since 1970.
    pub now_s: i64,
}

/// Why a manifest was refused. Nothing is sealed then, and the list stays.
#[derive(Debug, PartialEq, Eq, thiserror::Error)]
pub enum RouteError {
    /// Not signed by the root key or its successor, altered, or no envelope.
    #[error("the route manifest is not to be trusted: {0}")]
    Untrusted(EnvelopeError),
    /// Not a manifest's form.
    #[error("the route manifest, line {line}, column {column}: {problem}")]
    Form {
        /// The line of the payload, from 1.
        line: usize,
        /// The column, from 1.
        column: usize,
        /// What is wrong.
        problem: String,
    },
    /// Of a form this build does not know.
    #[error("the route manifest has form {0}, and this build reads form {FORM}")]
    UnknownForm(u32),
    /// A time in it is none.
    #[error("the route manifest's {0} is no RFC 3339 time")]
    Time(&'static str),
    /// Its time is over.
    #[error("the route manifest held until {0}; the edge needs a newer one")]
    Stale(String),
    /// An older one than was seen before.
    #[error("the route manifest has version {found}, and version {seen} was seen before")]
    RolledBack {
        /// Its version.
        found: u64,
        /// The highest seen.
        seen: u64,
    },
    /// Of another class than was asked for.
    #[error("the route manifest is of class {found:?}, and {asked:?} was asked for")]
    OtherClass {
        /// Its class.
        found: String,
        /// The class asked for.
        asked: String,
    },
    /// A cell's signing key is none.
    #[error("the route manifest's signing key of cell {0:?} is no P-256 key")]
    CellKey(String),
}

impl RouteManifest {
    /// A manifest of the current form, from `issued_s` to `not_after_s`, without its parts.
    #[must_use]
    pub fn new(class: &str, version: u64, clocks: Clocks, issued_s: i64, not_after_s: i64) -> Self {
        Self {
            form: FORM,
            version,
            issued: stated_time::text(issued_s),
            not_after: stated_time::text(not_after_s),
            class: class.to_owned(),
            cells: Vec::new(),
            locales: Vec::new(),
            slots: Vec::new(),
            clocks,
        }
    }

    /// Signs it with the root key: the envelope's JSON.
    #[must_use]
    pub fn sign(&self, root: &SigningKey) -> String {
        // Texts and numbers always make JSON.
        Envelope::sign(ROUTE_TYPE, &serde_json::to_vec_pretty(self).unwrap_or_default(), root).to_json()
    }

    /// Opens the manifest of `class`.
    ///
    /// # Errors
    /// The first [`RouteError`] met: trust, form, class, time, rollback, keys.
    pub fn open(envelope: &str, class: &str, trust: Trust<'_>) -> Result<Self, RouteError> {
        let payload = Envelope::parse(envelope)
            .and_then(|envelope| envelope.verify(ROUTE_TYPE, trust.roots))
            .map_err(RouteError::Untrusted)?;
        let manifest: Self = serde_json::from_slice(&payload).map_err(|error| form(&error))?;
        if manifest.form != FORM {
            return Err(RouteError::UnknownForm(manifest.form));
        }
        if manifest.class != class {
            return Err(RouteError::OtherClass { found: manifest.class, asked: class.to_owned() });
        }
        stated_time::seconds(&manifest.issued).ok_or(RouteError::Time("issued"))?;
        if trust.now_s >= manifest.not_after_s().ok_or(RouteError::Time("not_after"))? {
            return Err(RouteError::Stale(manifest.not_after));
        }
        if manifest.version < trust.seen {
            return Err(RouteError::RolledBack { found: manifest.version, seen: trust.seen });
        }
        for cell in &manifest.cells {
            cell.keys().ok_or_else(|| RouteError::CellKey(cell.name.clone()))?;
        }
        Ok(manifest)
    }

    /// When it ends, in seconds since 1970.
    #[must_use]
    pub fn not_after_s(&self) -> Option<i64> {
        stated_time::seconds(&self.not_after)
    }

    /// The cell of this name.
    #[must_use]
    pub fn cell(&self, name: &str) -> Option<&RouteCell> {
        self.cells.iter().find(|cell| cell.name == name)
    }

    /// The slot of this name.
    #[must_use]
    pub fn slot(&self, name: &str) -> Option<&RouteSlot> {
        self.slots.iter().find(|slot| slot.name == name)
    }
}

impl RouteCell {
    /// The keys that it may sign with, the one in use first; always there in a manifest that was opened.
    #[must_use]
    pub fn keys(&self) -> Option<Vec<VerifyingKey>> {
        let texts = std::iter::once(&self.signing_key).chain(&self.next_signing_key);
        texts.map(|text| VerifyingKey::from_jwk(text).ok()).collect()
    }
}

fn form(error: &serde_json::Error) -> RouteError {
    let (line, column) = (error.line(), error.column());
    let text = error.to_string();
    let text = text.strip_suffix(&format!(" at line {line} column {column}")).unwrap_or(&text);
    RouteError::Form { line, column, problem: text.to_owned() }
}

#[cfg(test)]
#[path = "manifest/tests.rs"]
mod tests;
