//! The three parts of the edge, and what each has to lose before it becomes a component.

use std::fmt;

/// A part of the edge: one core module, one component.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Part {
    /// The pure decision.
    Router,
    /// Lists and problem documents.
    Popularity,
    /// The blind relay.
    Relay,
}

impl Part {
    /// The parts, in the order they are plugged together.
    pub const ALL: [Self; 3] = [Self::Router, Self::Popularity, Self::Relay];

    /// Its name: of the module's file, of the world in `wit/`, and in every report.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Router => "router",
            Self::Popularity => "popularity",
            Self::Relay => "relay",
        }
    }

    /// The file name of its module.
    #[must_use]
    pub fn file(self) -> String {
        format!("{}.wasm", self.name())
    }

    /// Whether a core import of this name is replaced by a trap.
    ///
    /// Only the bindings' own glue for streams and for trailers is: code carries it whether it uses it or not, so the
    /// audit could not tell. A *function* the part must not have is not hidden like this; it stays, and the audit
    /// refuses the component by that name.
    #[must_use]
    pub fn knocks_out(self, name: &str) -> bool {
        let name = name.strip_prefix("[async-lower]").unwrap_or(name);
        let any = |prefixes: &[&str]| prefixes.iter().any(|prefix| name.starts_with(prefix));
        match self {
            Self::Router => false,
            Self::Popularity => any(READS) || any(TRAILERS),
            Self::Relay => any(READS) || any(WRITES) || any(TRAILERS),
        }
    }

    /// Whether the pass takes the trailers of bodies away from it (`trailers.rs`). The router has nothing to do with
    /// bodies; the others never need trailers.
    #[must_use]
    pub(crate) const fn drops_trailers(self) -> bool {
        !matches!(self, Self::Router)
    }
}

/// What reads a body, or ends a read.
const READS: &[&str] = &["[stream-read-", "[stream-cancel-read-"];

/// What writes a body, or makes one to be written.
const WRITES: &[&str] =
    &["[stream-new-", "[stream-write-", "[stream-cancel-write-", "[stream-drop-writable-"];

/// What reads trailers: `result<option<trailers>, error-code>` is the second stream or future of `request.new`, which
/// is what the bindings name it by wherever it stands. The third is a completion, and is waited for.
const TRAILERS: &[&str] =
    &["[future-read-1][static]request.new", "[future-cancel-read-1][static]request.new"];

impl fmt::Display for Part {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn nobody_reads_bodies_or_trailers_and_the_relay_does_not_write() {
        let read = "[async-lower][stream-read-0][static]request.new";
        let write = "[async-lower][stream-write-0][static]request.new";
        assert!(Part::Relay.knocks_out(read) && Part::Popularity.knocks_out(read));
        assert!(Part::Relay.knocks_out(write) && !Part::Popularity.knocks_out(write));
        assert!(Part::Relay.knocks_out("[async-lower][future-read-1][static]request.new"), "trailers");
        assert!(!Part::Relay.knocks_out("[async-lower][future-read-2][static]request.new"), "a completion");
        assert!(!Part::Relay.knocks_out("[stream-drop-readable-0][static]request.new"));
        assert!(!Part::Relay.knocks_out("[method]request.get-headers"), "that is the audit's to refuse");
    }
}
