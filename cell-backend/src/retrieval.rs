//! Retrieval: the items under consideration.
//!
//! A repeat shop's best candidates are the shopper's own items, which no nearest-neighbour search finds reliably; so
//! candidates are a union of sources, and each keeps the flags of all its sources for the ranker.

pub mod candidates;
pub mod exact;
pub mod graph;

pub use candidates::{Candidate, unite};

use crate::snapshots::items::ItemIndex;

/// An item and its inner product with the query.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Scored {
    /// The item.
    pub item: ItemIndex,
    /// query · embedding.
    pub score: f32,
}

/// An index of item embeddings under the inner product.
pub trait CandidateIndex: Send + Sync {
    /// The `count` items of the greatest inner product with `query` \[D\], greatest first (ties: the smaller index);
    /// an approximate index may miss some, never invents one.
    fn nearest(&self, query: &[f32], count: usize) -> Vec<Scored>;

    /// The item's inner product with `query`; 0 outside the table.
    fn score(&self, query: &[f32], item: ItemIndex) -> f32;

    /// Its name, for the log and the status page.
    fn name(&self) -> &'static str;
}

/// Inner product in sixteen lanes: independent sums, which a compiler turns into vector instructions, added up as a
/// tree, since sixteen additions in a row would take longer than the products. What is longer in one of the two is
/// not looked at.
pub fn dot(a: &[f32], b: &[f32]) -> f32 {
    let ((a_blocks, a_rest), (b_blocks, b_rest)) = (a.as_chunks::<16>(), b.as_chunks::<16>());
    let mut lanes = [0.0f32; 16];
    for (x, y) in a_blocks.iter().zip(b_blocks) {
        for ((lane, x), y) in lanes.iter_mut().zip(x).zip(y) {
            *lane += x * y;
        }
    }
    let rest: f32 = a_rest.iter().zip(b_rest).map(|(x, y)| x * y).sum();
    let [eight, other] = halves::<16, 8>(lanes);
    let [four, other_four] = halves::<8, 4>(add(eight, other));
    let [a, b, c, d] = add(four, other_four);
    (a + c) + (b + d) + rest
}

fn halves<const N: usize, const HALF: usize>(lanes: [f32; N]) -> [[f32; HALF]; 2] {
    let (low, high) = lanes.split_at(HALF);
    let half = |part: &[f32]| part.first_chunk().copied().unwrap_or([0.0; HALF]);
    [half(low), half(high)]
}

fn add<const N: usize>(mut a: [f32; N], b: [f32; N]) -> [f32; N] {
    a.iter_mut().zip(b).for_each(|(x, y)| *x += y);
    a
}

/// Greatest score first; ties: the smaller index.
fn by_score(a: &Scored, b: &Scored) -> std::cmp::Ordering {
    b.score.total_cmp(&a.score).then(a.item.cmp(&b.item))
}
