//! Where an artefact and its manifest go: two files that have to belong together.
//!
//! Two builds may write to one place at the same time, and a host may read from it. A lock, held while both files are
//! replaced, keeps two builds from leaving one file of each; and the manifest is replaced last, so whoever waits for
//! it to change finds its artefact there. A reader that comes in between sees a manifest of another artefact, which
//! the manifest's hash tells it, and the old pair or the new one a moment later.

use std::fs::{self, File};
use std::path::{Path, PathBuf};

use anyhow::Context as _;
use domicile_files::{Access, Partial, ensure_replaceable};

/// Replaces files one after the other, each whole, while no other build does so in the place of the first.
///
/// # Errors
/// When a file cannot be written, or is something that must not be replaced. Files before it are replaced by then, so
/// what can be refused is refused before the first.
pub(super) fn replace(files: &[(&Path, &[u8])]) -> anyhow::Result<()> {
    let Some((first, _)) = files.first() else { return Ok(()) };
    for (path, _) in files {
        ensure_replaceable(path)?;
        fs::create_dir_all(folder(path)).with_context(|| {
            format!("cannot make {}; name a folder that can be written", folder(path).display())
        })?;
    }
    let lock_path = lock_path(first);
    // Whoever may write to the folder could have put a link there, to a file that is not theirs to empty.
    let kind = lock_path.symlink_metadata().map(|metadata| metadata.file_type());
    anyhow::ensure!(
        kind.as_ref().map_or(true, fs::FileType::is_file),
        "{} is a link or no file; remove it",
        lock_path.display()
    );
    let lock = File::options().create(true).truncate(false).write(true).open(&lock_path);
    let lock = lock.with_context(|| {
        format!("cannot make {}; let this user write there, or name another place", lock_path.display())
    })?;
    lock.lock().with_context(|| {
        format!("cannot lock {}; name a place on a file system that has locks", lock_path.display())
    })?;
    // All are on the disk before the first is replaced: a full disk leaves the old ones.
    let mut partials = Vec::new();
    for (path, bytes) in files {
        partials.push(Partial::write(path, bytes, Access::Everyone)?);
    }
    Ok(partials.into_iter().try_for_each(Partial::place)?)
}

fn folder(path: &Path) -> &Path {
    path.parent().filter(|folder| !folder.as_os_str().is_empty()).unwrap_or(Path::new("."))
}

/// `.NAME.lock` in the same folder.
pub(super) fn lock_path(path: &Path) -> PathBuf {
    let mut hidden = std::ffi::OsString::from(".");
    hidden.push(path.file_name().unwrap_or_default());
    hidden.push(".lock");
    folder(path).join(hidden)
}
