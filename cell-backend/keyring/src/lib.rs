//! Sealing keys as files: one each, readable by their owner alone.
//!
//! Two programs write to a cell's directory: the cell itself, and its operator's `domicile key seal`. Neither knows what
//! the other is about to do, and a key that is lost cannot be made again: what was sealed to it is refused. So a key's
//! file is made only where there is none, in one step that the file system decides (a hard link), and never written
//! over. A lock file was the alternative; it would have to be right in both, and left behind it would stop a rotation.
//!
//! `policy/rotation` says which keys are to be there.

use std::collections::BTreeSet;
use std::fs::DirBuilder;
use std::io;
use std::path::{Path, PathBuf};

use domicile_files::{Access, Partial, ReadError, WriteError, is_open_to_others, limit, read_text};
use domicile_seal::{Kem, KeyFileError, SealingKey};
use zeroize::Zeroizing;

const PREFIX: &str = "seal-";
const SUFFIX: &str = ".json";
/// The file that says whose keys these are: a cell and its boundary.
const OWNER: &str = "owner";

/// How a file is made: whole or not at all, durable, and only where there is none.
pub type Write = fn(&Path, &[u8]) -> Result<(), WriteError>;

/// A directory of sealing keys.
#[derive(Clone, Debug)]
pub struct KeyFiles {
    directory: PathBuf,
    write: Write,
}

/// What lies in the directory.
#[derive(Debug, Default)]
pub struct Found {
    /// Every key that can be read, by id.
    pub keys: Vec<SealingKey>,
    /// The ids of the files that cannot. No key is made over those.
    pub unread: Vec<u8>,
    /// A word for each file that was not read; nothing of it is secret.
    pub failed: Vec<String>,
}

/// Why no key was made.
#[derive(Debug, thiserror::Error)]
pub enum MakeError {
    /// None could be generated.
    #[error(transparent)]
    Key(#[from] KeyFileError),
    /// The directory is not there and cannot be made.
    #[error("{}: {source}; make it, or let the cell", path.display())]
    Directory {
        /// The directory.
        path: PathBuf,
        /// What the system said.
        source: io::Error,
    },
    /// Its file was not made; where there is one already, that one stays.
    #[error(transparent)]
    File(#[from] WriteError),
}

/// Why a directory is not a cell's.
#[derive(Debug, thiserror::Error)]
pub enum OwnerError {
    /// It is another cell's.
    #[error(
        "{}: these are the keys of {found}, and this is {owner}: a cell that had another's keys could read what is \
         sealed to it; give each cell a key_dir of its own",
        directory.display()
    )]
    Other {
        /// The directory.
        directory: PathBuf,
        /// Whose it is.
        found: String,
        /// Who asked.
        owner: String,
    },
    /// It cannot be told.
    #[error("{}: {source}", path.display())]
    Unread {
        /// The file that says so.
        path: PathBuf,
        /// Why.
        source: ReadError,
    },
}

impl MakeError {
    /// Whether somebody else made a key of this id meanwhile: another id is free.
    #[must_use]
    pub const fn is_taken(&self) -> bool {
        matches!(self, Self::File(WriteError::Taken { .. }))
    }
}

impl KeyFiles {
    /// The keys in `directory`.
    #[must_use]
    pub fn new(directory: &Path) -> Self {
        Self::written_by(directory, |path, bytes| Partial::write(path, bytes, Access::Owner)?.place_new())
    }

    /// The same with another way to write: a test puts a full disk in its place.
    #[must_use]
    pub fn written_by(directory: &Path, write: Write) -> Self {
        Self { directory: directory.to_owned(), write }
    }

    /// What lies there; nothing where there is no directory.
    ///
    /// # Errors
    /// The directory cannot be read: then nothing is known of what lies there.
    pub fn read(&self) -> io::Result<Found> {
        match self.read_again() {
            Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(Found::default()),
            found => found,
        }
    }

    /// What lies there, for who holds keys of it already: a directory that was there and is not (a disk that is not
    /// mounted, a folder moved aside) says nothing about its keys.
    ///
    /// # Errors
    /// The directory cannot be read, or is not there.
    pub fn read_again(&self) -> io::Result<Found> {
        let mut found = Found::default();
        for (id, name) in self.names()? {
            // One file an id: with two spellings of it, nobody could say which key is meant.
            if name != file_name(id) {
                let right = file_name(id);
                found.failed.push(format!("{name} is not read: the file of key {id} is named {right}"));
                continue;
            }
            let why = match key(&self.directory.join(name)) {
                Ok(key) if key.id() == id => {
                    found.keys.push(key);
                    continue;
                }
                Ok(_) => "its file holds another key".to_owned(),
                Err(why) => why,
            };
            found.failed.push(format!("key {id}: {why}"));
            found.unread.push(id);
        }
        found.keys.sort_unstable_by_key(SealingKey::id);
        Ok(found)
    }

    /// The ids that have a file, readable or not: what changes when somebody else makes or deletes a key.
    ///
    /// # Errors
    /// As [`KeyFiles::read_again`].
    pub fn ids(&self) -> io::Result<BTreeSet<u8>> {
        let names = self.names()?.into_iter();
        Ok(names.filter(|(id, name)| *name == file_name(*id)).map(|(id, _)| id).collect())
    }

    /// Makes the directory `owner`'s (a cell and its boundary), or finds that it is. Where it cannot be written, that is
    /// said by the next key that cannot be made, and is no failure here.
    ///
    /// # Errors
    /// [`OwnerError`] when it is another cell's, or nobody can say.
    pub fn claim(&self, owner: &str) -> Result<(), OwnerError> {
        let path = self.directory.join(OWNER);
        match read_text(&path, limit::KEY) {
            Ok(found) if found.trim_end() == owner => Ok(()),
            Ok(found) => {
                let (directory, found) = (self.directory.clone(), found.trim_end().to_owned());
                Err(OwnerError::Other { directory, found, owner: owner.to_owned() })
            }
            Err(error) if error.is_absent() => {
                let _ = make_directory(&self.directory);
                let text = format!("{owner}\n");
                let _ = Partial::write(&path, text.as_bytes(), Access::Owner).and_then(Partial::place_new);
                Ok(())
            }
            // No directory at all: what is made of that is said where keys are made.
            Err(ReadError::System { source }) if source.kind() == io::ErrorKind::NotADirectory => Ok(()),
            Err(source) => Err(OwnerError::Unread { path, source }),
        }
    }

    /// Whether the directory says whose it is: one that does not any more is another one (a disk that is not mounted).
    #[must_use]
    pub fn is_claimed(&self) -> bool {
        self.directory.join(OWNER).is_file()
    }

    /// Makes a key and its file. Made at `born_s`, seconds since 1970.
    ///
    /// # Errors
    /// [`MakeError`]; nothing that lay there was touched.
    pub fn make(&self, id: u8, kem: Kem, born_s: i64) -> Result<SealingKey, MakeError> {
        let key = SealingKey::generate(id, kem, born_s)?;
        make_directory(&self.directory)
            .map_err(|source| MakeError::Directory { path: self.directory.clone(), source })?;
        (self.write)(&self.directory.join(file_name(id)), key.to_json().as_bytes())?;
        Ok(key)
    }

    /// Deletes a key's file.
    ///
    /// # Errors
    /// The system's.
    pub fn delete(&self, id: u8) -> io::Result<()> {
        std::fs::remove_file(self.directory.join(file_name(id)))
    }

    /// What to do when others than the owner may enter the directory.
    #[must_use]
    pub fn exposed(&self) -> Option<String> {
        // One that is not there yet is made with the right rights.
        is_open_to_others(&self.directory).unwrap_or(false).then(|| {
            let place = self.directory.display();
            format!("{place}: others than its owner may enter it; `chmod 0700` it")
        })
    }

    /// The files that are keys by their names.
    fn names(&self) -> io::Result<Vec<(u8, String)>> {
        let entries = std::fs::read_dir(&self.directory)?.collect::<io::Result<Vec<_>>>()?;
        let id = |name: &str| name.strip_prefix(PREFIX)?.strip_suffix(SUFFIX)?.parse().ok();
        let named = |entry: std::fs::DirEntry| {
            let name = entry.file_name().into_string().ok()?;
            Some((id(&name)?, name))
        };
        Ok(entries.into_iter().filter_map(named).collect())
    }
}

fn file_name(id: u8) -> String {
    format!("{PREFIX}{id:03}{SUFFIX}")
}

fn key(path: &Path) -> Result<SealingKey, String> {
    let text = read_text(path, limit::KEY).map(Zeroizing::new).map_err(|error| error.to_string())?;
    SealingKey::from_json(&text).map_err(|error| error.to_string())
}

fn make_directory(directory: &Path) -> io::Result<()> {
    let mut builder = DirBuilder::new();
    builder.recursive(true);
    #[cfg(unix)]
    std::os::unix::fs::DirBuilderExt::mode(&mut builder, 0o700);
    builder.create(directory)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn two_writers_never_take_each_other_s_key() {
        let directory = tempfile::tempdir().unwrap();
        let place = directory.path().join("keys");
        let (cell, operator) = (KeyFiles::new(&place), KeyFiles::new(&place));
        let first = cell.make(7, Kem::X25519, 100).unwrap();
        let refused = operator.make(7, Kem::P256, 101).unwrap_err();
        assert!(refused.is_taken() && refused.to_string().contains("seal-007.json"), "{refused}");
        assert_eq!(cell.read().unwrap().keys[0].config(), first.config());
        assert_eq!(std::fs::read_dir(&place).unwrap().count(), 1, "nothing is left beside it");

        let made = (0..50).filter(|&id| operator.make(id, Kem::P256, 102).is_ok()).count();
        assert_eq!((made, cell.ids().unwrap().len()), (49, 50));
    }

    #[test]
    fn a_directory_that_is_not_there_is_empty_for_a_first_look_alone() {
        let directory = tempfile::tempdir().unwrap();
        let files = KeyFiles::new(&directory.path().join("keys"));
        let found = files.read().unwrap();
        assert!(found.keys.is_empty() && found.unread.is_empty() && found.failed.is_empty());
        assert_eq!(files.read_again().unwrap_err().kind(), io::ErrorKind::NotFound);
        assert_eq!(files.ids().unwrap_err().kind(), io::ErrorKind::NotFound);
        files.make(1, Kem::X25519, 0).unwrap();
        assert_eq!(files.read_again().unwrap().keys.len(), 1);
    }

    #[test]
    fn what_is_no_key_by_its_name_is_nobody_s() {
        let directory = tempfile::tempdir().unwrap();
        for name in ["seal-1.json", "seal-300.json", "seal-001.json.new", ".seal-001.json.7.partial", "x"] {
            std::fs::write(directory.path().join(name), "").unwrap();
        }
        let files = KeyFiles::new(directory.path());
        assert!(files.ids().unwrap().is_empty());
        let found = files.read().unwrap();
        assert!(found.keys.is_empty() && found.unread.is_empty());
        assert_eq!(found.failed, ["seal-1.json is not read: the file of key 1 is named seal-001.json"]);
        files.make(1, Kem::X25519, 0).unwrap();
        assert_eq!(files.ids().unwrap().into_iter().collect::<Vec<_>>(), [1]);
        std::fs::write(directory.path().join("seal-001.json"), "{}").unwrap();
        assert_eq!(files.read().unwrap().unread, [1]);
        assert!(files.make(1, Kem::X25519, 0).unwrap_err().is_taken(), "what cannot be read stays as well");
    }
}
