//! Sealing keys as files: one each, readable by their owner alone.

use std::fs::DirBuilder;
use std::io;
use std::path::{Path, PathBuf};

use domicile_files::{Access, WriteError, is_open_to_others, limit, read_text, write_whole};
use domicile_seal::{Kem, SealingKey};
use zeroize::Zeroizing;

const PREFIX: &str = "seal-";
const SUFFIX: &str = ".json";

/// How a file is written: whole or not at all, and durable. A test puts a full disk in its place.
type Write = fn(&Path, &[u8]) -> Result<(), WriteError>;

/// A directory of sealing keys.
pub struct KeyFiles {
    directory: PathBuf,
    write: Write,
}

impl KeyFiles {
    /// The keys in `directory`.
    pub fn new(directory: &Path) -> Self {
        Self { directory: directory.to_owned(), write: |path, bytes| write_whole(path, bytes, Access::Owner) }
    }

    #[cfg(test)]
    pub(super) fn written_by(directory: &Path, write: Write) -> Self {
        Self { directory: directory.to_owned(), write }
    }

    /// Every key that can be read, and the ids of the files that cannot: no key is made over those. `failed` gets a word
    /// for each. None when the directory itself cannot be read: then nothing is known of what lies there.
    pub(super) fn read(&self, failed: &mut Vec<String>) -> Option<(Vec<SealingKey>, Vec<u8>)> {
        let entries = std::fs::read_dir(&self.directory).and_then(Iterator::collect::<io::Result<Vec<_>>>);
        let entries = match entries {
            Ok(entries) => entries,
            Err(error) if error.kind() == io::ErrorKind::NotFound => Vec::new(),
            Err(error) => {
                failed.push(format!("read the keys: {error}"));
                return None;
            }
        };
        let (mut keys, mut unread): (Vec<SealingKey>, Vec<u8>) = Default::default();
        for entry in entries {
            let name = entry.file_name();
            let stem = name.to_str().and_then(|name| name.strip_prefix(PREFIX)?.strip_suffix(SUFFIX));
            let Some(id) = stem.and_then(|stem| stem.parse::<u8>().ok()) else { continue };
            // One file an id: with two spellings of it, nobody could say which key is meant.
            if name != *file_name(id) {
                let name = name.display();
                failed.push(format!("{name} is not read: the file of key {id} is named {}", file_name(id)));
                continue;
            }
            let why = match key(&entry.path()) {
                Ok(key) if key.id() == id => {
                    keys.push(key);
                    continue;
                }
                Ok(_) => "its file holds another key".to_owned(),
                Err(why) => why,
            };
            failed.push(format!("key {id}: {why}"));
            unread.push(id);
        }
        keys.sort_unstable_by_key(SealingKey::id);
        Some((keys, unread))
    }

    /// Makes a key and its file.
    pub(super) fn make(&self, id: u8, kem: Kem, born_s: i64) -> Result<SealingKey, String> {
        let key = SealingKey::generate(id, kem, born_s).map_err(|error| error.to_string())?;
        make_directory(&self.directory)
            .map_err(|error| format!("{}: {error}; make it, or let the cell", self.directory.display()))?;
        (self.write)(&self.path(id), key.to_json().as_bytes()).map_err(|error| error.to_string())?;
        Ok(key)
    }

    /// Deletes a key's file.
    pub(super) fn delete(&self, id: u8) -> io::Result<()> {
        std::fs::remove_file(self.path(id))
    }

    /// What to do when others than the owner may enter the directory.
    pub(super) fn exposed(&self) -> Option<String> {
        // One that is not there yet is made with the right rights.
        is_open_to_others(&self.directory).unwrap_or(false).then(|| {
            let place = self.directory.display();
            format!("{place}: others than its owner may enter it; `chmod 0700` it")
        })
    }

    fn path(&self, id: u8) -> PathBuf {
        self.directory.join(file_name(id))
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
