//! Compiled artefacts on disk, so that a start does not compile.
//!
//! It is wasmtime's own cache: entries are found by a hash of the artefact, the compiler and its settings, so a wrong
//! one is never found by accident. Nothing but the directory's permissions says that it was not put there on purpose:
//! whoever can write there runs code in this process. So it has to be this user's or root's, up to the root directory,
//! and writable by nobody else; a directory where everybody may write is refused unless its sticky bit is set. What lies
//! in it already is held to the same, so that nothing that others left there, while they could, is run later.

use std::fs::{self, DirBuilder, Metadata};
use std::io;
use std::os::unix::fs::{DirBuilderExt, MetadataExt};
use std::path::{Path, PathBuf};

use wasmtime::{Cache, CacheConfig};

/// Why a directory cannot hold compiled artefacts.
#[derive(Debug, thiserror::Error)]
pub enum CacheError {
    /// It cannot be made or looked at.
    #[error("cache {}: {source}; give --cache-dir a directory that this user can make and write", path.display())]
    Io {
        /// The directory.
        path: PathBuf,
        /// What the system said.
        source: io::Error,
    },
    /// It is something else.
    #[error("cache {}: not a directory; give --cache-dir another path", path.display())]
    NotADirectory {
        /// What was asked for.
        path: PathBuf,
    },
    /// Something in it is neither a file nor a directory.
    #[error("cache {}: neither a file nor a directory, so no compiled artefact; remove it", path.display())]
    Stranger {
        /// What was found.
        path: PathBuf,
    },
    /// It holds more than compiled artefacts ever come to.
    #[error("cache {}: more than {ENTRIES_MOST} entries; give --cache-dir a directory of its own", path.display())]
    TooFull {
        /// The directory.
        path: PathBuf,
    },
    /// It, something in it, or a directory above it, belongs to another user.
    #[error("cache {}: it belongs to user {owner}, who could put code there; use a directory of your own", path.display())]
    ForeignOwner {
        /// The directory or file.
        path: PathBuf,
        /// Whose it is.
        owner: u32,
    },
    /// It, something in it, or a directory above it, can be written by others.
    #[error("cache {}: others can write there, and so put code there; chmod go-w it, and remove what they put there", path.display())]
    OpenToOthers {
        /// The directory or file.
        path: PathBuf,
    },
    /// wasmtime does not take it.
    #[error("cache {}: {detail}; give --cache-dir another directory", path.display())]
    Refused {
        /// The directory.
        path: PathBuf,
        /// What it says.
        detail: String,
    },
    /// Nothing could be written into it.
    #[error("cache {}: the compiled artefact could not be written; make room there, and let this user write", path.display())]
    NotWritten {
        /// The directory.
        path: PathBuf,
    },
}

const OTHERS_WRITE: u32 = 0o022;
const STICKY: u32 = 0o1000;
const ROOT: u32 = 0;
/// Files of a compiled artefact lie three directories deep; every one that was ever compiled may be there.
const DEEPEST: usize = 8;
const ENTRIES_MOST: usize = 100_000;

/// Opens the cache, making the directory where there is none.
pub(super) fn open(path: &Path) -> Result<Cache, CacheError> {
    let failed = |source| CacheError::Io { path: path.to_owned(), source };
    DirBuilder::new().recursive(true).mode(0o700).create(path).map_err(failed)?;
    let real = path.canonicalize().map_err(failed)?;
    let user = rustix::process::geteuid().as_raw();
    for (level, directory) in real.ancestors().enumerate() {
        let about = fs::metadata(directory)
            .map_err(|source| CacheError::Io { path: directory.to_owned(), source })?;
        look(directory, &about, level, user)?;
    }
    look_inside(&real, user)?;
    let mut config = CacheConfig::new();
    config.with_directory(&real);
    Cache::new(config)
        .map_err(|error| CacheError::Refused { path: real, detail: super::world::one_line(&error) })
}

/// `level` 0 is the cache, the others are above it.
fn look(directory: &Path, about: &Metadata, level: usize, user: u32) -> Result<(), CacheError> {
    let path = directory.to_owned();
    if !about.is_dir() {
        return Err(CacheError::NotADirectory { path });
    }
    held(directory, about, user)?;
    let kept_apart = level > 0 && about.mode() & STICKY != 0;
    if about.mode() & OTHERS_WRITE != 0 && !kept_apart {
        return Err(CacheError::OpenToOthers { path });
    }
    Ok(())
}

/// Everything in the cache: this user's or root's, writable by nobody else, and nothing but files and directories. A
/// link could point to what others write.
fn look_inside(cache: &Path, user: u32) -> Result<(), CacheError> {
    let mut entries = 0;
    let mut left = vec![(cache.to_owned(), 0)];
    while let Some((directory, depth)) = left.pop() {
        let failed = |source| CacheError::Io { path: directory.clone(), source };
        for entry in fs::read_dir(&directory).map_err(failed)? {
            let path = entry.map_err(failed)?.path();
            entries += 1;
            if entries > ENTRIES_MOST {
                return Err(CacheError::TooFull { path: cache.to_owned() });
            }
            let about = match fs::symlink_metadata(&path) {
                Ok(about) => about,
                // Another process that uses the cache too may have tidied up.
                Err(gone) if gone.kind() == io::ErrorKind::NotFound => continue,
                Err(source) => return Err(CacheError::Io { path, source }),
            };
            if !about.is_file() && !about.is_dir() || depth > DEEPEST {
                return Err(CacheError::Stranger { path });
            }
            held(&path, &about, user)?;
            if about.mode() & OTHERS_WRITE != 0 {
                return Err(CacheError::OpenToOthers { path });
            }
            if about.is_dir() {
                left.push((path, depth + 1));
            }
        }
    }
    Ok(())
}

/// This user's or root's.
fn held(path: &Path, about: &Metadata, user: u32) -> Result<(), CacheError> {
    match about.uid() {
        owner if owner == user || owner == ROOT => Ok(()),
        owner => Err(CacheError::ForeignOwner { path: path.to_owned(), owner }),
    }
}

#[cfg(test)]
mod tests {
    use std::fs;
    use std::os::unix::fs::{MetadataExt, PermissionsExt};

    use super::{CacheError, held, look, open};

    #[test]
    fn a_directory_that_others_could_fill_is_refused() {
        let base = std::env::temp_dir().join(format!("domicile-cache-{}", std::process::id()));
        let cache = base.join("cache");
        open(&cache).unwrap();
        assert_eq!(fs::metadata(&cache).unwrap().mode() & 0o777, 0o700);

        let mode = |mode| fs::set_permissions(&cache, fs::Permissions::from_mode(mode)).unwrap();
        for open_to_others in [0o770, 0o702, 0o1777] {
            mode(open_to_others);
            assert!(matches!(open(&cache), Err(CacheError::OpenToOthers { .. })), "{open_to_others:o}");
        }
        mode(0o755);
        open(&cache).unwrap();

        fs::set_permissions(&base, fs::Permissions::from_mode(0o777)).unwrap();
        assert!(
            matches!(open(&cache), Err(CacheError::OpenToOthers { path }) if path.ends_with(base.file_name().unwrap()))
        );
        fs::set_permissions(&base, fs::Permissions::from_mode(0o1777)).unwrap();
        open(&cache).unwrap();

        let about = fs::metadata(&cache).unwrap();
        if about.uid() != 0 {
            let foreign = look(&cache, &about, 0, about.uid() + 1);
            assert!(matches!(foreign, Err(CacheError::ForeignOwner { .. })), "{foreign:?}");
        }
        // What lies in it already.
        let inside = cache.join("modules").join("a");
        fs::create_dir_all(&inside).unwrap();
        let compiled = inside.join("compiled");
        fs::write(&compiled, "").unwrap();
        let mode = |path, mode| fs::set_permissions(path, fs::Permissions::from_mode(mode)).unwrap();
        mode(&compiled, 0o644);
        open(&cache).unwrap();
        for open_to_others in [&compiled, &inside] {
            let before = fs::metadata(open_to_others).unwrap().mode();
            for bit in [0o020, 0o002] {
                mode(open_to_others, before & 0o777 | bit);
                let refused = open(&cache);
                assert!(
                    matches!(&refused, Err(CacheError::OpenToOthers { path }) if path.ends_with(open_to_others.file_name().unwrap())),
                    "{bit:o}"
                );
            }
            mode(open_to_others, before & 0o777);
        }
        let about = fs::metadata(&compiled).unwrap();
        let foreign = held(&compiled, &about, about.uid() + 1);
        assert_eq!(foreign.is_ok(), about.uid() == 0, "what root put there is let pass");
        let link = inside.join("link");
        std::os::unix::fs::symlink(&compiled, &link).unwrap();
        assert!(matches!(open(&cache), Err(CacheError::Stranger { path }) if path.ends_with("link")));
        fs::remove_file(&link).unwrap();
        open(&cache).unwrap();

        let file = base.join("file");
        fs::write(&file, "").unwrap();
        assert!(open(&file).is_err());
        fs::remove_dir_all(&base).unwrap();
    }
}
