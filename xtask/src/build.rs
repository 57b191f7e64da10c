//! Builds what the other commands run.

use std::process::Command;

use domicile_cluster::report::say;
use domicile_cluster::{paths, process};

/// The cargo that runs this, or the one on the path.
pub(crate) fn cargo() -> Command {
    let mut command = Command::new(std::env::var_os("CARGO").unwrap_or_else(|| "cargo".into()));
    command.current_dir(paths::root());
    // What cargo told this program of its own package is no setting of what it builds; some build scripts watch it, and
    // would run again, with everything behind them, whenever a bare cargo and this one take turns.
    for (name, _) in std::env::vars_os() {
        if name
            .to_str()
            .is_some_and(|name| name.starts_with("CARGO_PKG_") || name.starts_with("CARGO_MANIFEST_"))
        {
            command.env_remove(name);
        }
    }
    command
}

/// Builds everything there is, tests included.
///
/// Always the whole workspace with all targets: cargo compiles a dependency anew for another set of features, and each
/// choice of packages is another set. One choice everywhere means that nothing big is compiled twice.
pub(crate) fn programs() -> anyhow::Result<()> {
    if !paths::binary("domicile-edge").is_file() {
        say("building everything once: 15 to 25 minutes on two cores; later builds take seconds");
    }
    process::run(cargo().args(["build", "--workspace", "--all-targets"]))
}
