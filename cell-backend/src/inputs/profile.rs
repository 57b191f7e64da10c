//! A shopper's items, condensed: heaviest first.

use std::borrow::Cow;
use std::collections::HashMap;
use std::fmt;

use super::NEVER;
use crate::features::{ItemHistory, Kind};
use crate::snapshots::Snapshot;
use crate::snapshots::items::ItemIndex;
use crate::snapshots::manifest::SHOPPER;

const DAY_S: f64 = 86_400.0;

/// What is known of one of the shopper's own items.
#[derive(Clone, PartialEq)]
pub struct Own {
    /// The item.
    pub item: ItemIndex,
    /// The strongest kind so far.
    pub kind: Kind,
    /// Number of events.
    pub count: u32,
    /// Σ 2^(−age / half-life) over the latest events.
    pub decayed: f64,
    /// Days since the last event.
    pub age_days: f64,
    /// Mean days between events; −1 for a single one.
    pub gap_days: f64,
}

/// A shopper's distinct items of the catalogue, heaviest first (ties: the later last event, then the smaller index).
#[derive(Clone, Default, PartialEq)]
pub struct Profile {
    /// The items.
    pub own: Vec<Own>,
    /// The `shopper` row: events, distinct items, days since the last and first event, median item price.
    pub summary: [f64; SHOPPER],
}

impl fmt::Debug for Own {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Own(redacted)")
    }
}

impl fmt::Debug for Profile {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Profile(redacted)")
    }
}

impl Profile {
    /// Condenses `histories` at `now_s`; items that the snapshot does not know are passed over.
    pub fn new<'h>(
        snapshot: &Snapshot,
        histories: impl Iterator<Item = &'h ItemHistory>,
        now_s: i64,
    ) -> Self {
        let mut whole: HashMap<ItemIndex, Cow<'h, ItemHistory>> = HashMap::new();
        for history in histories {
            if let Some(item) = snapshot.items.index_of(&history.item) {
                // An item in both groups: what an import brought and what came since, together.
                let known = whole.entry(item);
                known
                    .and_modify(|known| *known = Cow::Owned(known.joined(history)))
                    .or_insert(Cow::Borrowed(history));
            }
        }
        let merged: HashMap<ItemIndex, (Own, f64)> = whole
            .into_iter()
            .map(|(item, history)| (item, condense(item, &history, &snapshot.manifest, now_s)))
            .collect();
        let oldest = merged.values().map(|(_, first)| *first).fold(NEVER, f64::max);
        let mut own: Vec<Own> = merged.into_values().map(|(own, _)| own).collect();
        own.sort_by(|a, b| {
            let weight = b.decayed.total_cmp(&a.decayed);
            weight.then(a.age_days.total_cmp(&b.age_days)).then(a.item.cmp(&b.item))
        });
        let events: f64 = own.iter().map(|own| f64::from(own.count)).sum();
        let newest = own.iter().map(|own| own.age_days).fold(f64::INFINITY, f64::min);
        let newest = if own.is_empty() { NEVER } else { newest };
        let median = median_price(snapshot, &own);
        let summary = [events, own.len() as f64, newest, oldest, median];
        Self { own, summary }
    }

    /// The profile of someone nothing is known of.
    pub fn unknown() -> Self {
        Self { own: Vec::new(), summary: [0.0, 0.0, NEVER, NEVER, 0.0] }
    }

    /// The median price of the shopper's distinct items; 0 when unknown.
    pub fn median_price(&self) -> f64 {
        let [.., median] = self.summary;
        median
    }

    /// The items by index.
    pub fn by_item(&self) -> HashMap<ItemIndex, &Own> {
        self.own.iter().map(|own| (own.item, own)).collect()
    }
}

/// The item's condensed history and the days since its first event.
fn condense(
    item: ItemIndex,
    history: &ItemHistory,
    manifest: &crate::snapshots::manifest::Manifest,
    now_s: i64,
) -> (Own, f64) {
    let days = |time_s: i64| (now_s.saturating_sub(time_s)).max(0) as f64 / DAY_S;
    let recent = history.recent_s.iter().take(manifest.recent_events_per_item);
    let decayed = recent.map(|&time| (-days(time) / manifest.half_life_days).exp2()).sum();
    let (newest, oldest) = (days(history.last_s()), days(history.first_s));
    let gap_days = if history.count > 1 { (oldest - newest) / f64::from(history.count - 1) } else { NEVER };
    (Own { item, kind: history.kind, count: history.count, decayed, age_days: newest, gap_days }, oldest)
}

fn median_price(snapshot: &Snapshot, own: &[Own]) -> f64 {
    let mut prices: Vec<f64> = own
        .iter()
        .map(|own| f64::from(snapshot.items.price(own.item)))
        .filter(|&price| price > 0.0)
        .collect();
    prices.sort_by(f64::total_cmp);
    let (low, high) = (prices.len().saturating_sub(1) / 2, prices.len() / 2);
    match (prices.get(low), prices.get(high)) {
        (Some(low), Some(high)) => (low + high) / 2.0,
        _ => 0.0,
    }
}
