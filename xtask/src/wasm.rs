//! Builds the edge's components to core modules for wasm32-unknown-unknown.
//!
//! That target on purpose, and not one of the WASI targets: their standard library drags in imports of its own
//! (standard streams, environment, file system), which the audit would refuse.

use std::path::{Path, PathBuf};
use std::time::SystemTime;

use anyhow::Context as _;
use domicile_cluster::report::say;
use domicile_cluster::{cluster, paths, process};

use crate::build;

mod release;
mod toolchain;

pub(crate) use release::{Release, release};
use toolchain::Toolchain;

/// The target of the components.
const TARGET: &str = "wasm32-unknown-unknown";

/// The parts of the edge.
const PARTS: [&str; 3] = ["router", "popularity", "relay"];

/// Parts that do what they must not, by feature of `domicile-fixtures`.
const FIXTURES: [&str; 9] = [
    "calls-out",
    "drops-stream",
    "forwards-trailers",
    "reads-authority",
    "reads-body",
    "reads-header",
    "reads-trailer",
    "takes-header",
    "tells-time",
];

/// Fixtures that the pass disarms instead of the audit refusing them: as a whole edge, they trap where they try.
const DISARMED: [&str; 4] = ["drops-stream", "forwards-trailers", "reads-body", "reads-trailer"];

/// Builds the router, relay and popularity core modules into `target/edge/modules`.
pub(crate) fn build_modules() -> anyhow::Result<()> {
    let out = modules();
    let outputs: Vec<_> = PARTS.iter().map(|part| out.join(part).with_extension("wasm")).collect();
    if current(
        &outputs,
        &["wit", "edge-worker/tables", "edge-worker/router", "edge-worker/relay", "edge-worker/popularity"],
    )? {
        return Ok(());
    }
    let toolchain = Toolchain::find()?;
    say("building the edge's modules for wasm32");
    for (part, output) in PARTS.iter().zip(&outputs) {
        build_one(&toolchain, &format!("domicile-{part}"), None, output)?;
    }
    // A module does not say which compiler made it: its own name is stripped from it.
    let tools = format!("{{\"rustc\": {:?}}}\n", toolchain.version()?);
    std::fs::write(out.join("tools.json"), tools)
        .with_context(|| format!("cannot write below {}", out.display()))
}

/// The pure crates, which edge, cell and tools share.
const POLICIES: [&str; 13] = [
    "deadline",
    "edge-manifest",
    "envelope",
    "ladder",
    "nearest",
    "overlay",
    "pin",
    "receipt",
    "rotation",
    "route",
    "telemetry",
    "token",
    "topology",
];

/// Checks that the policy crates build for wasm32: what needs a clock, a socket or randomness does not.
pub(crate) fn check_policies() -> anyhow::Result<()> {
    let mut command = Toolchain::find()?.cargo();
    command.current_dir(paths::root()).env("CARGO_TARGET_DIR", paths::target().join("wasm"));
    command.args(["check", "--quiet", "--locked", "--profile", "component", "--target", TARGET]);
    command.args(POLICIES.iter().flat_map(|policy| ["--package".to_owned(), format!("domicile-{policy}")]));
    process::run(&mut command)
}

/// Builds the negative fixtures: the modules into `target/edge/fixtures/*.wasm`, and of those that the pass disarms a
/// whole edge each, `edge-*.wasm`.
pub(crate) fn build_fixtures() -> anyhow::Result<()> {
    let out = fixtures();
    let outputs: Vec<_> = FIXTURES.iter().map(|name| out.join(name).with_extension("wasm")).collect();
    if !current(&outputs, &["wit", "edge-worker/tables", "edge-worker/fixtures"])? {
        let toolchain = Toolchain::find()?;
        say("building the negative fixtures for wasm32");
        for (name, output) in FIXTURES.iter().zip(&outputs) {
            build_one(&toolchain, "domicile-fixtures", Some(name), output)?;
        }
    }
    build::programs()?;
    DISARMED.iter().try_for_each(|name| compose_fixture(&out, name))
}

/// The edge of a relay that goes wrong: the two other parts as they are, composed like any edge. It passes the audit,
/// because the pass took out what is wrong; that it traps when it tries is for a test in a host to see.
fn compose_fixture(out: &Path, name: &str) -> anyhow::Result<()> {
    let parts = out.join(format!("edge-{name}"));
    for part in PARTS {
        let file = Path::new(part).with_extension("wasm");
        let from =
            if part == "relay" { out.join(name).with_extension("wasm") } else { modules().join(&file) };
        copy(&from, &parts.join(&file))?;
    }
    cluster::compose_of(
        &parts,
        &cluster::demo_file("topology.toml"),
        &paths::root().join("lists/overlay.dsse.json"),
        &out.join(format!("edge-{name}.wasm")),
    )
}

/// The bench's floor: a guest that answers a constant, as a core module.
pub(crate) fn build_hello() -> anyhow::Result<PathBuf> {
    let output = fixtures().join("hello.wasm");
    if !current(std::slice::from_ref(&output), &["wit", "edge-worker/fixtures"])? {
        build_one(&Toolchain::find()?, "domicile-fixtures", Some("hello"), &output)?;
    }
    Ok(output)
}

fn modules() -> PathBuf {
    paths::target().join("edge/modules")
}

fn fixtures() -> PathBuf {
    paths::target().join("edge/fixtures")
}

fn build_one(
    toolchain: &Toolchain,
    package: &str,
    feature: Option<&str>,
    output: &Path,
) -> anyhow::Result<()> {
    let target_dir = paths::target().join("wasm");
    let mut command = toolchain.cargo();
    command.current_dir(paths::root()).env("CARGO_TARGET_DIR", &target_dir);
    command.args(["rustc", "--quiet", "--locked", "--lib", "--crate-type", "cdylib"]);
    command.args(["--profile", "component", "--target", TARGET, "--package", package]);
    command.args(feature.iter().flat_map(|feature| ["--features", feature]));
    process::run(&mut command)?;
    let built =
        target_dir.join(TARGET).join("component").join(package.replace('-', "_")).with_extension("wasm");
    copy(&built, output)
}

fn copy(from: &Path, to: &Path) -> anyhow::Result<()> {
    if let Some(folder) = to.parent() {
        std::fs::create_dir_all(folder).with_context(|| format!("cannot make {}", folder.display()))?;
    }
    std::fs::copy(from, to).with_context(|| format!("cannot copy {} to {}", from.display(), to.display()))?;
    Ok(())
}

/// Whether every output is younger than every source, so that a second start need not even look for a compiler.
fn current(outputs: &[PathBuf], sources: &[&str]) -> anyhow::Result<bool> {
    let mut oldest = None;
    for output in outputs {
        match output.metadata().and_then(|metadata| metadata.modified()) {
            Ok(time) => oldest = Some(oldest.map_or(time, |oldest: SystemTime| oldest.min(time))),
            Err(_) => return Ok(false),
        }
    }
    let mut newest = SystemTime::UNIX_EPOCH;
    for source in sources.iter().chain(&["Cargo.toml", "Cargo.lock"]) {
        newest = newest.max(youngest(&paths::root().join(source))?);
    }
    Ok(oldest.is_some_and(|oldest| oldest > newest))
}

fn youngest(path: &Path) -> anyhow::Result<SystemTime> {
    let look = || -> std::io::Result<SystemTime> {
        let metadata = path.metadata()?;
        let mut newest = metadata.modified()?;
        if metadata.is_dir() {
            for entry in std::fs::read_dir(path)? {
                newest = newest.max(youngest(&entry?.path()).map_err(std::io::Error::other)?);
            }
        }
        Ok(newest)
    };
    look().with_context(|| format!("cannot look at {}", path.display()))
}
