//! What the commands print, and how they read and write files.

use std::io::Write as _;
use std::path::Path;

use anyhow::Context as _;

/// Writes one line to standard output. A closed pipe (`| head`) is the reader's choice; anything else, such as a full
/// disk, ends the program: what was asked for would be cut off with nobody told.
pub(crate) fn line(text: impl AsRef<str>) {
    match writeln!(std::io::stdout(), "{}", text.as_ref()) {
        Err(error) if error.kind() != std::io::ErrorKind::BrokenPipe => {
            let _ = writeln!(std::io::stderr(), "domicile: cannot write to standard output: {error}");
            std::process::exit(1);
        }
        _ => {}
    }
}

/// Writes a JSON value to standard output, indented.
pub(crate) fn json(value: &serde_json::Value) {
    line(format!("{value:#}"));
}

/// Reads a text file; the error names it.
pub(crate) fn read(path: &Path) -> anyhow::Result<String> {
    std::fs::read_to_string(path).with_context(|| format!("cannot read {}", path.display()))
}

/// Writes a file so that a reader sees the old one or the new one, never a half.
pub(crate) fn write_whole(path: &Path, bytes: &[u8]) -> anyhow::Result<()> {
    let mut partial = path.as_os_str().to_owned();
    partial.push(".partial");
    std::fs::write(&partial, bytes)
        .and_then(|()| std::fs::rename(&partial, path))
        .with_context(|| format!("cannot write {}", path.display()))
}
