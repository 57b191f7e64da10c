//! What a model is told: a shopper's row, the context and the candidates as the arrays of the ONNX contract.
//!
//! The reference is the trainer's definition (models/train), and committed parity vectors hold the two together:
//! everything is computed in f64 and stored as f32, values are raw, and the graphs do their own normalising. Only
//! events of items in the snapshot's table count, also in the shopper's totals; no time lies after now.

mod context;
mod profile;

use domicile_wire::Code;

use crate::features::Row;
use crate::retrieval::Candidate;
use crate::snapshots::Snapshot;
use crate::snapshots::items::ItemIndex;
use crate::snapshots::manifest::{CONTEXT, CROSS, SHOPPER};

pub use profile::{Own, Profile};

/// A condition "there is none", as a number: of an age or a gap.
const NEVER: f64 = -1.0;
/// Prices further from the shopper's usual ones than this say no more.
const MAX_PRICE_RATIO: f64 = 10.0;

/// The inputs that are the same for every candidate; batch of one. Its names are the models' input names.
#[derive(Clone, PartialEq)]
pub struct RequestInputs {
    /// \[H\] item indices, heaviest first; 0 is padding.
    pub history: Vec<i64>,
    /// \[H\] decayed number of events.
    pub history_weight: Vec<f32>,
    /// \[H\] days since the item's last event.
    pub history_age: Vec<f32>,
    /// \[H\] strongest kind: 1 view, 2 basket, 3 purchase; 0 is padding.
    pub history_type: Vec<f32>,
    /// \[A\] item indices; 0 is padding.
    pub anchor: Vec<i64>,
    /// Events, distinct items, days since the last and the first event (−1: none), median item price (0: none).
    pub shopper: [f32; SHOPPER],
    /// Slot one-hot (home, basket, product), day of week and hour of day on the circle, UTC.
    pub context: [f32; CONTEXT],
}

/// The inputs of a candidate each.
#[derive(Clone, PartialEq)]
pub struct CandidateInputs {
    /// \[C\] item indices.
    pub candidates: Vec<i64>,
    /// \[C, 10\] row-major: own count, own decayed count, days since own last, mean gap in days (−1: never), price
    /// ratio (0: unknown), from own, from ann, from popular, ann score, popular rank.
    pub cross: Vec<f32>,
}

impl RequestInputs {
    /// The inputs for a shopper's `profile`, the page's `anchor` items and its `slot` at `now_s` (Unix seconds).
    pub fn new(snapshot: &Snapshot, profile: &Profile, anchor: &[ItemIndex], slot: &str, now_s: i64) -> Self {
        let limits = snapshot.manifest.limits;
        let heaviest = profile.own.iter().take(limits.history);
        let column =
            |value: fn(&Own) -> f64| padded(heaviest.clone().map(|own| value(own) as f32), limits.history);
        Self {
            history: padded(heaviest.clone().map(|own| own.item.number().into()), limits.history),
            history_weight: column(|own| own.decayed),
            history_age: column(|own| own.age_days),
            history_type: column(|own| f64::from(own.kind as u8)),
            anchor: padded(anchor.iter().take(limits.anchor).map(|item| item.number().into()), limits.anchor),
            shopper: profile.summary.map(|value| value as f32),
            context: context::row(slot, now_s),
        }
    }

    /// Whether there is anything to make a query from.
    pub fn says_something(&self) -> bool {
        self.history.first().is_some_and(|&item| item != 0)
            || self.anchor.first().is_some_and(|&item| item != 0)
    }
}

impl CandidateInputs {
    /// The inputs for `candidates` of the shopper with this `profile`.
    pub fn new(snapshot: &Snapshot, profile: &Profile, candidates: &[Candidate]) -> Self {
        let own = profile.by_item();
        let median = profile.median_price();
        let mut cross = Vec::with_capacity(candidates.len() * CROSS);
        for candidate in candidates {
            let flag = |set: bool| f64::from(u8::from(set));
            let known = own.get(&candidate.item);
            let own = known.map_or([0.0, 0.0, NEVER, NEVER], |own| {
                [f64::from(own.count), own.decayed, own.age_days, own.gap_days]
            });
            let price = f64::from(snapshot.items.price(candidate.item));
            let ratio = if median > 0.0 { (price / median).min(MAX_PRICE_RATIO) } else { 0.0 };
            let rest = [
                ratio,
                flag(candidate.from_own),
                flag(candidate.from_ann),
                flag(candidate.from_popular),
                f64::from(candidate.ann_score),
                candidate.popular_rank,
            ];
            cross.extend(own.iter().chain(&rest).map(|&value| value as f32));
        }
        let candidates = candidates.iter().map(|candidate| candidate.item.number().into()).collect();
        Self { candidates, cross }
    }

    /// Number of candidates.
    pub fn len(&self) -> usize {
        self.candidates.len()
    }

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.candidates.is_empty()
    }
}

/// The anchor ids as items of the snapshot.
///
/// # Errors
/// [`Code::UnknownItem`] with the position of the first id that is not in the table, not the id.
pub fn anchors(snapshot: &Snapshot, ids: &[String]) -> Result<Vec<ItemIndex>, (Code, usize)> {
    let resolve = |(at, id): (usize, &String)| snapshot.items.index_of(id).ok_or((Code::UnknownItem, at));
    ids.iter().enumerate().map(resolve).collect()
}

/// The profile of a row under a snapshot at `now_s`: both groups together.
pub fn profile(snapshot: &Snapshot, row: &Row, now_s: i64) -> Profile {
    Profile::new(snapshot, row.profile.items.iter().chain(&row.session.items), now_s)
}

fn padded<T: Default + Clone>(values: impl Iterator<Item = T>, length: usize) -> Vec<T> {
    let mut row: Vec<T> = Vec::with_capacity(length);
    row.extend(values.take(length));
    row.resize(length, T::default());
    row
}

#[cfg(test)]
mod tests;
