//! Where things are.

use std::path::{Path, PathBuf};

/// The repository's root.
pub fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).ancestors().nth(2).unwrap_or(Path::new(".")).to_owned()
}

/// Cargo's target folder: what is built or fetched goes below it and nowhere else.
pub fn target() -> PathBuf {
    std::env::var_os("CARGO_TARGET_DIR").map_or_else(|| root().join("target"), |dir| root().join(dir))
}

/// A binary of the workspace, built in the one profile there is.
pub fn binary(name: &str) -> PathBuf {
    target().join("debug").join(name)
}
