//! The overlay as a cell applies it: what may be shown where, resolved to the snapshot's items.
//!
//! The document is read and checked by [`domicile_overlay`], the same for edge and cell. What only a cell can do is
//! here: an overlay of another vocabulary than the snapshot's is refused, since an id denied in one catalogue may be
//! another item in the next, and what is denied is compiled into a table by item index, so that the filter costs one
//! look-up a candidate.

use std::collections::HashMap;
use std::path::Path;

use domicile_envelope::VerifyingKey;
use domicile_overlay::{Item, OverlayError};
use domicile_topology::Topology;
use domicile_wire::{RankedItem, Source};

use crate::failure::{Exit, Failure, read_document};
use crate::snapshots::Snapshot;
use crate::snapshots::items::{ItemIndex, ItemTable};

pub use domicile_overlay::PAYLOAD_TYPE;

const REMEDY: &str = "publish a new overlay for this snapshot";
/// Bytes of a sealed answer that are not its items: the ranking's other fields, the receipt, the seal.
const BESIDE_ITEMS: u32 = 2_048;

/// A loaded overlay.
pub struct Overlay {
    /// `sha256:` and the hash of its payload.
    pub id: String,
    /// When its lists and rules run out, in seconds since the Unix epoch. They are applied beyond it, and said to be
    /// stale: no list at all would be worse.
    pub not_after_s: i64,
    locales: HashMap<String, Rules>,
}

/// What holds in one locale.
pub struct Rules {
    /// By place in the item table.
    denied: Vec<bool>,
    lists: HashMap<String, Vec<RankedItem>>,
}

/// Loads and checks the overlay in `path`, signed by one of `trusted`, for `snapshot` at `now_s` (Unix seconds).
///
/// # Errors
/// [`Failure`]: whatever [`domicile_overlay::OverlayError`] names, or another vocabulary than the snapshot's.
pub fn load(
    path: &Path,
    trusted: &[VerifyingKey],
    snapshot: &Snapshot,
    topology: &Topology,
    now_s: i64,
) -> Result<Overlay, Failure> {
    let text = read_document(Exit::Overlay, path, REMEDY)?;
    let open = |now_s| domicile_overlay::Overlay::open(&text, trusted, topology, now_s);
    let overlay = match open(now_s) {
        // A cell that serves goes on with it, flagged; one that is started again must not be stopped by what it would
        // go on with, and its shoppers with it. An edge refuses to be built of it.
        Err(OverlayError::Stale(until)) => {
            tracing::warn!(%until, "the overlay's time is over: it is applied and said to be stale; publish a new one");
            open(i64::MIN)
        }
        opened => opened,
    };
    let overlay = overlay.map_err(|e| Failure::new(Exit::Overlay, format!("{}: {e}", path.display())))?;
    let vocabulary = &snapshot.manifest.vocabulary;
    if overlay.vocabulary() != vocabulary {
        let expected = format!("vocabulary {vocabulary:?}, the snapshot's");
        let found = format!("{:?}", overlay.vocabulary());
        return Err(Failure::file(Exit::Overlay, path, &expected, &found, REMEDY));
    }
    if let Some(stranger) = stranger(&overlay, &snapshot.items) {
        let expected = format!("items of the snapshot in {}", stranger.place);
        return Err(Failure::file(Exit::Overlay, path, &expected, &format!("{:?}", stranger.id), REMEDY));
    }
    let room = topology.answer_bytes().saturating_sub(BESIDE_ITEMS) as usize;
    for (locale, rules) in overlay.locales() {
        for (slot, list) in rules.lists() {
            let items: Vec<_> = list.iter().map(ranked).collect();
            let bytes = serde_json::to_vec(&items).map_or(usize::MAX, |json| json.len());
            if bytes > room {
                let expected = format!("a list of at most {room} bytes in locale {locale:?}, slot {slot:?}");
                let remedy = "it would not fit a sealed answer; shorten its titles, images or urls";
                return Err(Failure::file(Exit::Overlay, path, &expected, &format!("{bytes}"), remedy));
            }
        }
    }
    let locales =
        overlay.locales().map(|(name, rules)| (name.to_owned(), Rules::new(rules, &snapshot.items)));
    Ok(Overlay {
        id: overlay.id().to_owned(),
        not_after_s: overlay.not_after_seconds(),
        locales: locales.collect(),
    })
}

/// An item that the overlay names and the snapshot does not have.
struct Stranger {
    id: String,
    place: String,
}

/// The first item that is not in the table. Denied, it is a mistyped id, and the item that was meant is shown; listed,
/// it is a link to nothing.
fn stranger(overlay: &domicile_overlay::Overlay, items: &ItemTable) -> Option<Stranger> {
    let unknown = |id: &str| items.index_of(id).is_none();
    overlay.locales().find_map(|(locale, rules)| {
        let denied = rules.denied_items().iter().map(|id| (id, "deny_items".to_owned()));
        let listed = rules.lists().flat_map(|(slot, list)| {
            list.iter().map(move |item| (&item.id, format!("the list of slot {slot:?}")))
        });
        denied
            .chain(listed)
            .find(|(id, _)| unknown(id))
            .map(|(id, part)| Stranger { id: id.clone(), place: format!("locale {locale:?}, {part}") })
    })
}

impl Overlay {
    /// What holds in this locale.
    pub fn rules(&self, locale: &str) -> Option<&Rules> {
        self.locales.get(locale)
    }
}

impl Rules {
    fn new(rules: &domicile_overlay::Rules, items: &ItemTable) -> Self {
        let denied = items.iter().map(|(_, item)| rules.denies(&item.id, &item.category).is_some());
        let lists = rules.lists().map(|(slot, list)| (slot.to_owned(), list.iter().map(ranked).collect()));
        Self { denied: denied.collect(), lists: lists.collect() }
    }

    /// Rules from what is denied, by place in the item table, and the lists by slot.
    #[cfg(test)]
    pub(crate) fn of(denied: Vec<bool>, lists: HashMap<String, Vec<RankedItem>>) -> Self {
        Self { denied, lists }
    }

    /// Whether the item may be shown.
    pub fn allows(&self, index: ItemIndex) -> bool {
        self.denied.get(index.place()) == Some(&false)
    }

    /// The list of a slot, best first; never with an item that is denied here.
    pub fn list(&self, slot: &str) -> &[RankedItem] {
        self.lists.get(slot).map_or(&[], Vec::as_slice)
    }
}

fn ranked(item: &Item) -> RankedItem {
    RankedItem {
        id: item.id.clone(),
        title: item.title.clone(),
        category: item.category.clone(),
        image: item.image.clone(),
        url: item.url.clone(),
        source: Source::Popular,
        score: None,
    }
}

#[cfg(test)]
mod tests;
