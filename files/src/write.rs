//! Writing: a reader sees the old file or the new one, never a half.

use std::ffi::{OsStr, OsString};
use std::fs::{self, File};
use std::hash::{BuildHasher as _, RandomState};
use std::io::{self, Write as _};
use std::path::{Path, PathBuf};
use std::time::Duration;

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
        sweep(folder(path), name);
        // A number of its own, since two processes may write one place, also in two containers, where both may be
        // process 1; hidden, since it is no result.
        let mut hidden = beginning(name);
        hidden.push(format!("{:016x}{END}", number()));
        let partial = Self { path: path.to_owned(), beside: folder(path).join(hidden) };
        let write = || -> io::Result<()> {
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
        // After `place` there is none; what cannot be removed is swept up later.
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

/// What the name of a file that is being written ends with.
const END: &str = ".partial";
/// A file that is being written is not so old, and one that is was left by a process that is gone.
const LEFT: Duration = Duration::from_secs(3_600);

/// What the names of files begin with that are being written to become `name`.
fn beginning(name: &OsStr) -> OsString {
    let mut beginning = OsString::from(".");
    beginning.push(name);
    beginning.push(".");
    beginning
}

/// Takes away what processes left that ended while they wrote this file: it may be a secret's half. What cannot be
/// taken away harms nobody's writing.
fn sweep(folder: &Path, name: &OsStr) {
    let beginning = beginning(name);
    let is_left = |entry: &fs::DirEntry| {
        let found = entry.file_name();
        let found = found.as_encoded_bytes();
        let middle =
            found.strip_prefix(beginning.as_encoded_bytes()).and_then(|f| f.strip_suffix(END.as_bytes()));
        let ours = middle.is_some_and(|m| !m.is_empty() && m.iter().all(u8::is_ascii_hexdigit));
        let age = |meta: fs::Metadata| meta.modified().ok()?.elapsed().ok();
        ours && entry.metadata().ok().and_then(age).is_some_and(|age| age > LEFT)
    };
    for entry in fs::read_dir(folder).into_iter().flatten().flatten().filter(is_left) {
        let _ = fs::remove_file(entry.path());
    }
}

/// A number that no other writer has: keys of the standard library's hashers come from the system's randomness.
fn number() -> u64 {
    RandomState::new().hash_one(std::process::id())
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
