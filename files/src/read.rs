//! Reading: regular files only, and not more than was meant.

use std::fs::{File, OpenOptions};
use std::io::{self, Read as _};
use std::path::Path;

use crate::Kind;

/// Why a file is not read. Its text says what was found and what to do; the path is the caller's to name.
#[derive(Debug, thiserror::Error)]
pub enum ReadError {
    /// The system's word for it.
    #[error("{source}; {}", remedy(source))]
    System {
        /// What it said.
        #[from]
        source: io::Error,
    },
    /// No regular file.
    #[error("{0}, no regular file; put the file itself there")]
    Special(Kind),
    /// Larger than a file of its purpose.
    #[error("more than {most} bytes; give the right file, or a smaller one")]
    TooLarge {
        /// The limit in bytes.
        most: u64,
    },
    /// Bytes where text is meant.
    #[error("bytes that are no UTF-8 text; give the right file")]
    NotText,
}

impl ReadError {
    /// Whether nothing lies there.
    #[must_use]
    pub fn is_absent(&self) -> bool {
        matches!(self, Self::System { source } if source.kind() == io::ErrorKind::NotFound)
    }

    /// What was found, without what to do: for a caller that knows better.
    #[must_use]
    pub fn found(&self) -> String {
        match self {
            Self::System { source } => source.to_string(),
            Self::Special(kind) => format!("{kind}, no regular file"),
            Self::TooLarge { most } => format!("more than {most} bytes"),
            Self::NotText => "bytes that are no UTF-8 text".to_owned(),
        }
    }
}

/// Reads a regular file of at most `most` bytes; links are followed.
///
/// # Errors
/// [`ReadError`]; a pipe, a socket or a device is never waited for.
pub fn read(path: &Path, most: u64) -> Result<Vec<u8>, ReadError> {
    let (file, length) = open(path)?;
    // Room for all of it at once: a secret is not left behind in what was outgrown.
    let room = length.min(most).saturating_add(1);
    let mut bytes = Vec::with_capacity(usize::try_from(room).unwrap_or_default());
    // The length at the opening is no promise: one more byte than allowed is asked for.
    file.take(most.saturating_add(1)).read_to_end(&mut bytes)?;
    if bytes.len() as u64 > most { Err(ReadError::TooLarge { most }) } else { Ok(bytes) }
}

/// Reads a regular file of at most `most` bytes of UTF-8 text.
///
/// # Errors
/// [`ReadError`].
pub fn read_text(path: &Path, most: u64) -> Result<String, ReadError> {
    String::from_utf8(read(path, most)?).map_err(|_| ReadError::NotText)
}

/// The length in bytes of a regular file, so that one of another length than stated need not be read.
///
/// # Errors
/// [`ReadError`].
pub fn length(path: &Path) -> Result<u64, ReadError> {
    open(path).map(|(_, length)| length)
}

/// Opens a regular file to read it piece by piece, and says its length in bytes; links are followed.
///
/// # Errors
/// [`ReadError`]; a pipe, a socket or a device is never waited for.
pub fn open(path: &Path) -> Result<(File, u64), ReadError> {
    let mut options = File::options();
    without_waiting(options.read(true));
    let file = match options.open(path) {
        Ok(file) => file,
        // A socket cannot be opened; the system's word for that helps nobody.
        Err(source) => {
            let kind = path.metadata().ok().and_then(|metadata| Kind::of(metadata.file_type()));
            return Err(kind.map_or(ReadError::System { source }, ReadError::Special));
        }
    };
    let metadata = file.metadata()?;
    match Kind::of(metadata.file_type()) {
        Some(kind) => Err(ReadError::Special(kind)),
        None => Ok((file, metadata.len())),
    }
}

/// `O_NONBLOCK`: a pipe without a writer is opened at once. `O_NOCTTY`: a terminal does not become this process's.
/// Neither means anything to a regular file.
#[cfg(unix)]
fn without_waiting(options: &mut OpenOptions) {
    use rustix::fs::OFlags;
    let flags = OFlags::NONBLOCK.union(OFlags::NOCTTY).bits();
    std::os::unix::fs::OpenOptionsExt::custom_flags(options, flags.cast_signed());
}

#[cfg(not(unix))]
fn without_waiting(_: &mut OpenOptions) {}

fn remedy(error: &io::Error) -> &'static str {
    match error.kind() {
        io::ErrorKind::NotFound => "name a file that is there",
        io::ErrorKind::PermissionDenied => "let this user read it",
        _ => "see that it can be read",
    }
}

#[cfg(test)]
mod tests {
    use std::path::Path;

    use super::*;

    fn refusal(path: &Path, most: u64) -> String {
        read(path, most).unwrap_err().to_string()
    }

    #[test]
    fn no_more_of_a_file_is_read_than_was_meant() {
        let this = Path::new(env!("CARGO_MANIFEST_DIR")).join("Cargo.toml");
        let length = read(&this, 1 << 20).unwrap().len() as u64;
        assert!(read(&this, length).is_ok());
        assert_eq!(
            refusal(&this, length - 1),
            format!("more than {} bytes; give the right file, or a smaller one", length - 1)
        );
    }

    #[test]
    fn what_is_missing_is_told_from_what_is_wrong() {
        let folder = tempfile::tempdir().unwrap();
        let error = read(&folder.path().join("nothing"), 1).unwrap_err();
        assert!(error.is_absent() && error.to_string().ends_with("name a file that is there"), "{error}");
        let bytes = folder.path().join("bytes");
        std::fs::write(&bytes, [0xff]).unwrap();
        let error = read_text(&bytes, 1).unwrap_err();
        assert!(matches!(error, ReadError::NotText) && !error.is_absent());
    }

    /// Returns at all: a reader that waits for a pipe never would.
    #[cfg(unix)]
    #[test]
    fn only_a_regular_file_is_read() {
        let folder = tempfile::tempdir().unwrap();
        let (pipe, socket, link) =
            (folder.path().join("pipe"), folder.path().join("socket"), folder.path().join("link"));
        rustix::fs::mknodat(
            rustix::fs::CWD,
            &pipe,
            rustix::fs::FileType::Fifo,
            rustix::fs::Mode::RUSR | rustix::fs::Mode::WUSR,
            0,
        )
        .unwrap();
        let _listening = std::os::unix::net::UnixListener::bind(&socket).unwrap();
        std::os::unix::fs::symlink(&pipe, &link).unwrap();
        for (path, what) in [
            (pipe.as_path(), "a pipe"),
            (&socket, "a socket"),
            (&link, "a pipe"),
            (Path::new("/dev/zero"), "a device"),
            (folder.path(), "a folder"),
        ] {
            let expected = format!("{what}, no regular file; put the file itself there");
            assert_eq!(refusal(path, 1 << 20), expected, "{}", path.display());
        }
    }
}
