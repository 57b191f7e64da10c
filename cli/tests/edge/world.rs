//! A folder with the demo's topology, signed, and the commands to build an edge in it.

use std::path::{Path, PathBuf};
use std::process::{Command, Output};

use tempfile::TempDir;

/// 2027-01-15T08:00:00Z: the demo's lists hold until the end of that year.
pub(crate) const MINUTE: u32 = 30_000_000;

pub(crate) struct World {
    folder: TempDir,
}

impl World {
    pub(crate) fn new() -> Self {
        let world = Self { folder: tempfile::tempdir().unwrap() };
        let text = std::fs::read_to_string(repository("deploy/demo/topology.toml")).unwrap();
        world.sign(&text);
        world
    }

    /// Signs this text as the topology, and its route manifests, with the demo's root key.
    pub(crate) fn sign(&self, text: &str) {
        std::fs::write(self.at("topology.toml"), text).unwrap();
        let mut sign = domicile(&["topology", "sign", "--key"]);
        sign.arg(key("root")).arg("--out").arg(self.at("topology.dsse.json"));
        sign.arg("--routes").arg(self.at("routes")).args(["--valid-days", "365"]);
        sign.arg("--minute").arg(MINUTE.to_string());
        succeeds(sign.arg(self.at("topology.toml")));
    }

    pub(crate) fn at(&self, name: &str) -> PathBuf {
        self.folder.path().join(name)
    }

    /// `edge build` with everything but what a build alone takes.
    fn edge(&self) -> Command {
        let mut command = domicile(&["edge", "build", "--topology"]);
        command.arg(self.at("topology.dsse.json")).arg("--root-key").arg(key("root"));
        command.arg("--overlay").arg(repository("lists/overlay.dsse.json"));
        command.arg("--routes").arg(self.at("routes"));
        command.arg("--pin-key").arg(key("pin")).arg("--minute").arg(MINUTE.to_string());
        command
    }

    /// A build into `edge.wasm` that has nothing against it.
    pub(crate) fn build(&self) -> Command {
        let mut command = self.edge();
        command.arg("--modules").arg(modules()).arg("--sign-key").arg(key("edge"));
        command.arg("--out").arg(self.at("edge.wasm"));
        command
    }

    /// A check of `edge.wasm`.
    pub(crate) fn check(&self) -> Command {
        let mut command = self.edge();
        command.arg("--check").arg(self.at("edge.wasm"));
        command
    }

    /// An audit of `edge.wasm` with its manifest.
    pub(crate) fn audit(&self, key: &Path) -> Command {
        let mut command = domicile(&["edge", "audit"]);
        command.arg(self.at("edge.wasm")).arg("--manifest").arg(self.at("edge.manifest.dsse.json"));
        command.arg("--key").arg(key);
        command
    }
}

pub(crate) fn domicile(arguments: &[&str]) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_domicile"));
    command.args(arguments);
    command
}

pub(crate) fn repository(path: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("..").join(path)
}

/// A secret key of the demo's.
pub(crate) fn key(name: &str) -> PathBuf {
    repository("deploy/demo/keys").join(name).with_extension("jwk")
}

/// What `cargo xtask modules` builds, below the target folder that these tests are built in.
pub(crate) fn modules() -> PathBuf {
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join("../edge/modules");
    assert!(folder.is_dir(), "{} is missing: run `cargo xtask modules`", folder.display());
    folder
}

/// Replaces the value of a flag.
pub(crate) fn with(command: &Command, flag: &str, value: &Path) -> Command {
    let mut arguments: Vec<_> = command.get_args().map(ToOwned::to_owned).collect();
    let at = arguments.iter().position(|argument| argument == flag).unwrap();
    arguments[at + 1] = value.into();
    let mut altered = Command::new(command.get_program());
    altered.args(arguments);
    altered
}

/// Takes a flag and its value out.
pub(crate) fn without(command: &Command, flag: &str) -> Command {
    let mut arguments: Vec<_> = command.get_args().map(ToOwned::to_owned).collect();
    let at = arguments.iter().position(|argument| argument == flag).unwrap();
    arguments.drain(at..=at + 1);
    let mut altered = Command::new(command.get_program());
    altered.args(arguments);
    altered
}

/// What a command printed, once it is seen to have ended with this code.
pub(crate) fn ends(command: &mut Command, code: i32) -> String {
    let Output { status, stdout, stderr } = command.output().unwrap();
    let text = format!("{}{}", String::from_utf8_lossy(&stdout), String::from_utf8_lossy(&stderr));
    assert_eq!(status.code(), Some(code), "{command:?}\n{text}");
    text
}

pub(crate) fn succeeds(command: &mut Command) -> String {
    ends(command, 0)
}

/// Runs a command that has to fail with code 1 and to say all of this.
pub(crate) fn refused(command: &mut Command, says: &[&str]) {
    let text = ends(command, 1);
    for part in says {
        assert!(text.contains(part), "{command:?} does not say {part:?}:\n{text}");
    }
}
