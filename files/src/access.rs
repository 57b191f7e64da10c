//! Who may read a file.

use std::io;
use std::path::Path;

/// Who may read a file that is written.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Access {
    /// Its owner alone, from the first byte on: a secret.
    Owner,
    /// Whoever the process's mask lets.
    Everyone,
}

/// Whether group or others may read, change or enter what lies at a path; links are followed. Where a system has no
/// such rights, nobody may.
///
/// # Errors
/// When it cannot be looked at.
pub fn is_open_to_others(path: &Path) -> io::Result<bool> {
    let metadata = path.metadata()?;
    #[cfg(unix)]
    let open = std::os::unix::fs::PermissionsExt::mode(&metadata.permissions()) & OTHERS != 0;
    #[cfg(not(unix))]
    let open = {
        drop(metadata);
        false
    };
    Ok(open)
}

/// Every right of group and others (POSIX.1-2017, `sys/stat.h`).
#[cfg(unix)]
const OTHERS: u32 = 0o077;

#[cfg(all(test, unix))]
mod tests {
    use std::fs::Permissions;
    use std::os::unix::fs::PermissionsExt as _;

    use super::is_open_to_others;

    #[test]
    fn any_right_of_another_is_one_too_many() {
        let folder = tempfile::tempdir().unwrap();
        let file = folder.path().join("key");
        std::fs::write(&file, "").unwrap();
        for (mode, open) in [(0o600, false), (0o400, false), (0o640, true), (0o604, true), (0o620, true)] {
            std::fs::set_permissions(&file, Permissions::from_mode(mode)).unwrap();
            assert_eq!(is_open_to_others(&file).unwrap(), open, "{mode:o}");
        }
        assert!(is_open_to_others(&folder.path().join("nothing")).is_err());
    }
}
