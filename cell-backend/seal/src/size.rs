//! One size for requests, one for a cell's answers.
//!
//! An edge sees lengths whatever is sealed. If they differed, a ranking, a batch of events and an erasure could be told
//! apart by them, and so could shoppers with long and short histories. So the plain text is filled up with zeros, which
//! binary HTTP allows after a message (RFC 9292, section 3.8), until the sealed bytes have the one size. How large answers
//! are follows from the topology (`Topology::answer_bytes`).

use crate::suite::{ANSWER_NONCE, HEADER, Kem, TAG};

/// Bytes of every sealed request. A batch of events that is larger is split.
pub const REQUEST: usize = 4_096;

/// Bytes that sealing adds to an answer.
pub const ANSWER_OVERHEAD: usize = ANSWER_NONCE + TAG;

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
