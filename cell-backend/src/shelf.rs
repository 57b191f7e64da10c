//! Shelves: exactly as many items as the slot holds, none twice, none denied.

use std::collections::HashSet;

use domicile_wire::{RankedItem, Source};

use crate::last_good::Ranking;
use crate::overlay::Rules;
use crate::retrieval::Candidate;
use crate::snapshots::Snapshot;
use crate::snapshots::items::ItemIndex;

/// Where an item's page is, below the shop's origin; the same as in overlay lists.
const PAGE: &str = "/p/";

/// What a shelf is made for.
#[derive(Clone, Copy)]
pub struct Place<'p> {
    /// The snapshot.
    pub snapshot: &'p Snapshot,
    /// The locale's rules.
    pub rules: &'p Rules,
    /// The slot's name.
    pub slot: &'p str,
    /// The slot's number of items.
    pub items: usize,
    /// Items the page shows already.
    pub anchor: &'p [ItemIndex],
}

impl Place<'_> {
    /// Whether an item may stand on this shelf.
    pub fn allows(&self, item: ItemIndex) -> bool {
        self.rules.allows(item) && !self.anchor.contains(&item)
    }

    /// The shelf of ranked candidates: by score (ties: the earlier candidate), filled up when they are too few.
    pub fn ranked(&self, candidates: &[Candidate], scores: &[f32]) -> Vec<RankedItem> {
        let mut order: Vec<(&Candidate, f32)> = candidates.iter().zip(scores.iter().copied()).collect();
        order.sort_by(|(_, a), (_, b)| b.total_cmp(a));
        let best = order.into_iter().take(self.items);
        let items =
            best.filter_map(|(candidate, score)| self.item(candidate.item, candidate.source(), Some(score)));
        self.filled(items.collect())
    }

    /// The shelf of a last good ranking: what is still in the catalogue and still allowed, filled up.
    pub fn last_good(&self, ranking: &Ranking) -> Vec<RankedItem> {
        let resolve = |(id, source, score): &(String, Source, f32)| {
            let item = self.snapshot.items.index_of(id).filter(|&item| self.allows(item))?;
            self.item(item, *source, Some(*score))
        };
        self.filled(ranking.items.iter().filter_map(resolve).collect())
    }

    /// The locale's list.
    pub fn list(&self) -> Vec<RankedItem> {
        self.filled(Vec::new())
    }

    /// Fills up from the list, then the popular items, then the catalogue.
    fn filled(&self, mut items: Vec<RankedItem>) -> Vec<RankedItem> {
        if items.len() >= self.items {
            return items;
        }
        let shown = |item: &RankedItem| {
            self.snapshot.items.index_of(&item.id).is_some_and(|i| self.anchor.contains(&i))
        };
        let listed = self.rules.list(self.slot).iter().filter(|item| !shown(item)).cloned();
        let popular = self.snapshot.popular.iter().copied();
        let rest = popular.chain(self.snapshot.items.iter().map(|(index, _)| index));
        let rest =
            rest.filter(|&item| self.allows(item)).filter_map(|item| self.item(item, Source::Popular, None));
        let mut there: HashSet<String> = items.iter().map(|item| item.id.clone()).collect();
        for item in listed.chain(rest) {
            if items.len() >= self.items {
                break;
            }
            if there.insert(item.id.clone()) {
                items.push(item);
            }
        }
        items
    }

    fn item(&self, index: ItemIndex, source: Source, score: Option<f32>) -> Option<RankedItem> {
        let item = self.snapshot.items.get(index)?;
        Some(RankedItem {
            id: item.id.clone(),
            title: item.title.clone(),
            category: item.category.clone(),
            image: item.image.clone(),
            url: format!("{PAGE}{}", item.id),
            source,
            score,
        })
    }
}

#[cfg(test)]
mod tests;
