//! The overlay: signed, small, fast-moving: what may be shown where, and the lists.
//!
//! It names the item vocabulary it speaks of and is refused beside a snapshot of another, since an id denied in one
//! catalogue may be another item in the next. What it denies is compiled into a table by item index, so that the
//! filter costs one look-up a candidate.

mod time;

use std::collections::HashMap;
use std::path::Path;

use domicile_envelope::{Envelope, VerifyingKey};
use domicile_topology::{ClassId, Topology};
use domicile_wire::{RankedItem, Source};
use serde::Deserialize;

use crate::failure::{Exit, Failure, read_text};
use crate::snapshots::items::{ItemIndex, ItemTable};
use crate::snapshots::{Snapshot, content_id};

/// The overlay's payload type.
pub const PAYLOAD_TYPE: &str = "application/vnd.domicile.overlay+json";

const VERSION: u32 = 1;
const REMEDY: &str = "publish a new overlay for this snapshot";

/// A loaded overlay.
pub struct Overlay {
    /// `sha256:` and the hash of its payload.
    pub id: String,
    locales: HashMap<String, Rules>,
}

/// What holds in one locale.
pub struct Rules {
    /// By place in the item table.
    denied: Vec<bool>,
    lists: HashMap<String, Vec<RankedItem>>,
}

#[derive(Deserialize)]
struct Document {
    version: u32,
    vocabulary: String,
    not_after: String,
    slots: HashMap<String, u16>,
    locales: HashMap<String, LocaleDocument>,
}

#[derive(Deserialize)]
struct LocaleDocument {
    #[serde(default)]
    deny_categories: Vec<String>,
    #[serde(default)]
    deny_items: Vec<String>,
    lists: HashMap<String, Vec<Listed>>,
}

#[derive(Deserialize)]
struct Listed {
    id: String,
    title: String,
    category: String,
    image: String,
    url: String,
}

/// Loads and checks the overlay in `path`, signed by one of `trusted`, for `snapshot` at `now_s` (Unix seconds).
///
/// # Errors
/// [`Failure`]: unsigned, stale, of another vocabulary, or without a locale or slot that `topology` serves in a class
/// with cells.
pub fn load(
    path: &Path,
    trusted: &[VerifyingKey],
    snapshot: &Snapshot,
    topology: &Topology,
    now_s: i64,
) -> Result<Overlay, Failure> {
    let fail = |expected: &str, found: &str| Failure::file(Exit::Overlay, path, expected, found, REMEDY);
    let text = read_text(Exit::Overlay, path, REMEDY)?;
    let envelope = Envelope::parse(&text).map_err(|e| fail("a signed overlay", &e.to_string()))?;
    let payload =
        envelope.verify(PAYLOAD_TYPE, trusted).map_err(|e| fail("a signed overlay", &e.to_string()))?;
    let document: Document =
        serde_json::from_slice(&payload).map_err(|e| fail("an overlay of version 1", &e.to_string()))?;
    if document.version != VERSION {
        return Err(fail("an overlay of version 1", &format!("version {}", document.version)));
    }
    let vocabulary = &snapshot.manifest.vocabulary;
    if document.vocabulary != *vocabulary {
        return Err(fail(
            &format!("vocabulary {vocabulary:?}, the snapshot's"),
            &format!("{:?}", document.vocabulary),
        ));
    }
    let ends = time::unix_seconds(&document.not_after)
        .ok_or_else(|| fail("not_after as 2026-01-31T00:00:00Z", &format!("{:?}", document.not_after)))?;
    if now_s >= ends {
        return Err(fail("a not_after to come", &document.not_after));
    }
    document.complete(topology).map_err(|(expected, found)| fail(&expected, &found))?;
    let locales = document.locales.into_iter().map(|(name, locale)| (name, locale.compile(&snapshot.items)));
    Ok(Overlay { id: content_id(&payload), locales: locales.collect() })
}

impl Overlay {
    /// What holds in this locale.
    pub fn rules(&self, locale: &str) -> Option<&Rules> {
        self.locales.get(locale)
    }
}

impl Rules {
    /// Rules from what is denied, by place in the item table, and the lists by slot.
    #[cfg(test)]
    pub(crate) fn of(denied: Vec<bool>, lists: HashMap<String, Vec<RankedItem>>) -> Self {
        Self { denied, lists }
    }

    /// Whether the item may be shown.
    pub fn allows(&self, index: ItemIndex) -> bool {
        self.denied.get(index.place()) == Some(&false)
    }

    /// The list of a slot, best first, denied items taken out.
    pub fn list(&self, slot: &str) -> &[RankedItem] {
        self.lists.get(slot).map_or(&[], Vec::as_slice)
    }
}

impl Document {
    /// Whether every locale that a cell serves, and every slot, is here with as many items as the topology says.
    fn complete(&self, topology: &Topology) -> Result<(), (String, String)> {
        for slot in &topology.slots {
            let found = self.slots.get(&slot.name);
            if found != Some(&slot.items) {
                let found = found.map_or_else(|| "no such slot".to_owned(), u16::to_string);
                return Err((
                    format!("slot {:?} of {} items, as in the topology", slot.name, slot.items),
                    found,
                ));
            }
        }
        let served = |class: ClassId| topology.class(class).is_some_and(|c| !c.cells.is_empty());
        for locale in topology.locales.iter().filter(|l| served(l.class)) {
            let Some(rules) = self.locales.get(&locale.name) else {
                return Err((format!("locale {:?}, which the topology serves", locale.name), "none".into()));
            };
            for slot in &topology.slots {
                if rules.lists.get(&slot.name).is_none_or(Vec::is_empty) {
                    return Err((format!("a list for {:?} in {:?}", slot.name, locale.name), "none".into()));
                }
            }
        }
        Ok(())
    }
}

impl LocaleDocument {
    fn compile(self, items: &ItemTable) -> Rules {
        let denied = items.iter().map(|(_, item)| self.denies(&item.id, &item.category)).collect();
        let allowed = |listed: &Listed| !self.denies(&listed.id, &listed.category);
        let list = |list: &Vec<Listed>| list.iter().filter(|l| allowed(l)).map(Listed::item).collect();
        let lists = self.lists.iter().map(|(slot, entries)| (slot.clone(), list(entries))).collect();
        Rules { denied, lists }
    }

    fn denies(&self, id: &String, category: &String) -> bool {
        self.deny_items.contains(id) || self.deny_categories.contains(category)
    }
}

impl Listed {
    fn item(&self) -> RankedItem {
        RankedItem {
            id: self.id.clone(),
            title: self.title.clone(),
            category: self.category.clone(),
            image: self.image.clone(),
            url: self.url.clone(),
            source: Source::Popular,
            score: None,
        }
    }
}

#[cfg(test)]
mod tests;
