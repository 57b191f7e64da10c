//! What every test here needs: a folder of its own, the command, the demo's files.

use std::path::{Path, PathBuf};
use std::process::{Command, Output};

use serde_json::Value;
use tempfile::TempDir;

/// A folder.
pub(crate) struct World {
    directory: TempDir,
}

impl World {
    pub(crate) fn new() -> Self {
        Self { directory: tempfile::tempdir().unwrap() }
    }

    /// A path in it.
    pub(crate) fn path(&self, name: &str) -> PathBuf {
        self.directory.path().join(name)
    }

    /// Writes a file into it.
    pub(crate) fn write(&self, name: &str, bytes: impl AsRef<[u8]>) -> PathBuf {
        std::fs::write(self.path(name), bytes).unwrap();
        self.path(name)
    }
}

/// A file of the demo.
pub(crate) fn demo(name: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../deploy/demo").join(name)
}

/// The command.
pub(crate) fn domicile() -> Command {
    Command::new(env!("CARGO_BIN_EXE_domicile"))
}

/// Runs it with arguments that are texts and paths.
#[macro_export]
macro_rules! run {
    ($($argument:expr),* $(,)?) => {
        $crate::world::domicile()$(.arg($argument))*.output().unwrap()
    };
}

/// Its standard output, once it has succeeded.
pub(crate) fn said(output: Output) -> String {
    assert!(output.status.success(), "{}", complaint(&output));
    String::from_utf8(output.stdout).unwrap()
}

/// Its standard error.
pub(crate) fn complaint(output: &Output) -> String {
    String::from_utf8(output.stderr.clone()).unwrap()
}

/// Its standard output as JSON, whatever the exit code.
pub(crate) fn json(output: &Output) -> Value {
    serde_json::from_slice(&output.stdout).unwrap()
}
