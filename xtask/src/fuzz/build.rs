//! Builds the targets with coverage counters.

use std::path::PathBuf;
use std::process::Command;

use anyhow::Context as _;

use domicile_cluster::report::say;
use domicile_cluster::{paths, process};

use crate::{build, fetch};

/// What has the compiler insert libFuzzer's counters (LLVM, `SanitizerCoverage`): a counter and an address for each
/// edge, and calls at comparisons, which tell the fuzzer what an input was compared with.
const FLAGS: [&str; 6] = [
    "--cfg=fuzzing",
    "-Cpasses=sancov-module",
    "-Cllvm-args=-sanitizer-coverage-level=4",
    "-Cllvm-args=-sanitizer-coverage-inline-8bit-counters",
    "-Cllvm-args=-sanitizer-coverage-pc-table",
    "-Cllvm-args=-sanitizer-coverage-trace-compares",
];

/// Builds every target. libFuzzer itself is C++.
pub(super) fn targets() -> anyhow::Result<()> {
    if !process::exists("c++") {
        say("libFuzzer needs a C++ compiler, and there is none");
        fetch::debian(&["g++"]).context("no C++ compiler could be had: install one to fuzz")?;
    }
    if !folder().is_dir() {
        say("building the fuzz targets once: a minute or two");
    }
    let mut cargo = build::cargo();
    cargo.args(["build", "--quiet", "--locked", "--release", "--bins", "--manifest-path", "fuzz/Cargo.toml"]);
    // With a target named, flags reach what is fuzzed and not the build scripts and macros.
    cargo.args(["--target", &host()?]).arg("--target-dir").arg(folder());
    cargo.env("CARGO_ENCODED_RUSTFLAGS", FLAGS.join("\x1f")).env_remove("RUSTFLAGS");
    process::run(&mut cargo)
}

/// A target's program.
pub(super) fn binary(target: &str) -> PathBuf {
    folder().join(host().unwrap_or_default()).join("release").join(target)
}

fn folder() -> PathBuf {
    paths::target().join("fuzz/build")
}

/// The compiler's own target, e.g. `x86_64-unknown-linux-gnu`.
fn host() -> anyhow::Result<String> {
    let version = process::capture(Command::new("rustc").arg("-vV"))?;
    let host = version.lines().find_map(|line| line.strip_prefix("host: ")).context("rustc names no host")?;
    Ok(host.to_owned())
}
