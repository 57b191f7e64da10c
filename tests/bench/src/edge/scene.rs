//! What is measured: the demo's edge with the stand-in cell behind it, and the bare guest.

use std::net::SocketAddr;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::Arc;

use anyhow::Context as _;
use serde_json::Value;

use domicile_cluster::cluster::{compose, demo_file, write_topology};
use domicile_cluster::{paths, process};

use crate::cell;
use crate::load::Ask;
use crate::order::Order;

const LOCALES: [&str; 5] = ["de-DE", "fr-FR", "sv-SE", "en-US", "en-GB"];
const SLOTS: [&str; 3] = ["home", "basket", "product"];
/// Days that the overlays here are good for.
const VALID_DAYS: &str = "2";

/// Files and addresses.
pub(super) struct Scene {
    pub(super) folder: PathBuf,
    pub(super) cell: SocketAddr,
    pub(super) topology: PathBuf,
    /// Two overlays of the same items in another order, and an edge built with each.
    pub(super) overlays: [PathBuf; 2],
    pub(super) edges: [PathBuf; 2],
    pub(super) hello: PathBuf,
    /// Every locale's and slot's shelf.
    pub(super) shelves: Arc<[Ask]>,
    /// A sealed request through the edge, and the same to the cell.
    pub(super) sealed: Arc<[Ask]>,
    pub(super) direct: Arc<[Ask]>,
    /// A request of the bare guest.
    pub(super) greeting: Arc<[Ask]>,
}

impl Scene {
    pub(super) fn set(folder: &Path, hello_module: &Path, seed: u64) -> anyhow::Result<Self> {
        std::fs::create_dir_all(folder).with_context(|| format!("cannot make {}", folder.display()))?;
        let cell = cell::start()?;
        let topology = folder.join("topology.toml");
        write_topology(&topology, &[cell.port()])?;
        let overlays = ["a", "b"].map(|name| folder.join(format!("overlay-{name}.dsse.json")));
        let lists: Value = serde_json::from_str(&process::capture(
            domicile().args(["overlay", "show"]).arg(paths::root().join("lists/overlay.dsse.json")),
        )?)?;
        let other = turned(lists.clone());
        anyhow::ensure!(other != lists, "the committed overlay has no lists: two edges would be the same");
        sign(&lists, &overlays[0])?;
        sign(&other, &overlays[1])?;
        // A folder each: a host finds an artefact's manifest beside it.
        let edges = ["a", "b"].map(|name| folder.join(name).join("edge.wasm"));
        for (overlay, edge) in overlays.iter().zip(&edges) {
            std::fs::create_dir_all(edge.parent().unwrap_or(folder))?;
            compose(&topology, overlay, edge)?;
        }
        let hello = folder.join("hello.wasm");
        let module = std::fs::read(hello_module)
            .with_context(|| format!("{}: `cargo xtask bench edge` builds it", hello_module.display()))?;
        std::fs::write(&hello, domicile_forge::componentise(&module)?)?;

        let mut mint = domicile();
        mint.args(["pin", "mint", "--class", "eu_only", "--topology"]).arg(&topology);
        let pin = process::capture(mint.arg("--key").arg(demo_file("keys/pin.jwk")))?;
        let mut shelves: Vec<Ask> = LOCALES
            .iter()
            .flat_map(|locale| SLOTS.map(|slot| Ask::get(format!("/v1/shelf/{locale}/{slot}"), "list")))
            .collect();
        Order::new(seed).shuffle(&mut shelves);
        let sealed = Ask::post(format!("/v1/sealed/{}/eu-a/de-DE/home", pin.trim()), "relayed");
        Ok(Self {
            folder: folder.to_owned(),
            cell,
            topology,
            overlays,
            edges,
            hello,
            shelves: shelves.into(),
            sealed: [sealed].into(),
            direct: [Ask::post("/gateway", "")].into(),
            greeting: [Ask::get("/", "")].into(),
        })
    }

    /// The edge that most is measured with.
    pub(super) fn edge(&self) -> &Path {
        &self.edges[0]
    }
}

fn domicile() -> Command {
    Command::new(paths::binary("domicile"))
}

fn sign(lists: &Value, out: &Path) -> anyhow::Result<()> {
    let unsigned = out.with_extension("payload");
    std::fs::write(&unsigned, serde_json::to_vec(lists)?)?;
    let mut sign = domicile();
    sign.args(["overlay", "sign", "--valid-days", VALID_DAYS, "--key"]).arg(demo_file("keys/overlay.jwk"));
    process::run(sign.arg("--out").arg(out).arg(&unsigned))
}

/// The same lists from their ends.
fn turned(mut overlay: Value) -> Value {
    for locale in overlay.get_mut("locales").and_then(Value::as_object_mut).into_iter().flatten() {
        for list in locale.1.get_mut("lists").and_then(Value::as_object_mut).into_iter().flatten() {
            if let Some(items) = list.1.as_array_mut() {
                items.reverse();
            }
        }
    }
    overlay
}
