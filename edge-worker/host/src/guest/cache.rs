//! Compiled artefacts on disk, so that a start does not compile.
//!
//! It is wasmtime's own cache: entries are found by a hash of the artefact, the compiler and its settings, so a wrong
//! one is never found by accident. Nothing but the directory's permissions says that it was not put there on purpose:
//! whoever can write there runs code in this process. So it has to be this user's or root's, up to the root directory,
//! and writable by nobody else; a directory where everybody may write is refused unless its sticky bit is set.

use std::fs::{self, DirBuilder, Metadata};
use std::io;
use std::os::unix::fs::{DirBuilderExt, MetadataExt};
use std::path::{Path, PathBuf};

use wasmtime::{Cache, CacheConfig};

/// Why a directory cannot hold compiled artefacts.
#[derive(Debug, thiserror::Error)]
pub enum CacheError {
    /// It cannot be made or looked at.
    #[error("cache {}: {source}", path.display())]
    Io {
        /// The directory.
        path: PathBuf,
        /// What the system said.
        source: io::Error,
    },
    /// It is something else.
    #[error("cache {}: not a directory", path.display())]
    NotADirectory {
        /// What was asked for.
        path: PathBuf,
    },
    /// It, or a directory above it, belongs to another user.
    #[error("cache {}: it belongs to user {owner}, who could put code there; use a directory of your own", path.display())]
    ForeignOwner {
        /// The directory.
        path: PathBuf,
        /// Whose it is.
        owner: u32,
    },
    /// It, or a directory above it, can be written by others.
    #[error("cache {}: others can write there, and so put code there; chmod go-w it", path.display())]
    OpenToOthers {
        /// The directory.
        path: PathBuf,
    },
    /// wasmtime does not take it.
    #[error("cache {}: {detail}", path.display())]
    Refused {
        /// The directory.
        path: PathBuf,
        /// What it says.
        detail: String,
    },
    /// Nothing could be written into it.
    #[error("cache {}: the compiled artefact could not be written", path.display())]
    NotWritten {
        /// The directory.
        path: PathBuf,
    },
}

const OTHERS_WRITE: u32 = 0o022;
const STICKY: u32 = 0o1000;
const ROOT: u32 = 0;

/// Opens the cache, making the directory where there is none.
pub(super) fn open(path: &Path) -> Result<Cache, CacheError> {
    let failed = |source| CacheError::Io { path: path.to_owned(), source };
    DirBuilder::new().recursive(true).mode(0o700).create(path).map_err(failed)?;
    let real = path.canonicalize().map_err(failed)?;
    for (level, directory) in real.ancestors().enumerate() {
        let about = fs::metadata(directory)
            .map_err(|source| CacheError::Io { path: directory.to_owned(), source })?;
        look(directory, &about, level, rustix::process::geteuid().as_raw())?;
    }
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
    if about.uid() != user && about.uid() != ROOT {
        return Err(CacheError::ForeignOwner { path, owner: about.uid() });
    }
    let kept_apart = level > 0 && about.mode() & STICKY != 0;
    if about.mode() & OTHERS_WRITE != 0 && !kept_apart {
        return Err(CacheError::OpenToOthers { path });
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use std::fs;
    use std::os::unix::fs::{MetadataExt, PermissionsExt};

    use super::{CacheError, look, open};

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
        let file = base.join("file");
        fs::write(&file, "").unwrap();
        assert!(open(&file).is_err());
        fs::remove_dir_all(&base).unwrap();
    }
}
