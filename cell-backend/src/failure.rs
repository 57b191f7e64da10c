//! Why a command could not do its work: one line for the operator, one exit code for the script around it.

use std::path::Path;

/// The exit code's meaning. 2 is the command line's own.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(u8)]
pub enum Exit {
    /// Topology, cell name or configuration.
    Config = 3,
    /// Snapshot.
    Snapshot = 4,
    /// Overlay.
    Overlay = 5,
    /// Feature store.
    Store = 6,
    /// ONNX Runtime, or a model it does not take.
    Runtime = 7,
    /// A listener.
    Listen = 8,
    /// Input files of an import.
    Import = 9,
}

/// What the exit codes mean, for `--help`.
pub const EXIT_CODES: &str = "Exit codes: 0 done, 1 other failure, 2 command line, 3 topology or configuration, \
4 snapshot, 5 overlay, 6 feature store, 7 ONNX Runtime or model, 8 listener, 9 import's input files. \
What went wrong stands in one line on standard error.";

/// A failure: the exit code and one line that names the place, what was expected, what was found, and the remedy.
#[derive(Debug, thiserror::Error, PartialEq, Eq)]
#[error("{line}")]
pub struct Failure {
    /// The exit code.
    pub exit: Exit,
    line: String,
}

impl Failure {
    /// A failure with its line; line breaks in it become spaces.
    pub fn new(exit: Exit, line: impl Into<String>) -> Self {
        let line: String = line.into();
        Self { exit, line: line.split_whitespace().collect::<Vec<_>>().join(" ") }
    }

    /// A file's failure: what was expected in it, what was found, what to do.
    pub fn file(exit: Exit, path: &Path, expected: &str, found: &str, remedy: &str) -> Self {
        let found = found.trim_end_matches('.');
        Self::new(exit, format!("{}: expected {expected}, found {found}; {remedy}", path.display()))
    }
}

/// Reads a file, naming it when that fails.
///
/// # Errors
/// [`Failure`] with the operating system's word for it.
pub fn read(exit: Exit, path: &Path, remedy: &str) -> Result<Vec<u8>, Failure> {
    std::fs::read(path).map_err(|e| Failure::file(exit, path, "a readable file", &e.to_string(), remedy))
}

/// The length of a file that is one, and not a folder, a pipe, a socket or a device: those may have no end, or never
/// answer.
///
/// # Errors
/// [`Failure`] that names it.
pub fn length(exit: Exit, path: &Path, remedy: &str) -> Result<u64, Failure> {
    let fail = |found: &str| Failure::file(exit, path, "a readable file", found, remedy);
    let found = std::fs::metadata(path).map_err(|e| fail(&e.to_string()))?;
    if found.is_file() { Ok(found.len()) } else { Err(fail("what is no regular file")) }
}

/// Reads a text file, naming it when that fails.
///
/// # Errors
/// [`Failure`], also when the file is not UTF-8.
pub fn read_text(exit: Exit, path: &Path, remedy: &str) -> Result<String, Failure> {
    String::from_utf8(read(exit, path, remedy)?)
        .map_err(|_| Failure::file(exit, path, "UTF-8 text", "other bytes", remedy))
}
