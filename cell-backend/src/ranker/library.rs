//! Whether a shared library is whole, looked at before it is loaded.
//!
//! The loader maps what the headers promise and touches it later: a library that was cut off while it was copied ends
//! the process with a signal and no word. Only the extents are held against the file's length, in ELF files of 64
//! bits, little-endian; of any other file the loader itself says what is wrong. Source: System V ABI, chapters 4 (ELF
//! header, table 4-3) and 5 (program header).

use std::fs::File;
use std::io::{self, Read as _, Seek as _, SeekFrom};
use std::path::Path;

const HEADER: usize = 64;
/// Magic, class 2 (64 bits), data 1 (little-endian).
const IDENTITY: [u8; 6] = *b"\x7fELF\x02\x01";
/// Length of a program header, and most bytes of a table of them: far more than any library has.
const PROGRAM_HEADER: usize = 56;
const TABLE_MAX: u64 = 1 << 20;

/// Whether the file at `path` has all that its headers say.
///
/// # Errors
/// When it cannot be read.
pub(super) fn is_whole(path: &Path) -> io::Result<bool> {
    let mut file = File::open(path)?;
    let length = file.metadata()?.len();
    let mut header = Vec::with_capacity(HEADER);
    file.by_ref().take(HEADER as u64).read_to_end(&mut header)?;
    if !header.starts_with(&IDENTITY) {
        return Ok(true);
    }
    let (Some(programs), Some(sections)) = (table(&header, 32, 54), table(&header, 40, 58)) else {
        return Ok(false);
    };
    if !(programs.within(length) && sections.within(length) && programs.bytes <= TABLE_MAX) {
        return Ok(false);
    }
    file.seek(SeekFrom::Start(programs.at))?;
    let mut table = Vec::new();
    file.take(programs.bytes).read_to_end(&mut table)?;
    Ok(table.chunks_exact(PROGRAM_HEADER).all(|header| segment(header).is_some_and(|s| s.within(length))))
}

/// A part of the file.
struct Extent {
    at: u64,
    bytes: u64,
}

impl Extent {
    fn within(&self, length: u64) -> bool {
        self.at.checked_add(self.bytes).is_some_and(|end| end <= length)
    }
}

/// A table of the header: its place stands at `place`, the size and number of its entries at `size`.
fn table(header: &[u8], place: usize, size: usize) -> Option<Extent> {
    let (size, number) = (u16_at(header, size)?, u16_at(header, size + 2)?);
    Some(Extent { at: u64_at(header, place)?, bytes: u64::from(size) * u64::from(number) })
}

/// What a program header has of the file.
fn segment(header: &[u8]) -> Option<Extent> {
    Some(Extent { at: u64_at(header, 8)?, bytes: u64_at(header, 32)? })
}

fn u64_at(bytes: &[u8], at: usize) -> Option<u64> {
    bytes.get(at..)?.first_chunk().map(|chunk| u64::from_le_bytes(*chunk))
}

fn u16_at(bytes: &[u8], at: usize) -> Option<u16> {
    bytes.get(at..)?.first_chunk().map(|chunk| u16::from_le_bytes(*chunk))
}

#[cfg(test)]
mod tests {
    use super::*;

    /// An ELF file of one segment, from 0 to its end, and one section header at its end.
    fn library(content: usize) -> Vec<u8> {
        let mut bytes = vec![0; HEADER + PROGRAM_HEADER + content];
        let length = bytes.len() as u64;
        let mut put = |at: usize, value: &[u8]| bytes[at..at + value.len()].copy_from_slice(value);
        put(0, &IDENTITY);
        put(32, &(HEADER as u64).to_le_bytes());
        put(40, &(length - 64).to_le_bytes());
        for (at, value) in [(54, PROGRAM_HEADER as u16), (56, 1), (58, 64), (60, 1)] {
            put(at, &value.to_le_bytes());
        }
        put(HEADER + 32, &length.to_le_bytes());
        bytes
    }

    #[test]
    fn a_library_that_was_cut_off_anywhere_is_not_whole() {
        let directory = tempfile::tempdir().unwrap();
        let path = directory.path().join("library.so");
        let whole = |bytes: &[u8]| {
            std::fs::write(&path, bytes).unwrap();
            is_whole(&path).unwrap()
        };
        let library = library(200);
        assert!(whole(&library));
        assert!((IDENTITY.len()..library.len()).all(|length| !whole(&library[..length])));
        let mut mad = library.clone();
        mad[HEADER + 8..HEADER + 16].fill(0xff);
        assert!(!whole(&mad), "an extent beyond every number");
        assert!(whole(b"not a library"), "the loader says what that is");
    }
}
