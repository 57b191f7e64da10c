//! Why a command could not do its work: one line for the operator, one exit code for the script around it.

use std::path::Path;

use domicile_files::{ReadError, limit};

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

/// Reads a regular file of at most `most` bytes, naming it when that fails. Never waits for a pipe or a device.
///
/// # Errors
/// [`Failure`] with what was found instead.
pub fn read(exit: Exit, path: &Path, most: u64, remedy: &str) -> Result<Vec<u8>, Failure> {
    domicile_files::read(path, most).map_err(|error| unread(exit, path, &error, remedy))
}

/// The length of a regular file.
///
/// # Errors
/// [`Failure`] that names it.
pub fn length(exit: Exit, path: &Path, remedy: &str) -> Result<u64, Failure> {
    domicile_files::length(path).map_err(|error| unread(exit, path, &error, remedy))
}

/// Reads a text of at most [`limit::TEXT`] bytes, like [`read`]: a key, a configuration, a topology.
///
/// # Errors
/// [`Failure`], also when the file is not UTF-8.
pub fn read_text(exit: Exit, path: &Path, remedy: &str) -> Result<String, Failure> {
    text(exit, path, limit::TEXT, remedy)
}

/// Reads a signed document of at most [`limit::DOCUMENT`] bytes, like [`read`]: one with lists in it.
///
/// # Errors
/// [`Failure`], also when the file is not UTF-8.
pub fn read_document(exit: Exit, path: &Path, remedy: &str) -> Result<String, Failure> {
    text(exit, path, limit::DOCUMENT, remedy)
}

fn text(exit: Exit, path: &Path, most: u64, remedy: &str) -> Result<String, Failure> {
    domicile_files::read_text(path, most).map_err(|error| unread(exit, path, &error, remedy))
}

fn unread(exit: Exit, path: &Path, error: &ReadError, remedy: &str) -> Failure {
    let expected = match error {
        ReadError::NotText => "UTF-8 text",
        ReadError::System { .. } | ReadError::Special(_) | ReadError::TooLarge { .. } => "a readable file",
    };
    Failure::file(exit, path, expected, &error.found(), remedy)
}

#[cfg(all(test, unix))]
mod tests {
    use std::path::Path;
    use std::process::Command;

    use super::*;

    /// Returns at all: nobody writes to the pipe.
    #[test]
    fn what_is_no_file_is_refused_and_not_waited_for() {
        let folder = tempfile::tempdir().unwrap();
        let pipe = folder.path().join("pipe");
        assert!(Command::new("mkfifo").arg(&pipe).status().unwrap().success());
        for (path, found) in [
            (pipe.as_path(), "a pipe, no regular file"),
            (Path::new("/dev/zero"), "a device, no regular file"),
            (folder.path(), "a folder, no regular file"),
        ] {
            let line = read_text(Exit::Config, path, "name a file").unwrap_err().to_string();
            let place = path.display();
            assert_eq!(line, format!("{place}: expected a readable file, found {found}; name a file"));
        }
        let text = folder.path().join("text");
        std::fs::write(&text, [b'x', 0xff]).unwrap();
        let line = |most| read(Exit::Config, &text, most, "cut it").map_err(|failure| failure.to_string());
        assert!(line(1).unwrap_err().contains("found more than 1 bytes; cut it"), "{:?}", line(1));
        assert_eq!(line(2).unwrap().len(), 2);
        let line = read_text(Exit::Config, &text, "mend it").unwrap_err().to_string();
        assert!(line.contains("expected UTF-8 text") && line.ends_with("; mend it"), "{line}");
    }
}
