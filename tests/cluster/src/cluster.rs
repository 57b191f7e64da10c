//! A cluster: the demo topology's cells, an edge, the identity service and maybe the shop, each a process, with their
//! files below one folder.

use std::fmt::Write as _;
use std::hash::{Hash as _, Hasher as _};
use std::path::{Path, PathBuf};
use std::process::Command;

use anyhow::Context as _;

use crate::cells::Cells;
use crate::process::{self, Server};
use crate::report::{self, say};
use crate::shop::{self, CellState, Shop, Wish};
use crate::{paths, ports, secrets};

/// The demo's cells with the ports that `deploy/demo/topology.toml` gives them.
pub const CELLS: [(&str, u16); 3] = [("eu-a", 7_101), ("eu-b", 7_102), ("us-a", 7_103)];
/// Where the demo's edge listens, if nobody else does.
pub const EDGE_PORT: u16 = 8_080;
/// The cells' admin ports begin here.
const ADMIN_PORT: u16 = 7_201;
/// Where the identity service listens, if nobody else does.
const IDENTITY_PORT: u16 = 7_300;
const SECONDS_A_DAY: u64 = 86_400;

/// What a cluster is started from.
#[derive(Clone, Debug)]
pub struct Setup {
    /// Everything that the cluster writes goes below this folder.
    pub folder: PathBuf,
    /// The ONNX Runtime library.
    pub onnx_runtime: PathBuf,
    /// `shopper,item,kind,time_s`.
    pub history: PathBuf,
    /// `shopper,locale`.
    pub assignments: PathBuf,
    /// How much time the cells have.
    pub clocks: Clocks,
    /// The built pages of the demo's shop; without them there is no shop.
    pub pages: Option<PathBuf>,
}

/// How much time a cluster's cells have for an answer.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Clocks {
    /// What the demo topology and a cell's defaults say.
    Committed,
    /// Several times that: for tests of what is answered, which must not depend on how busy the machine is.
    Patient,
}

/// The budget that a patient cell's stages fit into.
const PATIENT_BUDGET_MS: u32 = 345;

/// Running servers. Dropping it stops them, shop and edge first.
pub struct Cluster {
    setup: Setup,
    shop: Option<Shop>,
    edge: Server,
    identity: Server,
    cells: Cells,
    cell_ports: Vec<u16>,
    admin_ports: Vec<u16>,
}

/// A file of the demo's.
pub fn demo_file(name: &str) -> PathBuf {
    paths::root().join("deploy/demo").join(name)
}

/// Puts an edge artefact together from core modules that are there: no compiler.
///
/// # Errors
/// When `domicile edge build` fails; it says why on standard error.
pub fn compose(topology: &Path, overlay: &Path, out: &Path) -> anyhow::Result<()> {
    compose_of(&paths::target().join("edge/modules"), topology, overlay, out)
}

/// The same of other modules than the built ones. The signed topology and its route manifests are left beside the
/// artefact.
///
/// # Errors
/// When `domicile edge build` fails; it says why on standard error.
pub fn compose_of(modules: &Path, topology: &Path, overlay: &Path, out: &Path) -> anyhow::Result<()> {
    let domicile = || Command::new(paths::binary("domicile"));
    let signed = out.with_extension("topology.dsse.json");
    let (root, routes) = (demo_file("keys/root.jwk"), out.with_extension("routes"));
    let mut sign = domicile();
    sign.args(["topology", "sign", "--key"]).arg(&root).arg("--out").arg(&signed);
    sign.arg("--routes").arg(&routes);
    process::run(sign.arg(topology))?;
    let mut build = domicile();
    build.args(["edge", "build", "--modules"]).arg(modules);
    build.arg("--topology").arg(signed).arg("--routes").arg(routes).arg("--root-key").arg(root);
    build.arg("--overlay").arg(overlay);
    build.arg("--snapshot").arg(paths::root().join("models/demo/manifest.dsse.json"));
    build.arg("--pin-key").arg(demo_file("keys/pin.jwk"));
    build.arg("--sign-key").arg(demo_file("keys/edge.jwk"));
    process::run(build.arg("--out").arg(out).stdout(std::process::Stdio::null()))
}

/// The committed topology with other ports for its cells.
///
/// # Errors
/// When it cannot be read or written.
pub fn write_topology(path: &Path, cell_ports: &[u16]) -> anyhow::Result<()> {
    let committed = demo_file("topology.toml");
    let mut text = std::fs::read_to_string(&committed)
        .with_context(|| format!("cannot read {}", committed.display()))?;
    for (&(_, wanted), port) in CELLS.iter().zip(cell_ports) {
        // In brackets first, so that a port taken for one cell is not replaced again for the next.
        text = text.replace(&format!("127.0.0.1:{wanted}\""), &format!("127.0.0.1:<{port}>\""));
    }
    let text = text.replace(":<", ":").replace(">\"", "\"");
    std::fs::write(path, text).with_context(|| format!("cannot write {}", path.display()))
}

impl Cluster {
    /// Starts everything.
    ///
    /// # Errors
    /// With the last line that the failing program said.
    pub fn start(setup: Setup) -> anyhow::Result<Self> {
        let folder = &setup.folder;
        std::fs::create_dir_all(folder).with_context(|| format!("cannot make {}", folder.display()))?;
        end_leftovers(folder);
        let cell_ports = ports::free(&CELLS.map(|(_, port)| port))?;
        let admin_ports = ports::free(&CELLS.map(|_| ADMIN_PORT))?;
        let identity_port =
            ports::free(&[IDENTITY_PORT])?.first().copied().context("no port for identity")?;
        let edge_port = ports::free(&[EDGE_PORT])?.first().copied().context("no port for the edge")?;
        write_topology(&folder.join("topology.toml"), &cell_ports)?;
        if setup.clocks == Clocks::Patient {
            be_patient(folder)?;
        }
        fresh_overlay(&folder.join("overlay.dsse.json"))?;
        compose(&folder.join("topology.toml"), &folder.join("overlay.dsse.json"), &folder.join("edge.wasm"))?;
        for (name, _) in CELLS {
            import(&setup, name)?;
        }
        let shop_ports = setup.pages.as_ref().map(|_| shop::Ports::find()).transpose()?;
        let edge = start_edge(folder, edge_port, &cell_ports)?;
        let identity = start_identity(folder, identity_port, shop_ports)?;
        let cells = Cells::new(&CELLS.map(|(name, _)| name));
        let mut cluster = Self { setup, shop: None, edge, identity, cells, cell_ports, admin_ports };
        for (name, _) in CELLS {
            cluster.start_cell(name)?;
        }
        if let Some(ports) = shop_ports {
            cluster.start_shop(ports)?;
        }
        Ok(cluster)
    }

    fn start_shop(&mut self, ports: shop::Ports) -> anyhow::Result<()> {
        let pages = self.setup.pages.as_ref().context("no pages for the shop")?;
        let (edge, identity) = (self.edge_url(), self.identity_url());
        let (topology, assignments) = (&self.topology(), &self.setup.assignments);
        let about = shop::About { pages, edge, identity, topology, assignments };
        self.shop = Some(Shop::start(ports, &about, &self.setup.folder.join("shop.log"))?);
        for (name, _) in CELLS {
            self.tell(name, CellState::Running);
        }
        self.record();
        Ok(())
    }

    /// The shop's URL; none where the cluster has no shop.
    pub fn shop_url(&self) -> Option<&str> {
        self.shop.as_ref().map(|shop| shop.server.address.as_str())
    }

    /// Does what the shop's page wished for. A cell that does not start stays stopped, and the reason is said.
    pub fn grant_wishes(&mut self) {
        while let Some((wish, cell)) = self.shop.as_ref().and_then(Shop::wish) {
            say(format!("the shop's page asks: {} {cell}", wish.as_str()));
            match wish {
                Wish::Stop => self.stop_cell(&cell),
                Wish::Slow => self.slow_cell(&cell),
                Wish::Start => {
                    if let Err(error) = self.start_cell(&cell) {
                        say(format!("{error:#}"));
                    }
                }
            }
        }
    }

    /// The edge's URL.
    pub fn edge_url(&self) -> &str {
        &self.edge.address
    }

    /// The identity service's URL.
    pub fn identity_url(&self) -> &str {
        &self.identity.address
    }

    /// The topology the servers run.
    pub fn topology(&self) -> PathBuf {
        self.setup.folder.join("topology.toml")
    }

    /// What the cluster was started from.
    pub fn setup(&self) -> &Setup {
        &self.setup
    }

    /// The port of a cell's sealed listener.
    pub fn cell_port(&self, name: &str) -> Option<u16> {
        CELLS.iter().position(|(cell, _)| *cell == name).and_then(|at| self.cell_ports.get(at)).copied()
    }

    /// The port of a cell's admin listener.
    pub fn admin_port(&self, name: &str) -> Option<u16> {
        CELLS.iter().position(|(cell, _)| *cell == name).and_then(|at| self.admin_ports.get(at)).copied()
    }

    /// Stops a cell and waits for its end.
    pub fn stop_cell(&mut self, name: &str) {
        self.cells.stop(name);
        self.record();
        self.tell(name, CellState::Stopped);
    }

    /// Has a running cell stand still most of the time, until it is stopped or started.
    pub fn slow_cell(&mut self, name: &str) {
        if self.cells.runs(name) {
            self.cells.slow(name);
            self.tell(name, CellState::Slow);
        }
    }

    /// Starts a cell that is not running; a slow one runs as before.
    ///
    /// # Errors
    /// With the last line that it said.
    pub fn start_cell(&mut self, name: &str) -> anyhow::Result<()> {
        if self.cells.runs(name) {
            self.cells.quicken(name);
            self.tell(name, CellState::Running);
            return Ok(());
        }
        self.tell(name, CellState::Starting);
        let started = self.spawn_cell(name);
        let state = if started.is_ok() { CellState::Running } else { CellState::Stopped };
        self.cells.put(name, started?);
        self.record();
        self.tell(name, state);
        Ok(())
    }

    fn spawn_cell(&self, name: &str) -> anyhow::Result<Server> {
        let at =
            CELLS.iter().position(|(cell, _)| *cell == name).with_context(|| format!("no cell {name:?}"))?;
        let (port, admin) = self.cell_ports.get(at).zip(self.admin_ports.get(at)).context("no port")?;
        let folder = &self.setup.folder;
        let mut command = Command::new(paths::binary("domicile-cell"));
        command.args(["serve", "--cell", name, "--listen"]).arg(format!("127.0.0.1:{port}"));
        command.arg("--admin").arg(format!("127.0.0.1:{admin}")).arg("--topology").arg(self.topology());
        command.arg("--snapshot").arg(paths::root().join("models/demo"));
        command
            .arg("--overlay")
            .arg(folder.join("overlay.dsse.json"))
            .arg("--store")
            .arg(store(folder, name));
        command.arg("--onnxruntime").arg(&self.setup.onnx_runtime);
        command.arg("--config").arg(secrets::cell_config(folder, name, self.setup.clocks)?);
        Server::start(name, &mut command, &folder.join(format!("{name}.log")))
    }

    /// An error when a server ended by itself.
    ///
    /// # Errors
    /// Names the server and its log.
    pub fn check_alive(&mut self) -> anyhow::Result<()> {
        let folder = self.setup.folder.display();
        anyhow::ensure!(!self.edge.ended(), "the edge ended by itself; its log is {folder}/edge.log");
        let identity = self.identity.ended();
        anyhow::ensure!(!identity, "the identity service ended by itself; its log is {folder}/identity.log");
        if let Some(name) = self.cells.ended() {
            anyhow::bail!("cell {name} ended by itself; its log is {folder}/{name}.log");
        }
        let shop = self.shop.as_mut().is_some_and(|shop| shop.server.ended());
        anyhow::ensure!(!shop, "the shop ended by itself; its log is {folder}/shop.log");
        Ok(())
    }

    fn tell(&mut self, cell: &str, state: CellState) {
        if let Some(shop) = &mut self.shop {
            shop.tell(cell, state);
        }
    }

    /// Writes down which processes run, for [`end_leftovers`].
    fn record(&self) {
        let mut pids = String::new();
        let shop = self.shop.as_ref().map(|shop| shop.server.id());
        for id in self.cells.ids().chain([self.edge.id(), self.identity.id()]).chain(shop) {
            let _ = writeln!(pids, "{id}");
        }
        let _ = std::fs::write(self.setup.folder.join("pids"), pids);
    }
}

/// The process ids of servers that run with files of `folder`.
pub fn running(folder: &Path) -> Vec<u32> {
    let folder = folder.display().to_string();
    let processes = std::fs::read_dir("/proc").into_iter().flatten().flatten();
    processes
        .filter_map(|entry| entry.file_name().to_string_lossy().parse::<u32>().ok())
        .filter(|&pid| is_ours(pid, &folder))
        .collect()
}

fn is_ours(pid: u32, folder: &str) -> bool {
    let command = std::fs::read_to_string(format!("/proc/{pid}/cmdline")).unwrap_or_default();
    let program = command.split('\0').next().and_then(|program| Path::new(program).file_name());
    program.is_some_and(|name| name.to_string_lossy().starts_with("domicile")) && command.contains(folder)
}

/// Ends servers of an earlier run that was killed before it could stop them.
fn end_leftovers(folder: &Path) {
    let recorded = std::fs::read_to_string(folder.join("pids")).unwrap_or_default();
    let _ = std::fs::remove_file(folder.join("pids"));
    for pid in recorded.lines().filter_map(|line| line.parse::<u32>().ok()) {
        // A process id is soon another program's: it has to be one of ours, with files of this folder.
        if is_ours(pid, &folder.display().to_string()) {
            say(format!("ending process {pid} of an earlier run"));
            process::signal("TERM", pid);
            // A slow cell may have been left standing still.
            process::signal("CONT", pid);
            process::wait_for_end(pid);
        }
    }
}

fn start_edge(folder: &Path, port: u16, cell_ports: &[u16]) -> anyhow::Result<Server> {
    let mut command = Command::new(paths::binary("domicile-edge"));
    command.arg("--artefact").arg(folder.join("edge.wasm")).arg("--listen").arg(format!("127.0.0.1:{port}"));
    for port in cell_ports {
        command.arg("--allow-outbound").arg(format!("127.0.0.1:{port}"));
    }
    Server::start("edge", &mut command, &folder.join("edge.log"))
}

fn start_identity(folder: &Path, port: u16, shop: Option<shop::Ports>) -> anyhow::Result<Server> {
    let mut command = Command::new(paths::binary("domicile"));
    command.args(["identity", "--listen"]).arg(format!("127.0.0.1:{port}"));
    command.arg("--topology").arg(folder.join("topology.toml"));
    command.arg("--pin-key").arg(demo_file("keys/pin.jwk"));
    command.arg("--token-key").arg(demo_file("keys/token.jwk"));
    if let Some(ports) = shop {
        command.arg("--allow-origin").arg(ports.origin());
    }
    Server::start("identity", &mut command, &folder.join("identity.log"))
}

/// Gives a cluster's cells more time than the committed files do.
fn be_patient(folder: &Path) -> anyhow::Result<()> {
    let file = folder.join("topology.toml");
    let text = std::fs::read_to_string(&file).with_context(|| format!("cannot read {}", file.display()))?;
    let (from, to) = ("cell_budget_ms = 120", format!("cell_budget_ms = {PATIENT_BUDGET_MS}"));
    anyhow::ensure!(text.contains(from), "{} does not say {from:?}", file.display());
    std::fs::write(&file, text.replace(from, &to)).with_context(|| format!("cannot write {}", file.display()))
}

/// Signs the committed overlay anew, so that its lists do not expire under a demo.
fn fresh_overlay(out: &Path) -> anyhow::Result<()> {
    let domicile = || Command::new(paths::binary("domicile"));
    let committed = paths::root().join("lists/overlay.dsse.json");
    let payload = process::capture(domicile().args(["overlay", "show"]).arg(committed))?;
    let unsigned = out.with_extension("payload");
    std::fs::write(&unsigned, payload).with_context(|| format!("cannot write {}", unsigned.display()))?;
    let mut sign = domicile();
    sign.args(["overlay", "sign", "--valid-days", "30", "--key"]).arg(demo_file("keys/overlay.jwk"));
    process::run(sign.arg("--out").arg(out).arg(&unsigned))
}

fn store(folder: &Path, cell: &str) -> PathBuf {
    folder.join("stores").join(cell)
}

/// What an import depends on: whose home is where, whose history, and the day, since an import moves histories to now
/// and calls them fresh.
fn fingerprint(setup: &Setup) -> anyhow::Result<String> {
    let mut hasher = std::hash::DefaultHasher::new();
    for file in [&setup.folder.join("topology.toml"), &setup.assignments, &setup.history] {
        std::fs::read(file).with_context(|| format!("cannot read {}", file.display()))?.hash(&mut hasher);
    }
    (report::unix_seconds() / SECONDS_A_DAY).hash(&mut hasher);
    Ok(format!("{:016x}", hasher.finish()))
}

/// Loads the shoppers whose home this cell is, once: later starts find the store.
fn import(setup: &Setup, cell: &str) -> anyhow::Result<()> {
    let (store, stamp) =
        (store(&setup.folder, cell), setup.folder.join("stores").join(format!("{cell}.imported")));
    let made_from = fingerprint(setup)?;
    if store.is_dir() && std::fs::read_to_string(&stamp).is_ok_and(|stamped| stamped == made_from) {
        return Ok(());
    }
    let _ = std::fs::remove_file(&stamp);
    let _ = std::fs::remove_dir_all(&store);
    std::fs::create_dir_all(&store).with_context(|| format!("cannot make {}", store.display()))?;
    say(format!("loading the history of the shoppers whose home is {cell}"));
    let mut import = Command::new(paths::binary("domicile-cell"));
    import
        .args(["import", "--shift-to-now", "--cell", cell, "--topology"])
        .arg(setup.folder.join("topology.toml"));
    import.arg("--history").arg(&setup.history).arg("--assignments").arg(&setup.assignments);
    process::run(import.arg("--store").arg(&store))?;
    std::fs::write(&stamp, made_from).with_context(|| format!("cannot write {}", stamp.display()))
}
