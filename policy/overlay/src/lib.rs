//! The signed overlay: what may be shown where, and the popularity lists.
//!
//! Edge and cell apply the same document at different times, so one reader decides for both: an overlay that one of
//! them takes and the other refuses would show a page one shelf from the list and another from the ranking. That each
//! looks only at what it needs is the alternative, rejected because nothing would then keep the two in agreement.
//!
//! It is parsed, not validated: an [`Overlay`] that exists is signed, not stale, coherent in itself (every list as
//! long as its slot, no item twice, none that the same locale denies or a page could not show) and complete for a topology. What only one
//! side can know, such as the snapshot's vocabulary, is left to that side.
//!
//! A locale or slot that the topology does not have yet is no fault: that is how a new one is rolled out, overlay
//! first. Pure: the time is an argument.

mod check;
mod document;
mod error;
mod item;

use std::collections::{BTreeMap, BTreeSet};

use domicile_envelope::{Envelope, VerifyingKey, sha256_hex};
use domicile_topology::Topology;

pub use document::Item;
pub use error::{Denial, ListProblem, OverlayError};
pub use item::{Field, FieldProblem};

/// The payload type of an overlay's envelope.
pub const PAYLOAD_TYPE: &str = "application/vnd.domicile.overlay+json";

/// The version of the payload this build reads.
const VERSION: u64 = 1;

/// An overlay whose signature, age, coherence and completeness have been checked.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Overlay {
    id: String,
    vocabulary: String,
    not_after: String,
    not_after_seconds: i64,
    locales: BTreeMap<String, Rules>,
}

/// What holds in one locale.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Rules {
    deny_categories: BTreeSet<String>,
    deny_items: BTreeSet<String>,
    lists: BTreeMap<String, Vec<Item>>,
}

impl Overlay {
    /// Opens an envelope for this topology, at this time in seconds since 1970.
    ///
    /// # Errors
    /// The first [`OverlayError`] met: trust, version, form, time, then the lists.
    pub fn open(
        envelope: &str,
        keys: &[VerifyingKey],
        topology: &Topology,
        now_seconds: i64,
    ) -> Result<Self, OverlayError> {
        let payload = Envelope::parse(envelope)
            .and_then(|envelope| envelope.verify(PAYLOAD_TYPE, keys))
            .map_err(OverlayError::Untrusted)?;
        Self::read(&payload, topology, now_seconds)
    }

    /// Reads a payload whose signature has been checked.
    fn read(payload: &[u8], topology: &Topology, now_seconds: i64) -> Result<Self, OverlayError> {
        let document = document::read(payload)?;
        let Ok(until) = document.not_after.parse::<jiff::Timestamp>() else {
            return Err(OverlayError::Time(document.not_after));
        };
        if now_seconds >= until.as_second() {
            return Err(OverlayError::Stale(document.not_after));
        }
        Ok(Self {
            id: format!("sha256:{}", sha256_hex(payload)),
            not_after_seconds: until.as_second(),
            locales: check::locales(document.locales, &document.slots, topology)?,
            vocabulary: document.vocabulary,
            not_after: document.not_after,
        })
    }

    /// `sha256:` and the hash of its payload in hex.
    #[must_use]
    pub fn id(&self) -> &str {
        &self.id
    }

    /// The item vocabulary it speaks of. An id denied in one catalogue may be another item in the next, so it is not
    /// to be applied beside a snapshot of another vocabulary.
    #[must_use]
    pub fn vocabulary(&self) -> &str {
        &self.vocabulary
    }

    /// When it becomes stale, as the document says it (RFC 3339).
    #[must_use]
    pub fn not_after(&self) -> &str {
        &self.not_after
    }

    /// The first second since 1970 in which it is stale.
    #[must_use]
    pub fn not_after_seconds(&self) -> i64 {
        self.not_after_seconds
    }

    /// What holds in this locale; always there for a locale of the topology it was opened for.
    #[must_use]
    pub fn rules(&self, locale: &str) -> Option<&Rules> {
        self.locales.get(locale)
    }

    /// Every locale it has rules for, by name.
    pub fn locales(&self) -> impl Iterator<Item = (&str, &Rules)> {
        self.locales.iter().map(|(name, rules)| (name.as_str(), rules))
    }
}

impl Rules {
    /// Whether an item of this id and category must not be shown, and by which of the two.
    #[must_use]
    pub fn denies(&self, id: &str, category: &str) -> Option<Denial> {
        if self.deny_items.contains(id) {
            Some(Denial::Item)
        } else if self.deny_categories.contains(category) {
            Some(Denial::Category)
        } else {
            None
        }
    }

    /// The ids of denied items.
    #[must_use]
    pub fn denied_items(&self) -> &BTreeSet<String> {
        &self.deny_items
    }

    /// The denied categories.
    #[must_use]
    pub fn denied_categories(&self) -> &BTreeSet<String> {
        &self.deny_categories
    }

    /// The list of a slot, best first; always there for a slot of the topology it was opened for, and then exactly as
    /// long as the slot.
    #[must_use]
    pub fn list(&self, slot: &str) -> Option<&[Item]> {
        self.lists.get(slot).map(Vec::as_slice)
    }

    /// Every list, by slot.
    pub fn lists(&self) -> impl Iterator<Item = (&str, &[Item])> {
        self.lists.iter().map(|(slot, list)| (slot.as_str(), list.as_slice()))
    }
}

#[cfg(test)]
mod tests;
