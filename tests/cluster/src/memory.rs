//! What lies in the memory of a running host, read from outside: the linear memories of its guests, and all the rest.
//!
//! A guest that holds no header in its linear memory cannot have read one. To look there, wasmtime has a debugging
//! feature, which would be another engine than the product's; so the product's own process is read instead, through
//! `/proc/PID/mem`, while instances wait for their next request (`docs/decisions/0012-linear-memory-from-outside.md`).
//!
//! wasmtime's pooling allocator reserves one range for all linear memories, without access, and gives each its slot in
//! it: accessible pages, then gigabytes of guard before the next. Nothing else in the process looks like that:
//! allocators' heaps are followed by 64 MiB of reservation at most, stacks and tables by a page or by each other.

use std::fs::File;
use std::os::unix::fs::FileExt as _;

use anyhow::Context as _;

/// Least guard behind a linear memory: wasmtime reserves 4 GiB for each of 64 KiB to 16 MiB.
const GUARD: u64 = 1 << 30;
/// Linear memories come in pages of this size (WebAssembly core specification, section 4.2.8).
const PAGE: u64 = 64 * 1024;
/// How a mapping is named that holds a guest's data segments until they are written to.
const IMAGE: &str = "memfd:wasm-memory-image";
/// Mappings that are read at most when looking elsewhere: larger ones are reservations that hold next to nothing.
const LARGE: u64 = 1 << 26;

/// A line of `/proc/PID/maps`.
#[derive(Debug, Clone, PartialEq, Eq)]
struct Mapping {
    from: u64,
    to: u64,
    access: Access,
    name: String,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Access {
    /// `rw-p`.
    Own,
    /// `---p`.
    None,
    Other,
}

/// Where a linear memory lies.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct Place {
    from: u64,
    to: u64,
}

/// What a process holds, in bytes.
pub struct Memory {
    /// Each linear memory of the pool, those of instances that are alive and those waiting to be used.
    pub linear: Vec<Vec<u8>>,
    places: Vec<Place>,
    mappings: Vec<Mapping>,
    file: File,
}

impl Memory {
    /// Reads the linear memories of a host whose guests are at rest.
    ///
    /// # Errors
    /// When the process cannot be read (it has to be this one's child, or this one's own), has no linear memory, or
    /// has a guest's data where none is expected: then its engine places memories in another way than is known here.
    pub fn of(process: u32) -> anyhow::Result<Self> {
        let path = format!("/proc/{process}/maps");
        let text = std::fs::read_to_string(&path).with_context(|| format!("cannot read {path}"))?;
        let mappings = parse(&text)?;
        let places = linear(&mappings);
        anyhow::ensure!(!places.is_empty(), "no linear memory in {path}");
        for image in mappings.iter().filter(|mapping| mapping.name.contains(IMAGE)) {
            let known = places.iter().any(|place| place.from <= image.from && image.to <= place.to);
            anyhow::ensure!(known, "a guest's data at {:x}, which is no linear memory", image.from);
        }
        let path = format!("/proc/{process}/mem");
        let file = File::open(&path).with_context(|| format!("cannot open {path}"))?;
        let linear: anyhow::Result<_> =
            places.iter().map(|place| read(&file, place.from, place.to)).collect();
        Ok(Self { linear: linear?, places, mappings, file })
    }

    /// Whether a text lies in memory that the host itself writes: heaps, stacks, buffers, and no linear memory.
    ///
    /// # Errors
    /// When nothing can be read.
    pub fn is_elsewhere(&self, text: &str) -> anyhow::Result<bool> {
        let linear = |mapping: &Mapping| {
            self.places.iter().any(|place| place.from <= mapping.from && mapping.to <= place.to)
        };
        let searched = self
            .mappings
            .iter()
            .filter(|mapping| mapping.access == Access::Own && mapping.to - mapping.from <= LARGE)
            .filter(|mapping| !linear(mapping));
        let mut read_any = false;
        for mapping in searched {
            // One may be gone by now: the host goes on with its own work.
            let Ok(bytes) = read(&self.file, mapping.from, mapping.to) else { continue };
            read_any = true;
            if holds(&bytes, text) {
                return Ok(true);
            }
        }
        anyhow::ensure!(read_any, "none of the host's own memory could be read");
        Ok(false)
    }
}

/// Whether bytes hold a text as it is.
#[must_use]
pub fn holds(bytes: &[u8], text: &str) -> bool {
    let Some(first) = text.bytes().next() else { return true };
    let mut rest = bytes;
    while let Some(at) = rest.iter().position(|byte| *byte == first) {
        rest = rest.get(at..).unwrap_or_default();
        if rest.starts_with(text.as_bytes()) {
            return true;
        }
        rest = rest.get(1..).unwrap_or_default();
    }
    false
}

fn read(file: &File, from: u64, to: u64) -> anyhow::Result<Vec<u8>> {
    let mut bytes = vec![0; usize::try_from(to - from)?];
    file.read_exact_at(&mut bytes, from).with_context(|| format!("cannot read memory at {from:x}"))?;
    Ok(bytes)
}

/// Accessible pages that touch each other, between ranges without access of which the second is a guard.
fn linear(mappings: &[Mapping]) -> Vec<Place> {
    let mut places = Vec::new();
    let mut before: Option<&Mapping> = None;
    let mut open: Option<Place> = None;
    for mapping in mappings {
        match mapping.access {
            Access::Own => {
                let behind_none =
                    before.is_some_and(|before| before.access == Access::None && before.to == mapping.from);
                open = match open.filter(|place| place.to == mapping.from) {
                    Some(place) => Some(Place { to: mapping.to, ..place }),
                    None => behind_none.then_some(Place { from: mapping.from, to: mapping.to }),
                };
            }
            Access::None => {
                let guarded = mapping.to - mapping.from >= GUARD;
                let pages = |place: &Place| (place.to - place.from).is_multiple_of(PAGE);
                places.extend(open.take().filter(|p| p.to == mapping.from && guarded && pages(p)));
            }
            Access::Other => open = None,
        }
        before = Some(mapping);
    }
    places
}

fn parse(text: &str) -> anyhow::Result<Vec<Mapping>> {
    let one = |line: &str| {
        let mut fields = line.split_whitespace();
        let (from, to) = fields.next()?.split_once('-')?;
        let access = match fields.next()? {
            "rw-p" => Access::Own,
            "---p" => Access::None,
            _ => Access::Other,
        };
        let number = |text| u64::from_str_radix(text, 16).ok();
        let name = fields.nth(3).unwrap_or_default().to_owned();
        Some(Mapping { from: number(from)?, to: number(to)?, access, name })
    };
    text.lines().map(|line| one(line).with_context(|| format!("no mapping: {line:?}"))).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Of a running host, cut short: a pool of two memories, then the heap of a thread right behind its last guard,
    /// and a stack.
    const MAPS: &str = "\
5571e0000000-5571e0200000 rw-p 00000000 00:00 0                          [heap]
76f700000000-76f700021000 rw-p 00000000 00:00 0
76f700021000-76f704000000 ---p 00000000 00:00 0
76f82a000000-76f82c000000 ---p 00000000 00:00 0
76f82c000000-76f82c100000 rw-p 00000000 00:00 0
76f82c100000-76f82c101000 rw-p 00000000 00:01 2928                       /memfd:wasm-memory-image (deleted)
76f82c101000-76f82c110000 rw-p 00000000 00:00 0
76f82c110000-76f92e000000 ---p 00000000 00:00 0
76f92e000000-76f92e010000 rw-p 00000000 00:00 0
76f92e010000-7f286c000000 ---p 00000000 00:00 0
7f286c000000-7f286c021000 rw-p 00000000 00:00 0
7f286c021000-7f2870000000 ---p 00000000 00:00 0
7f2871000000-7f2871001000 ---p 00000000 00:00 0
7f2871001000-7f2871201000 rw-p 00000000 00:00 0
7f2872000000-7f2872001000 r--p 00000000 00:00 0
";

    #[test]
    fn memories_between_guards_are_linear_and_heaps_and_stacks_are_not() {
        let mappings = parse(MAPS).unwrap();
        let places = linear(&mappings);
        let whole = Place { from: 0x76f8_2c00_0000, to: 0x76f8_2c11_0000 };
        assert_eq!(places, [whole, Place { from: 0x76f9_2e00_0000, to: 0x76f9_2e01_0000 }]);
        assert!(mappings.iter().filter(|mapping| mapping.name.contains(IMAGE)).count() == 1);
    }

    #[test]
    fn what_is_no_map_is_an_error() {
        assert!(parse("76f82a000000 rw-p").is_err());
        assert!(parse("x-y rw-p 0 0 0").is_err());
    }

    #[test]
    fn this_process_is_no_host() {
        let error = Memory::of(std::process::id()).err().unwrap().to_string();
        assert!(error.contains("no linear memory"), "{error}");
    }

    #[test]
    fn a_text_is_found_wherever_it_is() {
        assert!(holds(b"..canary", "canary") && holds(b"ccanary", "canary") && !holds(b"canar", "canary"));
    }
}
