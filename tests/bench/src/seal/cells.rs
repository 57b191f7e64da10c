//! Two cells of the same data: one takes sealed requests, the other the plain ones of cells without sealing keys.

use std::fs;
use std::net::SocketAddr;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::Duration;

use anyhow::Context as _;

use domicile_cluster::cluster::demo_file;
use domicile_cluster::report::say;
use domicile_cluster::{Server, paths, process};
use domicile_topology::Topology;

use super::Options;
use super::requests::Requests;

/// The cell both are; what a shopper's home is does not matter here.
const CELL: &str = "eu-a";
/// Ticks in a second in `/proc/PID/stat` (`USER_HZ`, 100 on every Linux there is).
const TICKS: f64 = 100.0;

/// Both cells and what can be asked of them.
pub(super) struct Cells {
    pub(super) sealed: Running,
    pub(super) plain: Running,
    pub(super) requests: Requests,
}

/// One of them; it stops when dropped.
pub(super) struct Running {
    server: Server,
    pub(super) address: SocketAddr,
}

impl Running {
    /// Processor time it took so far, all threads together.
    pub(super) fn processor(&self) -> anyhow::Result<Duration> {
        let stat =
            fs::read_to_string(format!("/proc/{}/stat", self.server.id())).context("the cell ended")?;
        // After the name in brackets, which may hold anything: utime and stime are fields 14 and 15.
        let after = stat.rsplit_once(')').map_or("", |(_, after)| after);
        let ticks: f64 =
            after.split_whitespace().skip(11).take(2).filter_map(|field| field.parse::<f64>().ok()).sum();
        Ok(Duration::from_secs_f64(ticks / TICKS))
    }
}

impl Cells {
    pub(super) fn start(options: &Options) -> anyhow::Result<Self> {
        let folder = options.folder.join("seal");
        fs::create_dir_all(&folder).with_context(|| format!("cannot make {}", folder.display()))?;
        let configuration = folder.join("sealed.toml");
        fs::write(&configuration, sealing(&folder))?;
        let sealed = start(options, &folder, "sealed", Some(&configuration))?;
        let plain = start(options, &folder, "plain", None)?;
        let text = fs::read_to_string(demo_file("topology.toml"))?;
        let topology = Topology::parse(&text).context("the demo's topology")?;
        let requests = Requests::new(topology, CELL, &options.assignments, options.seed)?;
        Ok(Self { sealed, plain, requests })
    }
}

/// The sections without which nothing sealed is taken.
fn sealing(folder: &Path) -> String {
    let path = |path: PathBuf| path.display().to_string();
    let (keys, signing) = (path(folder.join("keys")), path(demo_file(&format!("keys/cell-{CELL}.jwk"))));
    let tokens = path(demo_file("keys/token-keys.json"));
    // A window as long as the bench: requests are sealed before they are sent.
    format!(
        "version = 1\n[limits]\nin_flight = 64\n[seal]\nkey_dir = {keys:?}\nsigning_key = {signing:?}\ndate_window_s = 600\n\
         [tokens]\nkeys = {tokens:?}\n"
    )
}

fn start(
    options: &Options,
    folder: &Path,
    name: &str,
    configuration: Option<&Path>,
) -> anyhow::Result<Running> {
    let store = folder.join(name);
    let _ = fs::remove_dir_all(&store);
    fs::create_dir_all(&store).with_context(|| format!("cannot make {}", store.display()))?;
    let topology = demo_file("topology.toml");
    let program = || Command::new(paths::binary("domicile-cell"));
    say(format!("loading the {name} cell's shoppers"));
    let mut import = program();
    import.args(["import", "--shift-to-now", "--cell", CELL, "--topology"]).arg(&topology);
    import.arg("--history").arg(&options.history).arg("--assignments").arg(&options.assignments);
    process::run_quietly(import.arg("--store").arg(&store))?;
    let mut serve = program();
    serve.args(["serve", "--cell", CELL, "--listen", "127.0.0.1:0", "--admin", "127.0.0.1:0", "--topology"]);
    serve.arg(&topology).arg("--snapshot").arg(paths::root().join("models/demo")).arg("--store").arg(&store);
    serve.arg("--overlay").arg(paths::root().join("lists/overlay.dsse.json"));
    serve.arg("--onnxruntime").arg(&options.onnxruntime);
    if let Some(configuration) = configuration {
        serve.arg("--config").arg(configuration);
    }
    let server = Server::start(name, &mut serve, &folder.join(format!("{name}.log")))?;
    let address = server.address.trim_start_matches("http://").parse().context("no address")?;
    Ok(Running { server, address })
}
