//! A cluster with a slice of the demo's households.

use std::collections::BTreeSet;
use std::fmt::Write as _;
use std::path::{Path, PathBuf};

use anyhow::Context as _;
use domicile_client::{Client, Network, Seen};
use domicile_cluster::cluster::demo_file;
use domicile_cluster::{Clocks, Cluster, Setup, paths};
use domicile_envelope::{SigningKey, VerifyingKey};
use domicile_pin::{Epoch, Pin};
use domicile_topology::Topology;

/// Households in the slice.
const HOUSEHOLDS: usize = 120;

/// A running cluster, its topology, and who lives where.
pub struct World {
    /// The servers.
    pub cluster: Cluster,
    /// What they run.
    pub topology: Topology,
    /// The demo's pin key.
    pub pin_key: SigningKey,
    /// A client that trusts the demo's root key, and what it asks with.
    pub client: Client<Network>,
    pub(crate) network: Network,
    pub(crate) runtime: tokio::runtime::Runtime,
    /// `(shopper, locale)`.
    pub shoppers: Vec<(String, String)>,
    // Removed last, after the servers that use it have stopped.
    _folder: tempfile::TempDir,
}

impl World {
    /// Starts a cluster in a temporary folder.
    ///
    /// # Errors
    /// When something is missing (it says what and which command makes it) or a server does not start.
    pub fn start() -> anyhow::Result<Self> {
        let folder = tempfile::tempdir()?;
        let onnx_runtime = std::env::var_os("ORT_DYLIB_PATH")
            .context("ORT_DYLIB_PATH is not set: run these tests through `cargo xtask test`")?;
        let data = paths::target().join("demo-data");
        let Slice { history, assignments, shoppers } = slice(&data, folder.path())?;
        let setup = Setup {
            folder: folder.path().join("cluster"),
            onnx_runtime: onnx_runtime.into(),
            history,
            assignments,
            clocks: Clocks::Patient,
            pages: None,
        };
        let cluster = Cluster::start(setup)?;
        let topology = Topology::parse(&std::fs::read_to_string(cluster.topology())?)?;
        let pin_key = SigningKey::from_jwk(&std::fs::read_to_string(demo_file("keys/pin.jwk"))?)?;
        let root = VerifyingKey::from_jwk(&std::fs::read_to_string(demo_file("keys/root.jwk"))?)?;
        let (network, runtime) = (Network::new(), tokio::runtime::Runtime::new()?);
        let client = Client::new(cluster.edge_url(), vec![root], Seen::default(), network.clone());
        Ok(Self { cluster, topology, pin_key, client, network, runtime, shoppers, _folder: folder })
    }

    /// `host:port` of the edge.
    pub fn edge(&self) -> &str {
        self.cluster.edge_url().trim_start_matches("http://")
    }

    /// `host:port` of a cell's sealed listener.
    ///
    /// # Errors
    /// When there is no such cell.
    pub fn cell(&self, name: &str) -> anyhow::Result<String> {
        Ok(format!("127.0.0.1:{}", self.cluster.cell_port(name).context("no such cell")?))
    }

    /// A class's pin, so many epochs from now.
    ///
    /// # Errors
    /// When there is no such class.
    pub fn pin(&self, class: &str, epochs: i64) -> anyhow::Result<String> {
        let class = self.topology.class_named(class).context("no such class")?;
        let now = self.topology.pin.at(u32::try_from(domicile_cluster::report::unix_seconds() / 60)?);
        let epoch = Epoch(u32::try_from(i64::from(now.0) + epochs)?);
        Ok(Pin::mint(class.id.0, epoch, &self.pin_key).to_string())
    }

    /// A shopper of `locale` whose home is `cell`.
    ///
    /// # Errors
    /// When the slice has none.
    pub fn shopper(&self, locale: &str, cell: &str) -> anyhow::Result<&str> {
        let class = self.topology.locale_named(locale).context("no such locale")?.class;
        let cell = self.topology.cell_named(cell).context("no such cell")?.id;
        self.shoppers
            .iter()
            .find(|(s, l)| l == locale && self.topology.home_cell(class, s) == Some(cell))
            .map(|(s, _)| s.as_str())
            .context("the slice has no such shopper")
    }
}

/// Some households: their history and assignment as files, and who lives where.
struct Slice {
    history: PathBuf,
    assignments: PathBuf,
    shoppers: Vec<(String, String)>,
}

/// The first households, as files below `folder`.
fn slice(data: &Path, folder: &Path) -> anyhow::Result<Slice> {
    let read = |name: &str| {
        std::fs::read_to_string(data.join(name))
            .with_context(|| format!("{name} is missing: `cargo xtask test` fetches it"))
    };
    let shoppers: Vec<(String, String)> = read("assignments.csv")?
        .lines()
        .skip(1)
        .take(HOUSEHOLDS)
        .filter_map(|line| line.split_once(','))
        .map(|(shopper, locale)| (shopper.to_owned(), locale.to_owned()))
        .collect();
    let wanted: BTreeSet<&str> = shoppers.iter().map(|(s, _)| s.as_str()).collect();
    let all = read("history.csv")?;
    let mut history = String::new();
    for (at, line) in all.lines().enumerate() {
        if at == 0 || line.split_once(',').is_some_and(|(s, _)| wanted.contains(s)) {
            history.push_str(line);
            history.push('\n');
        }
    }
    let mut assignments = "shopper,locale\n".to_owned();
    for (shopper, locale) in &shoppers {
        let _ = writeln!(assignments, "{shopper},{locale}");
    }
    let (history_file, assignments_file) = (folder.join("history.csv"), folder.join("assignments.csv"));
    std::fs::write(&history_file, history)?;
    std::fs::write(&assignments_file, assignments)?;
    Ok(Slice { history: history_file, assignments: assignments_file, shoppers })
}
