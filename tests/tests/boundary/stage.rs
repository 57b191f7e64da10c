//! Where it is played: a cluster's cells and identity service, an edge of its own with a recorder before it and one
//! before each cell, and clients that know nothing of the recorders.

use std::collections::BTreeMap;
use std::path::PathBuf;
use std::process::Command;
use std::time::Duration;

use domicile_client::{Ask, Cells, Client, Grant, Network, Page, Seen};
use domicile_cluster::cluster::{compose, demo_file};
use domicile_cluster::{Server, paths, ports};
use domicile_envelope::SigningKey;
use domicile_tests::http::{self, Answer};
use domicile_tests::world::World;

use super::recorder::{Exchange, Recorder};

/// Longer than every clock of edge and cell together.
const PATIENCE: Duration = Duration::from_secs(10);
/// Where a free port for the edge's metrics is looked for.
const ADMIN_PORT: u16 = 8_290;
/// How long instances wait for another request, in milliseconds: past every section, since their memory is read.
const INSTANCE_IDLE_MS: &str = "600000";

/// Everything a section needs.
pub(crate) struct Stage {
    pub(crate) world: World,
    /// Before the edge.
    pub(crate) front: Recorder,
    /// Before each cell, by its name.
    pub(crate) cells: BTreeMap<String, Recorder>,
    edge: Server,
    admin: String,
    log: PathBuf,
    network: Network,
    runtime: tokio::runtime::Runtime,
}

/// A place in everything that is written down.
pub(crate) struct Mark {
    log: usize,
    metrics: BTreeMap<String, i64>,
    front: usize,
    cells: BTreeMap<String, usize>,
}

/// What was written down since a mark.
#[derive(Clone)]
pub(crate) struct Written {
    /// The edge's log, line by line, without named time fields.
    pub(crate) log: Vec<String>,
    /// By how much the edge's metrics went up, without named times.
    pub(crate) metrics: BTreeMap<String, i64>,
    /// Between client and edge.
    pub(crate) outer: Vec<Exchange>,
    /// Between edge and each cell.
    pub(crate) inner: BTreeMap<String, Vec<Exchange>>,
}

impl Stage {
    pub(crate) fn set() -> Self {
        let world = World::start().unwrap();
        let folder = world.cluster.setup().folder.clone();
        let mut topology = std::fs::read_to_string(world.cluster.topology()).unwrap();
        let mut cells = BTreeMap::new();
        for cell in &world.topology.cells {
            let recorder = Recorder::before(cell.authority.parse().unwrap());
            topology =
                topology.replace(&format!("\"{}\"", cell.authority), &format!("\"{}\"", recorder.address));
            cells.insert(cell.name.clone(), recorder);
        }
        let (file, artefact) = (folder.join("recorded.toml"), folder.join("recorded.wasm"));
        std::fs::write(&file, topology).unwrap();
        compose(&file, &folder.join("overlay.dsse.json"), &artefact).unwrap();

        let admin = format!("127.0.0.1:{}", ports::free(&[ADMIN_PORT]).unwrap()[0]);
        let log = folder.join("recorded.log");
        let mut edge = Command::new(paths::binary("domicile-edge"));
        // Nothing is stripped: what does not pass, the component does not let pass. One instance for everything.
        edge.args(["--listen", "127.0.0.1:0", "--log", "json", "--log-level", "debug", "--strip", "off"]);
        edge.args(["--lame-duck-ms", "0", "--reuse", "1000000", "--instance-idle-ms", INSTANCE_IDLE_MS]);
        edge.args(["--admin", &admin]).arg("--artefact").arg(&artefact);
        for recorder in cells.values() {
            edge.arg("--allow-outbound").arg(recorder.address.to_string());
        }
        let edge = Server::start("edge", &mut edge, &log).unwrap();
        let front = Recorder::before(edge.address.trim_start_matches("http://").parse().unwrap());
        let runtime = tokio::runtime::Runtime::new().unwrap();
        Self { world, front, cells, edge, admin, log, network: Network::new(), runtime }
    }

    /// The edge's process.
    pub(crate) fn process(&self) -> u32 {
        self.edge.id()
    }

    /// A page's client that has seen nothing yet.
    pub(crate) fn client(&self) -> Client<Network> {
        self.client_that_saw(Seen::default())
    }

    /// A page's client that has seen versions of manifests before.
    pub(crate) fn client_that_saw(&self, seen: Seen) -> Client<Network> {
        let root = secret("root").verifying_key();
        Client::new(&format!("http://{}", self.front.address), vec![root], seen, self.network.clone())
    }

    /// One call of a client's.
    pub(crate) fn call<T>(
        &self,
        client: &Client<Network>,
        grant: &Grant,
        (locale, slot): (&str, &str),
        call: impl AsyncFnOnce(Ask<'_>) -> T,
    ) -> T {
        let page = Page::new(locale, slot).unwrap();
        let deadline = client.deadline(PATIENCE);
        self.runtime.block_on(call(Ask { grant, page: &page, cells: Cells::Any, deadline }))
    }

    /// Sends anything to the edge.
    pub(crate) fn send(&self, method: &str, path: &str, headers: &[(&str, &str)], body: &[u8]) -> Answer {
        http::send(&self.front.address.to_string(), method, path, headers, body).unwrap()
    }

    /// The one sealed route for a shopper of a class at a cell.
    pub(crate) fn path(&self, class: &str, cell: &str, locale: &str, slot: &str) -> String {
        format!("/v1/sealed/{}/{cell}/{locale}/{slot}", self.world.pin(class, 0).unwrap())
    }

    /// Shoppers whose home is a cell, and of whom nobody knows anything.
    pub(crate) fn strangers(&self, class: &str, cell: &str) -> impl Iterator<Item = String> {
        let topology = &self.world.topology;
        let (class, cell) = (topology.class_named(class).unwrap().id, topology.cell_named(cell).unwrap().id);
        let names = (0..).map(|number| format!("stranger-{number}"));
        names.filter(move |name| topology.home_cell(class, name) == Some(cell))
    }

    /// The recorder before a cell.
    pub(crate) fn cell(&self, name: &str) -> &Recorder {
        &self.cells[name]
    }

    /// Everything the edge logged.
    pub(crate) fn log(&self) -> String {
        std::fs::read_to_string(&self.log).unwrap()
    }

    /// Everything a cell logged, and what it shows of itself.
    pub(crate) fn cell_says(&self, name: &str) -> String {
        let log = self.world.cluster.setup().folder.join(format!("{name}.log"));
        let admin = format!("127.0.0.1:{}", self.world.cluster.admin_port(name).unwrap());
        let page = |path| String::from_utf8(http::send(&admin, "GET", path, &[], &[]).unwrap().body).unwrap();
        [std::fs::read_to_string(log).unwrap(), page("/metrics"), page("/status")].concat()
    }

    /// The edge's metrics as they are.
    pub(crate) fn metrics(&self) -> String {
        let answer = http::send(&self.admin, "GET", "/metrics", &[], &[]).unwrap();
        String::from_utf8(answer.body).unwrap()
    }

    /// Notes how far everything is.
    pub(crate) fn mark(&self) -> Mark {
        Mark {
            log: self.log().lines().count(),
            metrics: counts(&self.metrics()),
            front: self.front.count(),
            cells: self.cells.iter().map(|(name, recorder)| (name.clone(), recorder.count())).collect(),
        }
    }

    /// What came since.
    pub(crate) fn since(&self, mark: &Mark) -> Written {
        let metrics = counts(&self.metrics());
        let before = |name: &str| mark.metrics.get(name).copied().unwrap_or_default();
        Written {
            log: self.log().lines().skip(mark.log).map(untimed).collect(),
            metrics: metrics.into_iter().map(|(name, now)| (name.clone(), now - before(&name))).collect(),
            outer: self.front.since(mark.front),
            inner: self.cells.iter().map(|(cell, r)| (cell.clone(), r.since(mark.cells[cell]))).collect(),
        }
    }
}

/// A demo key's secret half.
pub(crate) fn secret(name: &str) -> SigningKey {
    SigningKey::from_jwk(&std::fs::read_to_string(demo_file(&format!("keys/{name}.jwk"))).unwrap()).unwrap()
}

/// A log line without its time fields, `timestamp` and `micros`; every other byte is as it was written.
pub(crate) fn untimed(line: &str) -> String {
    ["\"timestamp\":\"", "\"micros\":\""].iter().fold(line.to_owned(), |line, name| {
        match line.split_once(name) {
            Some((before, after)) => format!("{before}{name}{}", after.trim_start_matches(|c| c != '"')),
            None => line,
        }
    })
}

/// The samples of a metrics page but for named times: how long requests and calls took (buckets and sums of
/// `*_seconds`; how many there were stays), the seconds left of lists and pins; and `connections`, which counts the
/// connection that asks.
fn counts(page: &str) -> BTreeMap<String, i64> {
    let samples = page.lines().filter(|line| !line.starts_with('#')).filter_map(|line| line.rsplit_once(' '));
    let timed = |name: &str| {
        ["_seconds_bucket", "_seconds_sum", "_seconds_left", "_edge_connections"]
            .iter()
            .any(|part| name.split('{').next().unwrap_or_default().ends_with(part))
    };
    let kept = samples.filter(|(name, _)| !timed(name));
    kept.map(|(name, value)| (name.to_owned(), value.parse().unwrap())).collect()
}
