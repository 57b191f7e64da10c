//! Writing: a reader sees the old file or the new one, never a half.

use std::ffi::OsString;
use std::fs::{self, File};
use std::io::{self, Write as _};
use std::path::{Path, PathBuf};

use crate::{Access, Kind};

/// Why a file is not written.
#[derive(Debug, thiserror::Error)]
pub enum WriteError {
    /// The path ends in no name.
    #[error("{} names no file; give a file's name", path.display())]
    NoName {
        /// The path.
        path: PathBuf,
    },
    /// Something lies there that a rename would destroy rather than write to.
    #[error("{} is {kind}{}", path.display(), instead(*kind))]
    Occupied {
        /// The path.
        path: PathBuf,
        /// What lies there.
        kind: Kind,
    },
    /// Something lies there already, and it was to be made new.
    #[error("{} is there already, and is not written over; name another, or take it away", path.display())]
    Taken {
        /// The path.
        path: PathBuf,
    },
    /// The system's word for it.
    #[error("cannot write {}: {source}; {}", path.display(), remedy(source))]
    System {
        /// The path.
        path: PathBuf,
        /// What the system said.
        source: io::Error,
    },
}

/// A file that lies on the disk beside its place, whole. Dropped before it is placed, it is removed.
#[derive(Debug)]
#[must_use = "it is removed when it is dropped; `place` moves it where it belongs"]
pub struct Partial {
    path: PathBuf,
    beside: PathBuf,
}

impl Partial {
    /// Writes `bytes` beside `path` and has them reach the disk.
    ///
    /// # Errors
    /// [`WriteError`]; nothing is left then, and nothing at `path` was touched.
    pub fn write(path: &Path, bytes: &[u8], access: Access) -> Result<Self, WriteError> {
        ensure_replaceable(path)?;
        let name = path.file_name().ok_or_else(|| WriteError::NoName { path: path.to_owned() })?;
        // The number, since two processes may write one place; hidden, since it is no result.
        let mut hidden = OsString::from(".");
        hidden.push(name);
        hidden.push(format!(".{}.partial", std::process::id()));
        let partial = Self { path: path.to_owned(), beside: folder(path).join(hidden) };
        let write = || -> io::Result<()> {
            // What a process of this number left, or a link that somebody put there.
            if let Err(error) = fs::remove_file(&partial.beside)
                && error.kind() != io::ErrorKind::NotFound
            {
                return Err(error);
            }
            let mut options = File::options();
            options.write(true).create_new(true);
            if access == Access::Owner {
                owner_alone(&mut options);
            }
            let mut file = options.open(&partial.beside)?;
            file.write_all(bytes)?;
            file.sync_all()
        };
        match write() {
            Ok(()) => Ok(partial),
            Err(source) => Err(partial.failed(source)),
        }
    }

    /// Moves it to its place; what was there before is gone.
    ///
    /// # Errors
    /// [`WriteError::System`]; the file is removed then.
    pub fn place(self) -> Result<(), WriteError> {
        let placed = fs::rename(&self.beside, &self.path).and_then(|()| sync(folder(&self.path)));
        placed.map_err(|source| self.failed(source))
    }

    /// Moves it to its place if nothing lies there. Of two that do so at once, one succeeds: it is the file system that
    /// decides (a hard link), not a look before.
    ///
    /// # Errors
    /// [`WriteError::Taken`] when something lies there, which is not touched; [`WriteError::System`].
    pub fn place_new(self) -> Result<(), WriteError> {
        match fs::hard_link(&self.beside, &self.path).and_then(|()| fs::remove_file(&self.beside)) {
            Err(error) if error.kind() == io::ErrorKind::AlreadyExists => {
                Err(WriteError::Taken { path: self.path.clone() })
            }
            placed => placed.and_then(|()| sync(folder(&self.path))).map_err(|source| self.failed(source)),
        }
    }

    fn failed(&self, source: io::Error) -> WriteError {
        WriteError::System { path: self.path.clone(), source }
    }
}

impl Drop for Partial {
    fn drop(&mut self) {
        // After `place` there is none; what cannot be removed is written over next time.
        let _ = fs::remove_file(&self.beside);
    }
}

/// Writes a file whole or not at all, and has it reach the disk.
///
/// # Errors
/// [`WriteError`].
pub fn write_whole(path: &Path, bytes: &[u8], access: Access) -> Result<(), WriteError> {
    Partial::write(path, bytes, access)?.place()
}

/// Refuses what a rename would destroy rather than write to.
///
/// # Errors
/// [`WriteError`] when something lies there that is no regular file, or nobody can say what.
pub fn ensure_replaceable(path: &Path) -> Result<(), WriteError> {
    match path.symlink_metadata() {
        Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(()),
        Err(source) => Err(WriteError::System { path: path.to_owned(), source }),
        Ok(metadata) => match Kind::of(metadata.file_type()) {
            None => Ok(()),
            Some(kind) => Err(WriteError::Occupied { path: path.to_owned(), kind }),
        },
    }
}

fn folder(path: &Path) -> &Path {
    path.parent().filter(|folder| !folder.as_os_str().is_empty()).unwrap_or(Path::new("."))
}

/// The folder's entry has to reach the disk as well.
#[cfg(unix)]
fn sync(folder: &Path) -> io::Result<()> {
    File::open(folder)?.sync_all()
}

#[cfg(not(unix))]
fn sync(_: &Path) -> io::Result<()> {
    Ok(())
}

#[cfg(unix)]
fn owner_alone(options: &mut fs::OpenOptions) {
    std::os::unix::fs::OpenOptionsExt::mode(options, 0o600);
}

#[cfg(not(unix))]
fn owner_alone(_: &mut fs::OpenOptions) {}

const fn instead(kind: Kind) -> &'static str {
    match kind {
        Kind::Folder => "; name a file in it",
        Kind::Link => ", which would be replaced and not followed; name the file it points to",
        Kind::Pipe | Kind::Socket | Kind::Device => "; name a file",
    }
}

fn remedy(error: &io::Error) -> &'static str {
    match error.kind() {
        io::ErrorKind::NotFound => "make its folder first",
        io::ErrorKind::PermissionDenied | io::ErrorKind::ReadOnlyFilesystem => {
            "let this user write there, or name another place"
        }
        io::ErrorKind::StorageFull | io::ErrorKind::QuotaExceeded => "make room there",
        _ => "see that it can be written",
    }
}

#[cfg(test)]
mod tests;
