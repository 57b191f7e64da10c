//! Sealing keys as files: one each, readable by their owner alone.

use std::fs::{DirBuilder, File, OpenOptions};
use std::io::{self, Write as _};
use std::path::{Path, PathBuf};

use domicile_seal::{Kem, SealingKey};
use zeroize::Zeroizing;

const PREFIX: &str = "seal-";
const SUFFIX: &str = ".json";

/// How a file is written: whole or not at all, and durable. A test puts a full disk in its place.
type Write = fn(&Path, &[u8]) -> io::Result<()>;

/// A directory of sealing keys.
pub struct KeyFiles {
    directory: PathBuf,
    write: Write,
}

impl KeyFiles {
    /// The keys in `directory`.
    pub fn new(directory: &Path) -> Self {
        Self { directory: directory.to_owned(), write: write_whole }
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
        make_directory(&self.directory).map_err(|error| error.to_string())?;
        (self.write)(&self.path(id), key.to_json().as_bytes()).map_err(|error| error.to_string())?;
        Ok(key)
    }

    /// Deletes a key's file.
    pub(super) fn delete(&self, id: u8) -> io::Result<()> {
        std::fs::remove_file(self.path(id))
    }

    fn path(&self, id: u8) -> PathBuf {
        self.directory.join(format!("{PREFIX}{id:03}{SUFFIX}"))
    }
}

fn key(path: &Path) -> Result<SealingKey, String> {
    let text = std::fs::read_to_string(path).map(Zeroizing::new).map_err(|error| error.to_string())?;
    SealingKey::from_json(&text).map_err(|error| error.to_string())
}

fn make_directory(directory: &Path) -> io::Result<()> {
    let mut builder = DirBuilder::new();
    builder.recursive(true);
    #[cfg(unix)]
    std::os::unix::fs::DirBuilderExt::mode(&mut builder, 0o700);
    builder.create(directory)
}

/// Beside its place, with its owner's rights alone, then moved there: nobody ever reads half a key.
fn write_whole(path: &Path, bytes: &[u8]) -> io::Result<()> {
    let beside = path.with_extension("new");
    let mut options = OpenOptions::new();
    options.write(true).create(true).truncate(true);
    #[cfg(unix)]
    std::os::unix::fs::OpenOptionsExt::mode(&mut options, 0o600);
    let written = options.open(&beside).and_then(|mut file| {
        file.write_all(bytes)?;
        file.sync_all()
    });
    let moved = written.and_then(|()| std::fs::rename(&beside, path));
    if moved.is_err() {
        // Half of a secret is no use to anyone; what cannot be removed is written over next time.
        let _ = std::fs::remove_file(&beside);
    }
    moved?;
    match path.parent() {
        Some(directory) => File::open(directory)?.sync_all(),
        None => Ok(()),
    }
}
