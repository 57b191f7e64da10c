//! Whether an artefact is nothing but some modules and data.
//!
//! The audit says what an artefact may do. This says what it *is*: the data that stands in it is taken out, an edge is
//! made of the modules and that data, and the bytes are compared. Whoever trusts the modules, or has built them, then
//! needs to trust nobody who handled the artefact: no name in its wiring is taken at its word. It needs no key.

use std::collections::BTreeMap;

use wasmparser::{DataKind, Encoding, Parser, Payload};

use crate::{Audit, Modules, Part, Rows, forge};

/// Whether these modules and the data in the artefact make exactly its bytes. `audit` is the artefact's own.
#[must_use]
pub fn repeats(artefact: &[u8], audit: &Audit, modules: &Modules) -> bool {
    rows(artefact, audit)
        .and_then(|rows| forge(modules, &rows).ok())
        .is_some_and(|repeated| repeated.bytes == artefact)
}

/// The rows that the forge put into each part.
fn rows(artefact: &[u8], audit: &Audit) -> Option<Rows> {
    let segments = segments(artefact)?;
    if segments.len() != audit.components.len() {
        return None;
    }
    // The audit lists the parts in the order in which they stand in the file.
    let mut found: BTreeMap<_, _> =
        audit.components.iter().map(|component| component.part).zip(segments).collect();
    // A module that asks for no rows has none, and makes the same bytes whatever they are.
    let mut part = |part: Part| found.remove(part.name())?.map_or(Some(Vec::new()), split);
    Some(Rows { router: part(Part::Router)?, popularity: part(Part::Popularity)?, relay: part(Part::Relay)? })
}

/// The last passive data segment of each component with code directly inside.
fn segments(artefact: &[u8]) -> Option<Vec<Option<&[u8]>>> {
    let mut open = Vec::new();
    let mut segments = Vec::new();
    let (mut last, mut has_code) = (None, false);
    for payload in Parser::new(0).parse_all(artefact) {
        match payload.ok()? {
            Payload::Version { encoding, .. } => {
                has_code |= encoding == Encoding::Module;
                open.push(encoding);
            }
            Payload::DataSection(section) => {
                for data in section {
                    let data = data.ok()?;
                    if matches!(data.kind, DataKind::Passive) {
                        last = Some(data.data);
                    }
                }
            }
            Payload::End(_) => {
                let closed = open.pop()?;
                if closed == Encoding::Component && open.len() == 1 && std::mem::take(&mut has_code) {
                    segments.push(last.take());
                }
            }
            _ => {}
        }
    }
    Some(segments)
}

/// Takes a segment apart: a directory of (offset, length) pairs, then the rows (`rewrite/read.rs`).
fn split(segment: &[u8]) -> Option<Vec<Vec<u8>>> {
    let word = |at: usize| -> Option<usize> {
        let bytes = segment.get(at..at.checked_add(4)?)?.try_into().ok()?;
        usize::try_from(u32::from_le_bytes(bytes)).ok()
    };
    if segment.is_empty() {
        return Some(Vec::new());
    }
    let rows = word(0)? / crate::rewrite::ENTRY_BYTES;
    (0..rows)
        .map(|row| {
            let at = row * crate::rewrite::ENTRY_BYTES;
            let (offset, length) = (word(at)?, word(at + 4)?);
            Some(segment.get(offset..offset.checked_add(length)?)?.to_vec())
        })
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_segment_is_taken_apart_as_it_was_put_together() {
        // As in the test of `rewrite/read.rs`, which wrote it.
        let rows = vec![b"ab".to_vec(), Vec::new(), b"c".to_vec()];
        let segment =
            [24, 0, 0, 0, 2, 0, 0, 0, 26, 0, 0, 0, 0, 0, 0, 0, 26, 0, 0, 0, 1, 0, 0, 0, b'a', b'b', b'c'];
        assert_eq!(split(&segment), Some(rows));
        assert_eq!(split(&[]), Some(Vec::new()));
        assert_eq!(split(&segment[..segment.len() - 1]), None);
        assert_eq!(split(&[255; 8]), None);
    }
}
