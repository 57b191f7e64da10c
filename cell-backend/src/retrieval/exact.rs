//! The exact scan: the default below some 100,000 items, and what an approximate index is judged by.

use std::sync::Arc;

use super::{CandidateIndex, Scored, by_score, dot};
use crate::snapshots::embeddings::Embeddings;
use crate::snapshots::items::ItemIndex;

/// Scans every embedding.
pub struct Exact {
    embeddings: Arc<Embeddings>,
}

impl Exact {
    /// An index over `embeddings`.
    pub fn new(embeddings: Arc<Embeddings>) -> Self {
        Self { embeddings }
    }
}

impl CandidateIndex for Exact {
    /// Keeps a buffer of twice `count` and a threshold: an item below the last kept `count`-th score is passed over
    /// with one comparison, so the scan costs little more than its products.
    fn nearest(&self, query: &[f32], count: usize) -> Vec<Scored> {
        if count == 0 {
            return Vec::new();
        }
        let mut kept: Vec<Scored> = Vec::with_capacity(count * 2);
        let mut threshold = f32::NEG_INFINITY;
        for (item, row) in self.embeddings.rows() {
            let score = dot(query, row);
            if score > threshold || kept.len() < count {
                kept.push(Scored { item, score });
                if kept.len() == count * 2 {
                    kept.select_nth_unstable_by(count - 1, by_score);
                    kept.truncate(count);
                    threshold = kept.last().map_or(threshold, |last| last.score);
                }
            }
        }
        kept.sort_unstable_by(by_score);
        kept.truncate(count);
        kept
    }

    fn score(&self, query: &[f32], item: ItemIndex) -> f32 {
        dot(query, self.embeddings.row(item))
    }

    fn name(&self) -> &'static str {
        "exact"
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    proptest! {
        #[test]
        fn it_is_what_sorting_everything_gives(
            // Few distinct values, so that ties are common.
            values in prop::collection::vec(-3i8..3, 0..400),
            query in prop::collection::vec(-3i8..3, 4),
            count in 0usize..30,
        ) {
            let widen = |values: &[i8]| values.iter().map(|&v| f32::from(v)).collect::<Vec<f32>>();
            let mut values = widen(&values);
            values.truncate(values.len() / 4 * 4);
            let query = widen(&query);
            let index = Exact::new(Arc::new(Embeddings::from_values(values, 4)));
            let mut naive: Vec<Scored> = index.embeddings.rows()
                .map(|(item, row)| Scored { item, score: query.iter().zip(row).fold(0.0, |sum, (a, b)| sum + a * b) })
                .collect();
            naive.sort_by(by_score);
            naive.truncate(count);
            prop_assert_eq!(index.nearest(&query, count), naive);
        }

        #[test]
        fn sixteen_lanes_add_up(pairs in prop::collection::vec((-9i8..9, -9i8..9), 0..70)) {
            let (a, b): (Vec<f32>, Vec<f32>) = pairs.iter().map(|&(a, b)| (f32::from(a), f32::from(b))).unzip();
            let expected: i32 = pairs.iter().map(|&(a, b)| i32::from(a) * i32::from(b)).sum();
            prop_assert_eq!(dot(&a, &b), expected as f32);
        }
    }
}
