//! Which compiler builds for wasm32.

use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use anyhow::Context as _;
use domicile_cluster::process;
use domicile_cluster::report::say;

use super::TARGET;
use crate::{build, fetch};

/// Debian's packages: a compiler, its cargo, the sources of its standard library, and a linker.
const DEBIAN_PACKAGES: [&str; 4] = ["rustc-web", "cargo-web", "rust-web-src", "lld"];
const DEBIAN_CARGO: &str = "/usr/share/cargo/bin/cargo";
const DEBIAN_RUSTC: &str = "/usr/bin/rustc";

/// A way to build for wasm32.
pub(super) enum Toolchain {
    /// The toolchain that built this program; it has the target's standard library.
    Ours,
    /// Debian's compiler, which builds the standard library from source.
    Debian,
}

impl Toolchain {
    /// Finds one, in order of preference, and installs what is missing.
    pub(super) fn find() -> anyhow::Result<Self> {
        if ours_has_target() {
            return Ok(Self::Ours);
        }
        if process::exists("rustup") {
            say("adding the wasm32 standard library to the Rust toolchain (about 20 MB)");
            let added = Command::new("rustup").args(["target", "add", TARGET]).stdin(Stdio::null()).status();
            if added.is_ok_and(|status| status.success()) && ours_has_target() {
                return Ok(Self::Ours);
            }
            say("it cannot be had here; using Debian's compiler, which builds that library from source");
        }
        if !debian_is_there() {
            install_debian()?;
        }
        anyhow::ensure!(
            debian_is_there(),
            "no compiler for {TARGET}: neither `rustup target add {TARGET}` nor the Debian packages {} could be had",
            DEBIAN_PACKAGES.join(", ")
        );
        Ok(Self::Debian)
    }

    /// The compiler's version: `1.95.0 (…)`.
    pub(super) fn version(&self) -> anyhow::Result<String> {
        let rustc = match self {
            Self::Ours => "rustc",
            Self::Debian => DEBIAN_RUSTC,
        };
        let mut command = Command::new(rustc);
        if matches!(self, Self::Debian) {
            command.env_remove("RUSTUP_TOOLCHAIN");
        }
        let version = process::capture(command.arg("--version"))?;
        Ok(version.trim().trim_start_matches("rustc ").to_owned())
    }

    /// A cargo that builds with it.
    pub(super) fn cargo(&self) -> Command {
        match self {
            Self::Ours => build::cargo(),
            Self::Debian => {
                let mut command = Command::new(DEBIAN_CARGO);
                // Rebuilding the standard library is an unstable feature of cargo; the compiler's version is fixed by
                // the distribution, so it does not change under us.
                command.args(["-Z", "build-std=std,panic_abort"]);
                command.env("RUSTC", DEBIAN_RUSTC).env("RUSTC_BOOTSTRAP", "1");
                command.env("CARGO_TARGET_WASM32_UNKNOWN_UNKNOWN_LINKER", linker());
                // Set by the cargo that runs us, and meant for its own toolchain.
                command.env_remove("RUSTUP_TOOLCHAIN").env_remove("CARGO").env_remove("RUSTC_WRAPPER");
                command
            }
        }
    }
}

/// The sysroot of the toolchain that `cargo` uses.
fn sysroot() -> Option<PathBuf> {
    let output = Command::new("rustc").args(["--print", "sysroot"]).stderr(Stdio::null()).output().ok()?;
    let text = String::from_utf8(output.stdout).ok()?;
    output.status.success().then(|| PathBuf::from(text.trim()))
}

fn ours_has_target() -> bool {
    sysroot().is_some_and(|root| root.join("lib/rustlib").join(TARGET).join("lib").is_dir())
}

fn debian_is_there() -> bool {
    let sources = Command::new(DEBIAN_RUSTC).args(["--print", "sysroot"]).output().ok();
    let sources = sources
        .and_then(|output| String::from_utf8(output.stdout).ok())
        .is_some_and(|root| Path::new(root.trim()).join("lib/rustlib/src/rust/library/std").is_dir());
    sources && Path::new(DEBIAN_CARGO).is_file()
}

/// The linker of our own toolchain is as new as its compiler; Debian's may be older.
fn linker() -> PathBuf {
    let ours = sysroot().map(|root| root.join("lib/rustlib/x86_64-unknown-linux-gnu/bin/gcc-ld/wasm-ld"));
    ours.filter(|path| path.is_file()).unwrap_or_else(|| PathBuf::from("wasm-ld"))
}

fn install_debian() -> anyhow::Result<()> {
    fetch::debian(&DEBIAN_PACKAGES)
        .with_context(|| format!("no compiler for {TARGET}: `rustup target add {TARGET}` failed as well"))
}
