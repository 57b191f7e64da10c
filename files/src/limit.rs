//! Largest files, in bytes, by what is in them: several times what is ever meant.

/// A key, or a set of keys.
pub const KEY: u64 = 64 * 1024;
/// Certificates in PEM: some hundreds.
pub const CERTIFICATES: u64 = 1024 * 1024;
/// A core module of the edge; the demo's take 22 to 75 kB.
pub const MODULE: u64 = 16 * 1024 * 1024;
/// A topology, a configuration, a manifest: what people read, or could.
pub const TEXT: u64 = 16 * 1024 * 1024;
/// A signed document with lists: 300 locales of 50 slots come to about 100 MB.
pub const DOCUMENT: u64 = 256 * 1024 * 1024;
/// An edge artefact, lists included.
pub const ARTEFACT: u64 = 256 * 1024 * 1024;
