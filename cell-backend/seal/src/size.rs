//! One size for requests, one for a cell's answers.
//!
//! An edge sees lengths whatever is sealed. If they differed, a ranking, a batch of events and an erasure could be told
//! apart by them, and so could shoppers with long and short histories. So the plain text is filled up with zeros, which
//! binary HTTP allows after a message (RFC 9292, section 3.8), until the sealed bytes have the one size.

use crate::suite::{ANSWER_NONCE, HEADER, Kem, TAG};

/// Bytes of every sealed request. A batch of events that is larger is split.
pub const REQUEST: usize = 4_096;

/// Sealed answers are a whole number of these.
pub const ANSWER_STEP: usize = 1_024;

/// Bytes that sealing adds to an answer.
pub const ANSWER_OVERHEAD: usize = ANSWER_NONCE + TAG;

/// Bytes of an answer beside its items: the ranking's other fields and the receipt.
const ANSWER_BASE: usize = 2_048;
/// Bytes kept for one item of an answer.
const ITEM_BYTES: usize = 512;
/// Least bytes of a cell's answers, however small its slots: an export's page and a long problem fit.
const ANSWER_LEAST: usize = 8_192;

/// Bytes of a sealed answer with so many items.
#[must_use]
pub const fn answer_bytes(items: usize) -> usize {
    (ANSWER_BASE + ITEM_BYTES * items).next_multiple_of(ANSWER_STEP)
}

/// The one size of all sealed answers of a cell whose slots have these numbers of items: its largest slot's.
///
/// One for all, and not one for each slot: a batch of events and an erasure have no slot, and a request that cannot be
/// read does not say its own, so any other rule would tell some of them apart.
#[must_use]
pub fn answer_for_all(slots: impl IntoIterator<Item = usize>) -> usize {
    slots.into_iter().map(answer_bytes).fold(ANSWER_LEAST, usize::max)
}

/// Bytes of plain text in a sealed request: what is left for the binary HTTP message and its padding.
#[must_use]
pub const fn request_room(kem: Kem) -> usize {
    REQUEST - HEADER - kem.public_bytes() - TAG
}

/// Bytes of plain text in a sealed answer of `size` bytes.
#[must_use]
pub const fn answer_room(size: usize) -> usize {
    size.saturating_sub(ANSWER_OVERHEAD)
}

/// Fills up with zeros to exactly `room` bytes; none when the message is longer.
pub(crate) fn fill(message: &[u8], room: usize) -> Option<Vec<u8>> {
    if message.len() > room {
        return None;
    }
    let mut filled = Vec::with_capacity(room);
    filled.extend_from_slice(message);
    filled.resize(room, 0);
    Some(filled)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn answers_have_the_size_of_the_largest_slot() {
        assert_eq!([0, 2, 12, 24].map(answer_bytes), [2_048, 3_072, 8_192, 14_336]);
        assert_eq!(answer_for_all([12, 24, 12]), 14_336);
        assert_eq!(answer_for_all([]), ANSWER_LEAST);
        assert!((0..200).all(|items| answer_bytes(items).is_multiple_of(ANSWER_STEP)));
    }
}
