//! How large a cell's sealed answers are.
//!
//! One size for all of them, and not one for each slot: a batch of events and an erasure have no slot, and a request
//! that cannot be read does not say its own, so any other rule would tell some of them apart
//! (`docs/decisions/0011-one-size-for-a-cell-s-answers.md`). Cells pad to it and route manifests state it, so it is
//! computed here alone.

use domicile_route::{ANSWER_LEAST, ANSWER_STEP};

use crate::Topology;

/// Bytes of an answer beside its items: the ranking's other fields and the receipt.
const BASE: u32 = 2_048;
/// Bytes kept for one item of an answer.
const ITEM: u32 = 512;

impl Topology {
    /// Bytes of every sealed answer: what the largest slot needs.
    #[must_use]
    pub fn answer_bytes(&self) -> u32 {
        self.slots.iter().map(|slot| of(slot.items)).fold(ANSWER_LEAST, u32::max)
    }
}

/// Bytes of a sealed answer with so many items.
fn of(items: u16) -> u32 {
    (BASE + ITEM * u32::from(items)).next_multiple_of(ANSWER_STEP)
}

#[cfg(test)]
mod tests {
    use domicile_route::{ANSWER_LEAST, ANSWER_STEP, is_answer_size};

    use super::of;
    use crate::Topology;

    #[test]
    fn answers_have_the_size_of_the_largest_slot() {
        let mut demo = Topology::parse(include_str!("../../../deploy/demo/topology.toml")).unwrap();
        assert_eq!(demo.answer_bytes(), 14_336, "24 items on the home page");
        assert!(is_answer_size(demo.answer_bytes()));
        assert_eq!([0, 2, 12, 24].map(of), [2_048, 3_072, 8_192, 14_336]);
        assert!((0..200).all(|items| of(items).is_multiple_of(ANSWER_STEP)));
        demo.slots.clear();
        assert_eq!(demo.answer_bytes(), ANSWER_LEAST);
    }
}
