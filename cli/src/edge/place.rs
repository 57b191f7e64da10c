//! Where an artefact and its manifest go: two files that have to belong together.
//!
//! Two builds may write to one place at the same time, and a host may read from it. A lock, held while both files are
//! replaced, keeps two builds from leaving one file of each; and the manifest is replaced last, so whoever waits for
//! it to change finds its artefact there. A reader that comes in between sees a manifest of another artefact, which
//! the manifest's hash tells it, and the old pair or the new one a moment later.

use std::fs::{self, File};
use std::io::Write as _;
use std::path::{Path, PathBuf};

use anyhow::Context as _;

/// Replaces files one after the other, each whole, while no other build does so in the place of the first.
///
/// # Errors
/// When a file cannot be written, or is something that must not be replaced. Files before it are replaced by then, so
/// what can be refused is refused before the first.
pub(super) fn replace(files: &[(&Path, &[u8])]) -> anyhow::Result<()> {
    let Some((first, _)) = files.first() else { return Ok(()) };
    for (path, _) in files {
        ensure_replaceable(path)?;
        fs::create_dir_all(folder(path))
            .with_context(|| format!("cannot make {}", folder(path).display()))?;
    }
    let lock_path = beside(first, "lock")?;
    // Whoever may write to the folder could have put a link there, to a file that is not theirs to empty.
    let kind = lock_path.symlink_metadata().map(|metadata| metadata.file_type());
    anyhow::ensure!(
        kind.as_ref().map_or(true, fs::FileType::is_file),
        "{} is a link or no file; remove it",
        lock_path.display()
    );
    let lock = File::options().create(true).truncate(false).write(true).open(&lock_path);
    let lock = lock.with_context(|| format!("cannot make {}", lock_path.display()))?;
    lock.lock().with_context(|| format!("cannot lock {}", lock_path.display()))?;
    // All are on the disk before the first is replaced: a full disk leaves the old ones.
    let mut partials = Vec::new();
    let written = files.iter().try_for_each(|(path, bytes)| {
        // Other builds may write other artefacts and the same file beside them.
        let partial = beside(path, &format!("{}.partial", std::process::id()))?;
        partials.push(partial.clone());
        write(&partial, bytes).with_context(|| format!("cannot write {}", partial.display()))
    });
    let replaced = written.and_then(|()| {
        files.iter().zip(&partials).try_for_each(|((path, _), partial)| {
            fs::rename(partial, path).with_context(|| format!("cannot write {}", path.display()))
        })
    });
    if replaced.is_err() {
        for partial in &partials {
            let _ = fs::remove_file(partial);
        }
    }
    replaced
}

/// Refuses what a rename would destroy rather than write to.
fn ensure_replaceable(path: &Path) -> anyhow::Result<()> {
    let kind = match path.symlink_metadata() {
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => return Ok(()),
        Err(error) => return Err(error).with_context(|| format!("cannot look at {}", path.display())),
        Ok(metadata) => metadata.file_type(),
    };
    let what = if kind.is_file() {
        return Ok(());
    } else if kind.is_dir() {
        "a folder; name a file in it"
    } else if kind.is_symlink() {
        "a symbolic link, which would be replaced and not followed; name the file it points to"
    } else {
        "a device, pipe or socket; name a file"
    };
    anyhow::bail!("{} is {what}", path.display())
}

fn write(path: &Path, bytes: &[u8]) -> std::io::Result<()> {
    let mut file = File::create(path)?;
    file.write_all(bytes)?;
    file.sync_all()
}

fn folder(path: &Path) -> &Path {
    path.parent().filter(|folder| !folder.as_os_str().is_empty()).unwrap_or(Path::new("."))
}

/// `.NAME.SUFFIX` in the same folder: a rename across file systems would not be one step.
fn beside(path: &Path, suffix: &str) -> anyhow::Result<PathBuf> {
    let name = path.file_name().with_context(|| format!("{} names no file", path.display()))?;
    let mut hidden = std::ffi::OsString::from(".");
    hidden.push(name);
    hidden.push(".");
    hidden.push(suffix);
    Ok(folder(path).join(hidden))
}
