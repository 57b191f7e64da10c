//! What lies at a path.

use std::fmt;
use std::fs::FileType;

/// What lies at a path, where it is no regular file.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Kind {
    /// A folder.
    Folder,
    /// A symbolic link; reading follows it.
    Link,
    /// A named pipe.
    Pipe,
    /// A socket.
    Socket,
    /// A device, or something a system has beside all of these.
    Device,
}

impl Kind {
    /// None of a regular file.
    pub(crate) fn of(file: FileType) -> Option<Self> {
        if file.is_file() {
            None
        } else if file.is_dir() {
            Some(Self::Folder)
        } else if file.is_symlink() {
            Some(Self::Link)
        } else {
            Some(special(file))
        }
    }
}

#[cfg(unix)]
fn special(file: FileType) -> Kind {
    use std::os::unix::fs::FileTypeExt as _;
    if file.is_fifo() {
        Kind::Pipe
    } else if file.is_socket() {
        Kind::Socket
    } else {
        Kind::Device
    }
}

#[cfg(not(unix))]
fn special(_: FileType) -> Kind {
    Kind::Device
}

impl fmt::Display for Kind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Folder => "a folder",
            Self::Link => "a symbolic link",
            Self::Pipe => "a pipe",
            Self::Socket => "a socket",
            Self::Device => "a device",
        })
    }
}
