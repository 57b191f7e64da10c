//! Builds what the other commands run.

use std::process::Command;

use domicile_cluster::report::say;
use domicile_cluster::{paths, process};

/// The programs of the product.
const PACKAGES: [&str; 3] = ["domicile", "domicile-cell", "domicile-edge"];

/// The cargo that runs this, or the one on the path.
pub(crate) fn cargo() -> Command {
    let mut command = Command::new(std::env::var_os("CARGO").unwrap_or_else(|| "cargo".into()));
    command.current_dir(paths::root());
    command
}

/// Builds the three programs.
pub(crate) fn programs() -> anyhow::Result<()> {
    if !paths::binary("domicile-edge").is_file() {
        say("building the programs: a first build takes 10 to 20 minutes on two cores, later ones seconds");
    }
    let mut build = cargo();
    build.arg("build").args(PACKAGES.iter().flat_map(|p| ["--package", p]));
    process::run(&mut build)
}
