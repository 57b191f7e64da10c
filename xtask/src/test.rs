//! `cargo xtask test`: everything that CI runs, with a table of time per step at the end.
//!
//! A step that fails does not hide the ones after it, except where they would only repeat the failure: all that is
//! wrong is known after one run.

mod boundary;

use std::process::Command;
use std::time::Duration;

use domicile_cluster::report::{self, print, say, seconds};
use domicile_cluster::{cluster, paths, process};

use crate::{browser, build, demo, fetch, fuzz, wasm};

/// A step's name and what it does.
type Step = (&'static str, fn() -> anyhow::Result<()>);

/// In this order: cheap ones first, and each one after what it needs.
const STEPS: [Step; 18] = [
    ("format", format),
    ("layout", layout),
    ("licences and bans", licences),
    ("what tests need", fetched),
    ("build", programs),
    ("edge modules", modules),
    ("policy crates for wasm32", wasm::check_policies),
    ("edge artefact and audit", artefact),
    ("clippy", clippy),
    ("rustdoc", rustdoc),
    ("unit, property and integration tests", tests),
    ("fuzz, 20 s a target", fuzz::smoke),
    ("training code", training),
    (BOUNDARY, boundary_over_real_processes),
    ("edge attacked in our host", boundary::in_our_host),
    ("edge attacked under wasmtime serve", boundary::under_wasmtime_serve),
    ("browser: client, shelf and shop", browser::test),
    ("demo, once", demo_once),
];

/// One target of the integration tests, for those who ask for it alone.
const BOUNDARY: &str = "boundary over real processes";

/// Steps that belong together although their names do not say so.
const TOPICS: [(&str, &[&str]); 3] = [
    ("edge", &["build", "policy crates for wasm32", "unit, property and integration tests", "fuzz"]),
    ("browser", &["build"]),
    ("boundary", &["what tests need", "build", "edge modules", "edge artefact", "edge attacked"]),
];

/// Whether a step was asked for: by a part of its name, or by its topic.
fn asked_for(name: &str, wanted: &str) -> bool {
    let of_topic = |(topic, steps): &(&str, &[&str])| {
        *topic == wanted && steps.iter().any(|step| name.starts_with(step))
    };
    name.contains(wanted) || TOPICS.iter().any(of_topic)
}

/// Runs every step, or those of a topic, or those whose name contains `only`.
pub(crate) fn run(only: Option<&str>) -> anyhow::Result<()> {
    let mut rows: Vec<(&str, Duration, bool)> = Vec::new();
    for (name, step) in STEPS {
        // Without a wish, the integration tests have run it already.
        if only.map_or(name == BOUNDARY, |wanted| !asked_for(name, wanted)) {
            continue;
        }
        say(format!("== {name}"));
        let started = report::now();
        let outcome = step();
        if let Err(error) = &outcome {
            say(format!("{name}: {error:#}"));
        }
        rows.push((name, started.elapsed(), outcome.is_ok()));
    }
    anyhow::ensure!(!rows.is_empty(), "no step's name contains {:?}", only.unwrap_or_default());
    print(format!("\n{:<40} {:>10}", "step", "time"));
    for (name, time, passed) in &rows {
        print(format!("{name:<40} {:>10}  {}", seconds(*time), if *passed { "passed" } else { "FAILED" }));
    }
    let total: Duration = rows.iter().map(|(_, time, _)| *time).sum();
    print(format!("{:<40} {:>10}", "all", seconds(total)));
    let failed = rows.iter().filter(|(_, _, passed)| !passed).count();
    print(format!("steps: {} passed, {failed} failed", rows.len() - failed));
    anyhow::ensure!(failed == 0, "{failed} steps failed");
    Ok(())
}

/// `cargo xtask edge`: builds the artefact for the demo topology and audits it.
pub(crate) fn run_edge() -> anyhow::Result<()> {
    build::programs()?;
    wasm::build_modules()?;
    artefact()
}

fn format() -> anyhow::Result<()> {
    process::run(build::cargo().args(["fmt", "--all", "--", "--check"]))?;
    process::run(build::cargo().args(["fmt", "--manifest-path", "fuzz/Cargo.toml", "--", "--check"]))
}

/// No source file over 500 lines: past that, an idea in it wants its own name.
fn layout() -> anyhow::Result<()> {
    const LINES_MAX: usize = 500;
    let listed = process::capture(Command::new("git").current_dir(paths::root()).args([
        "ls-files",
        "-co",
        "--exclude-standard",
    ]))?;
    let long: Vec<String> = listed
        .lines()
        .filter(|f| [".rs", ".py", ".ts", ".wit"].iter().any(|e| f.ends_with(e)) && !f.contains("/deps/"))
        .filter_map(|f| Some((f, std::fs::read_to_string(paths::root().join(f)).ok()?.lines().count())))
        .filter(|(_, lines)| *lines > LINES_MAX)
        .map(|(f, lines)| format!("{f} ({lines})"))
        .collect();
    anyhow::ensure!(long.is_empty(), "over {LINES_MAX} lines: {}", long.join(", "));
    Ok(())
}

/// Licences, bans and sources of everything that is compiled (`deny.toml`, `fuzz/deny.toml`).
fn licences() -> anyhow::Result<()> {
    let program = fetch::cargo_deny()?;
    // The fuzz targets are a workspace of their own.
    for workspace in [paths::root(), paths::root().join("fuzz")] {
        let mut deny = Command::new(&program);
        process::run(deny.current_dir(workspace).args(["check", "licenses", "bans", "sources"]))?;
    }
    Ok(())
}

fn fetched() -> anyhow::Result<()> {
    fetch::onnx_runtime()?;
    fetch::demo_data()?;
    fetch::training_packages()?;
    fetch::wasmtime().map(drop)
}

fn programs() -> anyhow::Result<()> {
    build::programs()
}

fn modules() -> anyhow::Result<()> {
    wasm::build_modules()?;
    wasm::build_fixtures()
}

fn artefact() -> anyhow::Result<()> {
    let out = paths::target().join("edge/edge.wasm");
    cluster::compose(
        &cluster::demo_file("topology.toml"),
        &paths::root().join("lists/overlay.dsse.json"),
        &out,
    )?;
    let mut audit = Command::new(paths::binary("domicile"));
    audit.args(["edge", "audit"]).arg(&out).arg("--modules").arg(paths::target().join("edge/modules"));
    audit.arg("--manifest").arg(out.with_extension("manifest.dsse.json"));
    process::run(audit.arg("--key").arg(cluster::demo_file("keys/edge.jwk")))
}

fn clippy() -> anyhow::Result<()> {
    process::run(build::cargo().args(["clippy", "--workspace", "--all-targets", "--", "--deny", "warnings"]))
}

fn rustdoc() -> anyhow::Result<()> {
    process::run(build::cargo().env("RUSTDOCFLAGS", "--deny warnings").args([
        "doc",
        "--workspace",
        "--no-deps",
    ]))
}

fn tests() -> anyhow::Result<()> {
    let mut tests = build::cargo();
    tests.args(["test", "--workspace", "--no-fail-fast"]).env("ORT_DYLIB_PATH", fetch::onnx_runtime()?);
    process::run(&mut tests)
}

fn boundary_over_real_processes() -> anyhow::Result<()> {
    let mut tests = build::cargo();
    tests.args(["test", "--workspace", "--test", "boundary"]).env("ORT_DYLIB_PATH", fetch::onnx_runtime()?);
    process::run(&mut tests)
}

fn training() -> anyhow::Result<()> {
    let models = paths::root().join("models");
    process::run(
        Command::new("python3")
            .current_dir(models)
            .args(["-B", "-m", "unittest", "discover", "-t", ".", "-s", "train/tests"])
            .env("PYTHONPATH", fetch::training_packages()?),
    )
}

fn demo_once() -> anyhow::Result<()> {
    // Not this process's own file: building the workspace has put another in its place.
    process::run(Command::new(paths::binary("xtask")).args(["demo", "--once"]))?;
    demo::nothing_left()
}
