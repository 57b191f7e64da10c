//! What the commands print, and how they read and write files.

use std::io::{IsTerminal as _, Write as _};
use std::path::Path;

use anyhow::Context as _;
use domicile_files::{Access, limit};
use domicile_forge::shown_lines;

pub(crate) use domicile_forge::shown;

/// Writes lines to standard output. What would steer a terminal is shown by its number instead; text from a file that
/// fills a part of a line only is to be passed through [`shown`] first, so that it cannot make lines of its own.
///
/// A closed pipe (`| head`) is the reader's choice; anything else, such as a full disk, ends the program: what was asked
/// for would be cut off with nobody told.
pub(crate) fn line(text: impl AsRef<str>) {
    written(writeln!(std::io::stdout(), "{}", shown_lines(text.as_ref())));
}

/// Writes a JSON value to standard output, indented.
pub(crate) fn json(value: &serde_json::Value) {
    line(format!("{value:#}"));
}

/// Writes a document to standard output: as it is into a file or a program, and as [`line()`] would onto a terminal.
pub(crate) fn document(bytes: &[u8]) {
    if std::io::stdout().is_terminal() {
        line(String::from_utf8_lossy(bytes));
    } else {
        let mut out = std::io::stdout().lock();
        written(out.write_all(bytes).and_then(|()| out.write_all(b"\n")));
    }
}

/// Writes the line that says why the program ends to standard error.
pub(crate) fn complain(text: impl AsRef<str>) {
    // Where standard error is closed, the exit code has to do.
    let _ = writeln!(std::io::stderr(), "domicile: {}", shown_lines(text.as_ref()));
}

fn written(result: std::io::Result<()>) {
    match result {
        Err(error) if error.kind() != std::io::ErrorKind::BrokenPipe => {
            complain(format!(
                "cannot write to standard output: {error}; make room there, or print elsewhere"
            ));
            std::process::exit(1);
        }
        _ => {}
    }
}

/// Reads a text file of at most [`limit::DOCUMENT`] bytes; the error names it.
pub(crate) fn read(path: &Path) -> anyhow::Result<String> {
    text(path, limit::DOCUMENT)
}

/// Reads a text file of at most `most` bytes; the error names it.
pub(crate) fn text(path: &Path, most: u64) -> anyhow::Result<String> {
    domicile_files::read_text(path, most).with_context(|| format!("cannot read {}", path.display()))
}

/// Reads a file of at most `most` bytes; the error names it.
pub(crate) fn bytes(path: &Path, most: u64) -> anyhow::Result<Vec<u8>> {
    domicile_files::read(path, most).with_context(|| format!("cannot read {}", path.display()))
}

/// Writes a file so that a reader sees the old one or the new one, never a half.
pub(crate) fn write_whole(path: &Path, bytes: &[u8]) -> anyhow::Result<()> {
    Ok(domicile_files::write_whole(path, bytes, Access::Everyone)?)
}
