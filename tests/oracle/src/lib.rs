//! Slow, independent readings of what must not be read wrongly.
//!
//! Fuzzing finds crashes by itself; a wrong answer it finds only when somebody knows the right one. Each module here
//! says it for one subject, written the plain way, without the subject's own helpers and without care for speed. The
//! fuzz targets (`fuzz/`) and the property tests (`tests/`) compare with it: one module and one small file in
//! `fuzz/src/bin` is a new target.
//!
//! What is signed cannot be reached by chance: a changed byte fails at the signature. Those modules take, beside the
//! signed text, a payload that they sign themselves.

pub mod json;
pub mod key_config;
pub mod letters;
pub mod manifest;
pub mod message;
pub mod pin;
pub mod receipt;
pub mod router;
pub mod samples;
pub mod signed;
pub mod token;

/// Where a subject and its reference part, in words.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{0}")]
pub struct Disagreement(pub String);

/// An error with these words unless `holds`.
pub(crate) fn agree(holds: bool, words: impl FnOnce() -> String) -> Result<(), Disagreement> {
    if holds { Ok(()) } else { Err(Disagreement(words())) }
}
