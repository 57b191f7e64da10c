//! The union of the sources.

use std::collections::HashMap;

use domicile_wire::Source;

use super::Scored;
use crate::snapshots::items::ItemIndex;

/// An item under consideration, with every source it came from.
#[derive(Clone, PartialEq)]
pub struct Candidate {
    /// The item.
    pub item: ItemIndex,
    /// Whether it is one of the shopper's own.
    pub from_own: bool,
    /// Whether the index gave it.
    pub from_ann: bool,
    /// Whether it is one of the popular ones.
    pub from_popular: bool,
    /// query · embedding; 0 when there is no query.
    pub ann_score: f32,
    /// 1 / (rank + 1) among the popular ones, rank from 0; 0 when it is none of them.
    pub popular_rank: f64,
}

impl Candidate {
    /// The first source it came from.
    pub fn source(&self) -> Source {
        match self {
            Self { from_own: true, .. } => Source::Own,
            Self { from_ann: true, .. } => Source::Ann,
            _ => Source::Popular,
        }
    }
}

/// Distinct candidates in the order of their first source: the shopper's `own` items, the `nearest` of the index, the
/// `popular` ones. `score` is query · embedding, for the items that the index did not score.
pub fn unite(
    own: impl Iterator<Item = ItemIndex>,
    nearest: &[Scored],
    popular: &[ItemIndex],
    score: impl Fn(ItemIndex) -> f32,
) -> Vec<Candidate> {
    let mut candidates: Vec<Candidate> = Vec::new();
    let mut places: HashMap<ItemIndex, usize> = HashMap::new();
    let mut note = |item: ItemIndex, ann_score: Option<f32>, mark: &dyn Fn(&mut Candidate)| {
        let place = *places.entry(item).or_insert(candidates.len());
        if place == candidates.len() {
            let ann_score = ann_score.unwrap_or_else(|| score(item));
            candidates.push(Candidate {
                item,
                from_own: false,
                from_ann: false,
                from_popular: false,
                ann_score,
                popular_rank: 0.0,
            });
        }
        if let Some(candidate) = candidates.get_mut(place) {
            mark(candidate);
        }
    };
    own.for_each(|item| note(item, None, &|candidate| candidate.from_own = true));
    nearest.iter().for_each(|s| note(s.item, Some(s.score), &|candidate| candidate.from_ann = true));
    for (rank, &item) in popular.iter().enumerate() {
        note(item, None, &|candidate| {
            candidate.from_popular = true;
            candidate.popular_rank = 1.0 / (rank as f64 + 1.0);
        });
    }
    candidates
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_item_is_there_once_with_all_its_sources() {
        let item = |number| ItemIndex::new(number).unwrap();
        let nearest = [Scored { item: item(2), score: 0.5 }, Scored { item: item(3), score: 0.25 }];
        let united = unite([item(1), item(2)].into_iter(), &nearest, &[item(3), item(4)], |_| 0.125);
        let told: Vec<_> =
            united.iter().map(|c| (c.item.number(), c.source(), c.ann_score, c.popular_rank)).collect();
        assert_eq!(
            told,
            [
                (1, Source::Own, 0.125, 0.0),
                (2, Source::Own, 0.125, 0.0),
                (3, Source::Ann, 0.25, 1.0),
                (4, Source::Popular, 0.125, 0.5),
            ]
        );
        let flags: Vec<_> = united.iter().map(|c| (c.from_own, c.from_ann, c.from_popular)).collect();
        assert_eq!(
            flags,
            [(true, false, false), (true, true, false), (false, true, true), (false, false, true)]
        );
    }
}
