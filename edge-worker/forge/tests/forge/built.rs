//! What `cargo xtask modules --fixtures` builds.

use std::path::{Path, PathBuf};

use domicile_forge::{Modules, Part};

pub(crate) fn built(name: &str) -> Vec<u8> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
    let target =
        std::env::var_os("CARGO_TARGET_DIR").map_or_else(|| root.join("target"), |dir| root.join(dir));
    let path: PathBuf = target.join("edge").join(name);
    std::fs::read(&path).unwrap_or_else(|error| {
        panic!("{}: {error}; `cargo xtask modules --fixtures` builds it", path.display())
    })
}

pub(crate) fn module(part: Part) -> Vec<u8> {
    built(&format!("modules/{part}.wasm"))
}

pub(crate) fn modules() -> Modules {
    Modules { router: module(Part::Router), popularity: module(Part::Popularity), relay: module(Part::Relay) }
}
