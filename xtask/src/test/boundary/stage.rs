//! What a scenario plays on: an artefact in a host, and the capture server behind it.

use std::net::{SocketAddr, TcpStream};
use std::os::unix::process::CommandExt as _;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::time::Duration;

use anyhow::Context as _;

use domicile_cluster::{Server, cluster, paths, ports, process, report};

use super::caller::ask;
use super::cell::Cell;
use crate::fetch;

/// Where hosts are looked for a free port from.
const PORTS: [u16; 2] = [8_180, 8_190];
/// Our host's limit for a whole answer, in milliseconds: short, since a dripping cell is waited out.
const REQUEST_TIMEOUT_MS: &str = "3000";
/// How long our host's instances wait for another request, in milliseconds: past every scenario, since their linear
/// memory is read while they wait.
const INSTANCE_IDLE_MS: &str = "600000";

/// Which host runs the artefact.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Host {
    /// `domicile-edge --strip off`.
    Ours,
    /// `wasmtime serve`.
    WasmtimeServe,
}

impl Host {
    pub(super) const fn name(self) -> &'static str {
        match self {
            Self::Ours => "our host",
            Self::WasmtimeServe => "wasmtime serve",
        }
    }
}

/// Everything a scenario needs.
pub(super) struct Stage {
    pub(super) host: Host,
    pub(super) cell: Cell,
    /// Where the edge listens.
    pub(super) edge: SocketAddr,
    /// Where our host shows its metrics.
    pub(super) admin: Option<SocketAddr>,
    /// The sealed route to the capture server.
    pub(super) route: String,
    log: PathBuf,
    running: Running,
}

enum Running {
    Ours(Server),
    Wasmtime(Child),
}

impl Stage {
    pub(super) fn set(host: Host) -> anyhow::Result<Self> {
        Self::with(host, Cell::start()?, "edge")
    }

    /// The same with nobody where the cell should be.
    pub(super) fn without_a_cell(host: Host) -> anyhow::Result<Self> {
        Self::with(host, Cell::nobody()?, "alone")
    }

    fn with(host: Host, cell: Cell, name: &str) -> anyhow::Result<Self> {
        let folder = paths::target().join("boundary").join(host.name().replace(' ', "-")).join(name);
        std::fs::create_dir_all(&folder).with_context(|| format!("cannot make {}", folder.display()))?;
        let (topology, artefact) = (folder.join("topology.toml"), folder.join("edge.wasm"));
        cluster::write_topology(&topology, &[cell.address.port()])?;
        cluster::compose(&topology, &paths::root().join("lists/overlay.dsse.json"), &artefact)?;
        let mut mint = Command::new(paths::binary("domicile"));
        mint.args(["pin", "mint", "--class", "eu_only", "--topology"]).arg(&topology);
        let pin = process::capture(mint.arg("--key").arg(cluster::demo_file("keys/pin.jwk")))?;
        let route = format!("/v1/sealed/{}/eu-a/de-DE/home", pin.trim());

        let [port, admin] = ports::free(&PORTS)?.try_into().map_err(|_| anyhow::anyhow!("no ports"))?;
        let (edge, admin) =
            (SocketAddr::from(([127, 0, 0, 1], port)), SocketAddr::from(([127, 0, 0, 1], admin)));
        let log = folder.join("host.log");
        let (running, admin) = match host {
            Host::Ours => (ours(&artefact, edge, admin, cell.address, &log)?, Some(admin)),
            Host::WasmtimeServe => (wasmtime(&artefact, edge, &log)?, None),
        };
        Ok(Self { host, cell, edge, admin, route, log, running })
    }

    /// The process of our host.
    pub(super) fn process(&self) -> Option<u32> {
        match &self.running {
            Running::Ours(server) => Some(server.id()),
            Running::Wasmtime(_) => None,
        }
    }

    /// What a metric of our host without labels says.
    pub(super) fn metric(&self, name: &str) -> anyhow::Result<u64> {
        let admin = self.admin.context("this host has no metrics")?;
        let metrics = ask(admin, "GET", "/metrics", "", "")?.text();
        let value = metrics.lines().find_map(|line| line.strip_prefix(name)?.strip_prefix(' '));
        value
            .with_context(|| format!("no metric {name}"))?
            .parse()
            .with_context(|| format!("{name}: no count"))
    }

    /// Everything that the host has written.
    pub(super) fn said(&self) -> anyhow::Result<Vec<u8>> {
        std::fs::read(&self.log).with_context(|| format!("cannot read {}", self.log.display()))
    }
}

fn ours(
    artefact: &Path,
    edge: SocketAddr,
    admin: SocketAddr,
    cell: SocketAddr,
    log: &Path,
) -> anyhow::Result<Running> {
    let mut command = Command::new(paths::binary("domicile-edge"));
    command.args([
        "--strip",
        "off",
        "--keep-shelves",
        "off",
        "--log-level",
        "debug",
        "--request-timeout-ms",
        REQUEST_TIMEOUT_MS,
        "--instance-idle-ms",
        INSTANCE_IDLE_MS,
        "--lame-duck-ms",
        "0",
    ]);
    command.arg("--artefact").arg(artefact).arg("--listen").arg(edge.to_string());
    command.arg("--admin").arg(admin.to_string()).arg("--allow-outbound").arg(cell.to_string());
    Ok(Running::Ours(Server::start("edge", &mut command, log)?))
}

fn wasmtime(artefact: &Path, edge: SocketAddr, log: &Path) -> anyhow::Result<Running> {
    let file = std::fs::File::create(log).with_context(|| format!("cannot write {}", log.display()))?;
    let child = Command::new(fetch::wasmtime()?)
        .args(["serve", "-Sp3", "-W", "component-model-async", "--addr"])
        .arg(edge.to_string())
        .arg(artefact)
        .stdin(Stdio::null())
        .stdout(file.try_clone()?)
        .stderr(file)
        .process_group(0)
        .spawn()
        .context("cannot start wasmtime serve")?;
    let mut running = Running::Wasmtime(child);
    let started = report::now();
    while TcpStream::connect(edge).is_err() {
        if let Running::Wasmtime(child) = &mut running {
            anyhow::ensure!(
                child.try_wait()?.is_none(),
                "wasmtime serve ended by itself; see {}",
                log.display()
            );
        }
        anyhow::ensure!(started.elapsed() < Duration::from_secs(30), "wasmtime serve does not listen");
        std::thread::sleep(Duration::from_millis(20));
    }
    Ok(running)
}

impl Drop for Running {
    fn drop(&mut self) {
        if let Self::Wasmtime(child) = self {
            let _ = child.kill();
            let _ = child.wait();
        }
    }
}
