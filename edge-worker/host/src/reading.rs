//! Reading files while serving: regular ones only, and not more than was meant.
//!
//! A reload reads whatever lies where the artefact should. A pipe there would hold the reload, and the end of the
//! process, for as long as nobody writes to it; a device, or a file somebody let grow, would be read until there is no
//! memory. So a file is opened without waiting, looked at, and read up to a limit.

use std::fs::File;
use std::io::{self, Read as _};
use std::os::unix::fs::OpenOptionsExt as _;
use std::path::Path;

/// Largest artefact: several times what 300 locales of 50 slots come to.
pub(crate) const ARTEFACT_MAX: u64 = 256 * 1024 * 1024;
/// Largest manifest.
pub(crate) const MANIFEST_MAX: u64 = 16 * 1024 * 1024;
/// Largest key.
pub(crate) const KEY_MAX: u64 = 64 * 1024;

/// `O_NONBLOCK`: a pipe without a writer is opened at once. It means nothing to a regular file.
const WITHOUT_WAITING: i32 = {
    let flag = rustix::fs::OFlags::NONBLOCK.bits();
    flag.cast_signed()
};

/// Reads a regular file of at most `most` bytes; links are followed.
pub(crate) fn read(path: &Path, most: u64) -> io::Result<Vec<u8>> {
    let file = File::options().read(true).custom_flags(WITHOUT_WAITING).open(path)?;
    if !file.metadata()?.is_file() {
        return Err(io::Error::other("it is no regular file; put the file itself there"));
    }
    let mut bytes = Vec::new();
    // The length at the opening is no promise: one more byte than allowed is asked for.
    file.take(most.saturating_add(1)).read_to_end(&mut bytes)?;
    if bytes.len() as u64 > most {
        return Err(io::Error::other(format!("it is larger than {most} bytes; is it the right file?")));
    }
    Ok(bytes)
}

#[cfg(test)]
mod tests {
    use std::path::Path;

    use super::read;

    #[test]
    fn only_a_regular_file_is_read_and_no_more_of_it_than_was_meant() {
        let this = Path::new(env!("CARGO_MANIFEST_DIR")).join("Cargo.toml");
        let length = read(&this, 1 << 20).unwrap().len() as u64;
        assert!(read(&this, length).is_ok());
        let refusal = |path: &Path, most| read(path, most).unwrap_err().to_string();
        assert!(refusal(&this, length - 1).starts_with("it is larger than"));
        assert!(refusal(Path::new("/dev/zero"), 1 << 20).starts_with("it is no regular file"));
        assert!(refusal(Path::new("/"), 1 << 20).starts_with("it is no regular file"));
    }
}
