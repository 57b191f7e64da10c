//! `domicile edge release-modules`.

use std::path::PathBuf;
use std::process::ExitCode;

use anyhow::Context as _;
use domicile_files::{Access, Partial};
use domicile_forge::published::{self, Statement};

use super::modules::ModulesArgs;
use super::overlap;
use crate::{key, output};

/// What is published, and by whom.
#[derive(clap::Args)]
pub(crate) struct Release {
    /// The folder with the built modules and the tools.json that names their compiler
    #[arg(long, value_name = "DIR")]
    modules: PathBuf,
    /// The secret key of the release; whoever builds an edge gets its public half on another way than the modules
    #[arg(long, value_name = "FILE")]
    key: PathBuf,
    /// The revision of the source they were built from
    #[arg(long, value_name = "REVISION")]
    source: String,
    /// The folder that gets router.wasm, popularity.wasm, relay.wasm and modules.dsse.json; made when there is none
    #[arg(long, value_name = "DIR")]
    out: PathBuf,
}

/// Writes the modules and their statement.
pub(super) fn run(release: &Release) -> anyhow::Result<ExitCode> {
    let Release { modules: folder, key, source, out } = release;
    let source = source.trim();
    anyhow::ensure!(
        !source.is_empty(),
        "--source: empty; name the revision that the modules were built from"
    );
    let signing = key::signing(key)?;
    // Nobody asks here who signed it: signed again, another's modules would be this key's.
    let stated = folder.join(published::FILE);
    let is_stated = stated
        .try_exists()
        .with_context(|| format!("cannot look for {}; name a folder that can be read", stated.display()))?;
    anyhow::ensure!(
        !is_stated,
        "{}: published already, and not signed again; name a folder of modules that were just built \
         (`cargo xtask modules`)",
        stated.display()
    );
    let built = ModulesArgs { modules: Some(folder.clone()), modules_key: Vec::new() };
    let read = built.read()?.context("--modules is missing; name the folder of the built modules")?;
    anyhow::ensure!(
        read.tools.contains_key("rustc"),
        "{}: nothing names the compiler; build the modules with `cargo xtask modules`",
        folder.display()
    );
    let statement = Statement::new(&read.modules, read.tools, source).sign(&signing);
    let same = |folder: &PathBuf| folder.canonicalize().ok();
    anyhow::ensure!(
        same(out) != same(folder),
        "--out {} is the folder of --modules; name another",
        out.display()
    );
    let inputs: Vec<_> = built.files().chain([("--key", key.clone())]).collect();
    let names = read.modules.files().map(|(name, _)| name).chain([published::FILE.to_owned()]);
    let outputs: Vec<_> = names.map(|name| ("--out", out.join(name))).collect();
    overlap::ensure_none(&inputs, &outputs)?;
    std::fs::create_dir_all(out)
        .with_context(|| format!("cannot make {}; name a folder that can be written", out.display()))?;
    // All are on the disk before the first is replaced; the statement last, since it speaks of the others.
    let mut partials = Vec::new();
    for (name, bytes) in read.modules.files() {
        partials.push(Partial::write(&out.join(name), bytes, Access::Everyone)?);
    }
    partials.push(Partial::write(&out.join(published::FILE), statement.as_bytes(), Access::Everyone)?);
    partials.into_iter().try_for_each(Partial::place)?;
    output::line(format!("modules       {}", out.display()));
    output::line(format!("signed by     {}", signing.verifying_key().id()));
    output::line(format!("source        {}", output::shown(source)));
    Ok(ExitCode::SUCCESS)
}
