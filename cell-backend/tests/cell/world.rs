//! A small world in a directory of its own: topology, snapshot, overlay, history, all signed with a key made for it.

use std::path::{Path, PathBuf};
use std::sync::OnceLock;

use domicile_cell::overlay;
use domicile_cell::ranker::runtime::Runtime;
use domicile_cell::snapshots::{self, MANIFEST};
use domicile_envelope::{Envelope, SigningKey};
use domicile_pin::Pin;
use domicile_topology::Topology;
use serde_json::Value;

const FILES: [&str; 5] = ["tower.onnx", "full.onnx", "compact.onnx", "embeddings.f16", "items.csv"];

/// A world. Its cells are `eu-a` (class 1, with `eu-b`) and `us-a` (class 2); shopper `regular` has a history.
pub(crate) struct World {
    directory: tempfile::TempDir,
    pub(crate) key: SigningKey,
}

impl World {
    /// A world with the committed demo snapshot and overlay, signed again.
    pub(crate) fn new() -> Self {
        let world = Self { directory: tempfile::tempdir().unwrap(), key: SigningKey::generate() };
        std::fs::create_dir(world.at("snapshot")).unwrap();
        for file in FILES {
            std::fs::copy(repository("models/demo").join(file), world.at("snapshot").join(file)).unwrap();
        }
        world.write("topology.toml", &world.topology(""));
        world.sign_snapshot(|_| {});
        world.sign_overlay(|_| {});
        world
    }

    /// Gives its cells nearly three times the usual deadline, for tests of what they answer and not of how soon; returns
    /// the configuration that goes with it.
    pub(crate) fn patient(&self) -> PathBuf {
        let clocks = "serial = 1\nclocks = { cell_budget_ms = 340 }\n";
        self.write("topology.toml", &self.topology("").replacen("serial = 1\n", clocks, 1));
        let budgets = "features_ms = 60\nquery_ms = 100\ncandidates_ms = 60\nrank_ms = 100";
        self.write("patient.toml", &format!("version = 1\n[budgets]\n{budgets}"));
        self.at("patient.toml")
    }

    pub(crate) fn at(&self, name: &str) -> PathBuf {
        self.directory.path().join(name)
    }

    pub(crate) fn write(&self, name: &str, text: &str) {
        std::fs::write(self.at(name), text).unwrap();
    }

    /// The topology's text; `trust` goes into each key's table.
    pub(crate) fn topology(&self, trust: &str) -> String {
        let jwk = self.key.verifying_key().to_jwk();
        let cell = |id: u8, name: &str, boundary: &str| {
            format!(
                "[[cell]]\nid = {id}\nname = \"{name}\"\nboundary = \"{boundary}\"\nsite = \"s{id}\"\n\
                 operator = \"o{id}\"\njurisdiction = \"DE\"\nscheme = \"http\"\nauthority = \"127.0.0.1:710{id}\"\n"
            )
        };
        let key = |purpose: &str| format!("[[key]]\nuse = \"{purpose}\"\n{trust}\njwk = '{jwk}'\n");
        let class = |id: u8, name: &str, cells: &str| {
            let boundary = &name[..2];
            format!(
                "[[class]]\nid = {id}\nname = \"{name}\"\nboundaries = [\"{boundary}\"]\ncells = [{cells}]\n\
                 on_exhaustion = \"shed\"\n"
            )
        };
        let slot = |id: u8, name: &str, items: u8| {
            format!("[[slot]]\nid = {id}\nname = \"{name}\"\nitems = {items}\n")
        };
        [
            "version = 1\nserial = 1\n".to_owned(),
            "[[boundary]]\nname = \"eu\"\ncountries = [\"DE\"]\n".into(),
            "[[boundary]]\nname = \"us\"\ncountries = [\"US\"]\n".into(),
            cell(1, "eu-a", "eu"),
            cell(2, "eu-b", "eu"),
            cell(3, "us-a", "us"),
            class(1, "eu_only", "{ cell = \"eu-a\" }, { cell = \"eu-b\" }"),
            class(2, "us_only", "{ cell = \"us-a\" }"),
            "[[locale]]\nid = 1\nname = \"de-DE\"\nclass = \"eu_only\"\n".into(),
            "[[locale]]\nid = 2\nname = \"en-US\"\nclass = \"us_only\"\n".into(),
            slot(1, "home", 24),
            slot(2, "basket", 12),
            slot(3, "product", 12),
            key("pin"),
            key("overlay"),
            key("snapshot"),
        ]
        .concat()
    }

    pub(crate) fn parsed(&self) -> Topology {
        Topology::parse(&self.topology("")).unwrap()
    }

    /// Signs the snapshot's manifest again, changed.
    pub(crate) fn sign_snapshot(&self, change: impl FnOnce(&mut Value)) {
        let mut manifest = payload(&repository("models/demo").join(MANIFEST));
        change(&mut manifest);
        self.sign(snapshots::PAYLOAD_TYPE, &manifest, &self.at("snapshot").join(MANIFEST));
    }

    /// Signs the overlay again, changed.
    pub(crate) fn sign_overlay(&self, change: impl FnOnce(&mut Value)) {
        let mut document = payload(&repository("lists/overlay.dsse.json"));
        document["not_after"] = "2099-01-01T00:00:00Z".into();
        change(&mut document);
        self.sign(overlay::PAYLOAD_TYPE, &document, &self.at("overlay.dsse.json"));
    }

    /// Writes a file of the snapshot and lists it in the manifest as it is now.
    pub(crate) fn replace(&self, name: &str, content: &[u8]) {
        let path = format!("{name}.onnx");
        std::fs::write(self.at("snapshot").join(&path), content).unwrap();
        let sha256 = snapshots::content_id(content);
        self.sign_snapshot(|m| {
            m["files"][name] = serde_json::json!({"path": path, "sha256": sha256, "bytes": content.len()})
        });
    }

    /// A pin of `class` that is live now.
    pub(crate) fn pin(&self, class: u16) -> String {
        let topology = self.parsed();
        let minute = domicile_cell::clock::Clock::start().unix_minutes();
        Pin::mint(class, topology.pin.at(minute), &self.key).to_string()
    }

    fn sign(&self, kind: &str, payload: &Value, to: &Path) {
        let envelope = Envelope::sign(kind, payload.to_string().as_bytes(), &self.key);
        std::fs::write(to, envelope.to_json()).unwrap();
    }
}

/// The process's one ONNX Runtime.
pub(crate) fn runtime() -> &'static Runtime {
    static RUNTIME: OnceLock<Runtime> = OnceLock::new();
    let load = || Runtime::load(None).unwrap_or_else(|failure| panic!("set ORT_DYLIB_PATH: {failure}"));
    RUNTIME.get_or_init(load)
}

/// A path of the repository.
pub(crate) fn repository(path: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("..").join(path)
}

fn payload(path: &Path) -> Value {
    let text = std::fs::read_to_string(path).unwrap_or_else(|e| panic!("{}: {e}", path.display()));
    serde_json::from_slice(&Envelope::parse(&text).unwrap().unverified_payload().unwrap()).unwrap()
}
