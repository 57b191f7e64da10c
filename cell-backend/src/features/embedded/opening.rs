//! Opening the store's file, and why it cannot be opened: a cause each with its own remedy.

use std::io::{Error as IoError, ErrorKind};
use std::path::Path;

use redb::{Database, DatabaseError, StorageError};

use super::guard::guarded;
use super::{StoreError, store_error};
use crate::failure::{Exit, Failure};

/// A file up to so many bytes is checked whole when it is opened; a longer one takes too long at a start, and damage
/// in it is met by the reads.
const CHECKED_MAX: u64 = 256 * 1024 * 1024;

/// Whether the file is checked whole.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Check {
    /// Up to [`CHECKED_MAX`].
    Whole,
    /// Not at all: a file that this process had open a moment ago. What its last write left half done is mended all the
    /// same.
    Never,
}

/// Why a file cannot be opened.
#[derive(Debug, PartialEq, Eq)]
enum Cause {
    Locked,
    NoStore,
    Empty,
    Damaged,
    Forbidden,
    Full,
    OtherFormat,
    Other(String),
}

/// Opens the file, making it when there is none.
pub(super) fn open(path: &Path, check: Check) -> Result<Database, Failure> {
    let length = match std::fs::metadata(path) {
        Ok(file) if !file.is_file() => return Err(Cause::NoStore.failure(path)),
        // A new file has no length for a moment only; redb would take one that lost its content for a new one.
        Ok(file) if file.len() == 0 => return Err(Cause::Empty.failure(path)),
        Ok(file) => file.len(),
        Err(error) if error.kind() == ErrorKind::NotFound => 0,
        Err(error) => return Err(Cause::of_io(&error).failure(path)),
    };
    let mut builder = Database::builder();
    builder.set_check_integrity_on_open(check == Check::Whole && length <= CHECKED_MAX);
    let mut cause = None;
    let opened = guarded(|| {
        builder.create(path).map_err(|error| {
            cause = Some(Cause::of(&error));
            store_error(error)
        })
    });
    opened.map_err(|_| cause.unwrap_or(Cause::Damaged).failure(path))
}

/// The failure of the first use of a file that was opened.
pub(super) fn unusable(path: &Path, error: StoreError) -> Failure {
    match error {
        StoreError::Damaged => Cause::Damaged.failure(path),
        other => Cause::Other(other.to_string()).failure(path),
    }
}

/// The failure of making the store's directory.
pub(super) fn no_directory(path: &Path, error: &IoError) -> Failure {
    Cause::of_io(error).failure(path)
}

impl Cause {
    fn of(error: &DatabaseError) -> Self {
        match error {
            DatabaseError::DatabaseAlreadyOpen => Self::Locked,
            DatabaseError::RepairAborted => Self::Damaged,
            DatabaseError::UpgradeRequired(_) => Self::OtherFormat,
            DatabaseError::Storage(StorageError::Io(error)) => Self::of_io(error),
            DatabaseError::Storage(StorageError::Corrupted(_) | StorageError::LockPoisoned(_)) => {
                Self::Damaged
            }
            other => Self::Other(other.to_string()),
        }
    }

    fn of_io(error: &IoError) -> Self {
        match error.kind() {
            ErrorKind::InvalidData | ErrorKind::NotADirectory | ErrorKind::AlreadyExists => Self::NoStore,
            ErrorKind::UnexpectedEof => Self::Damaged,
            ErrorKind::PermissionDenied | ErrorKind::ReadOnlyFilesystem => Self::Forbidden,
            ErrorKind::StorageFull | ErrorKind::QuotaExceeded => Self::Full,
            _ => Self::Other(error.to_string()),
        }
    }

    fn failure(&self, path: &Path) -> Failure {
        let restore = "put back a copy, or remove the file and run `domicile-cell import` again";
        let (found, remedy) = match self {
            Self::Locked => (
                "one that is already open",
                "stop the process that uses it, or point --store at another directory",
            ),
            Self::NoStore => (
                "something else",
                "point --store at a directory of this cell's own, and run `domicile-cell import` into it",
            ),
            Self::Empty => ("an empty file", restore),
            Self::Damaged => ("a damaged one", restore),
            Self::Forbidden => {
                ("one that may not be used", "let this user read and write the directory and the file")
            }
            Self::Full => ("no room on its disk", "free some, or point --store at another disk"),
            Self::OtherFormat => (
                "one of another version of its library",
                "remove the file and run this build's `domicile-cell import` again",
            ),
            Self::Other(error) => (error.as_str(), "see that the file and its disk can be used"),
        };
        Failure::file(Exit::Store, path, "a feature store", found, remedy)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_cause_has_its_own_remedy() {
        let of = |kind: ErrorKind| Cause::of(&DatabaseError::Storage(StorageError::Io(kind.into())));
        assert_eq!(of(ErrorKind::PermissionDenied), Cause::Forbidden);
        assert_eq!(of(ErrorKind::StorageFull), Cause::Full);
        assert_eq!(of(ErrorKind::InvalidData), Cause::NoStore);
        assert_eq!(of(ErrorKind::UnexpectedEof), Cause::Damaged);
        assert!(matches!(of(ErrorKind::TimedOut), Cause::Other(_)));
        assert_eq!(Cause::of(&DatabaseError::UpgradeRequired(1)), Cause::OtherFormat);
        for (cause, part) in [(Cause::Forbidden, "let this user"), (Cause::Full, "free some")] {
            let line = cause.failure(Path::new("store")).to_string();
            assert!(
                line.starts_with("store: expected a feature store, found ") && line.contains(part),
                "{line}"
            );
        }
    }
}
