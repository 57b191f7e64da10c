//! `domicile-cell serve`: load everything, listen, answer, drain, stop.

use std::io::Write as _;
use std::net::SocketAddr;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;

use axum::Router;
use domicile_envelope::VerifyingKey;
use domicile_topology::{KeyUse, Topology};
use tokio::net::TcpListener;
use tokio::sync::watch;
use tokio_rustls::rustls::ServerConfig;

use crate::cell::{Cell, Parts, Reach};
use crate::clock::Clock;
use crate::config::{self, Config};
use crate::failure::{Exit, Failure, read_text};
use crate::features::embedded::EmbeddedStore;
use crate::gateway::Gateway;
use crate::listen::{Connections, Terms};
use crate::ranker::Ranker;
use crate::ranker::runtime::Runtime;
use crate::retrieval::CandidateIndex;
use crate::retrieval::exact::Exact;
use crate::retrieval::graph::Graph;
use crate::sealing::{Place, Sealing};
use crate::telemetry::Door;
use crate::tokens::Tokens;
use crate::{admin, overlay, snapshots, tls, upkeep};

/// What `serve` needs to know.
#[derive(Clone, Debug)]
pub struct Serve {
    /// The topology file.
    pub topology: PathBuf,
    /// The cell's name in it.
    pub cell: String,
    /// The snapshot's directory.
    pub snapshot: PathBuf,
    /// A public key (JWK file) to trust for snapshots beside the topology's.
    pub snapshot_key: Option<PathBuf>,
    /// The overlay file.
    pub overlay: PathBuf,
    /// The feature store's directory.
    pub store: PathBuf,
    /// The gateway's address.
    pub listen: SocketAddr,
    /// The admin listener's address.
    pub admin: SocketAddr,
    /// The ONNX Runtime library.
    pub onnxruntime: Option<PathBuf>,
    /// Inference threads of each lane.
    pub ranker_threads: usize,
    /// The index.
    pub index: IndexKind,
    /// The configuration file.
    pub config: Option<PathBuf>,
}

/// Which index to search.
#[derive(Clone, Copy, Debug, PartialEq, Eq, clap::ValueEnum)]
pub enum IndexKind {
    /// Every embedding: exact, and fastest below some 100,000 items.
    Exact,
    /// The graph: built at start, one insertion after another.
    Hnsw,
}

/// Reads a topology.
///
/// # Errors
/// [`Failure`] with every problem in it.
pub fn topology(path: &Path) -> Result<Topology, Failure> {
    let text = read_text(Exit::Config, path, "give the topology's path to --topology")?;
    Topology::parse(&text).map_err(|e| Failure::new(Exit::Config, format!("{}: {e}", path.display())))
}

/// Finds a cell by its name.
///
/// # Errors
/// [`Failure`] that names the cells there are.
pub fn cell_named<'t>(topology: &'t Topology, name: &str) -> Result<&'t domicile_topology::Cell, Failure> {
    topology.cell_named(name).ok_or_else(|| {
        let known: Vec<&str> = topology.cells.iter().map(|cell| cell.name.as_str()).collect();
        let line = format!("--cell {name:?}: the topology has no such cell; it has {}", known.join(", "));
        Failure::new(Exit::Config, line)
    })
}

/// Serves until the process is told to stop.
///
/// # Errors
/// [`Failure`] when it cannot start.
pub async fn serve(options: Serve) -> Result<(), Failure> {
    let clock = Clock::start();
    let topology = topology(&options.topology)?;
    let me = cell_named(&topology, &options.cell)?;
    let id = (me.id, me.name.clone());
    let config = Config::load(options.config.as_deref(), topology.clocks.cell_budget_ms)?;
    let reach = reach("--listen", options.listen, &topology)?;
    let direct =
        config.direct.as_ref().map(|direct| Direct::prepare(direct, &config, &topology)).transpose()?;
    let farthest = direct.as_ref().map_or(reach, |direct| reach.max(direct.reach));
    // The listeners come first: a port in use is told before seconds go into loading.
    if !options.admin.ip().is_loopback() {
        let line = format!("admin address {}: metrics and status are served on loopback only", options.admin);
        return Err(Failure::new(Exit::Listen, line));
    }
    let (gateway_listener, admin_listener) = (bind(options.listen).await?, bind(options.admin).await?);
    let direct = match direct {
        Some(direct) => Some((bind(direct.address).await?, direct)),
        None => None,
    };
    let parts = load(&options, &topology, &config, farthest, clock).await?;

    let drain = Duration::from_millis(config.limits.drain_ms.into());
    let (sealed_terms, admin_terms) = (config.listener.sealed(), config.listener.admin());
    let cell = Arc::new(Cell::new(topology, id, reach, config, clock, parts));
    let upkeep = upkeep::start(&cell);
    let gateway = Gateway::new(Arc::clone(&cell));
    let sealed_connections = connections(&cell, Door::Sealed, sealed_terms, None);
    let admin_connections = connections(&cell, Door::Admin, admin_terms, None);
    let admin = admin::routes(Arc::clone(&cell), gateway.clone(), Arc::clone(&sealed_connections));
    let address = gateway_listener.local_addr().map_err(|e| Failure::new(Exit::Listen, e.to_string()))?;
    let admin_address = admin_listener.local_addr().map_err(|e| Failure::new(Exit::Listen, e.to_string()))?;
    tracing::info!(cell = cell.name, %address, %admin_address, snapshot = cell.snapshot.id, "serving");

    let (stop, stopping) = watch::channel(());
    let direct = direct.map(|(listener, direct)| {
        tracing::info!(address = ?listener.local_addr().ok(), "serving the direct API");
        let connections = connections(&cell, Door::Direct, direct.terms, Some(direct.tls));
        start(connections, listener, gateway.clone().direct_routes(), stopping.clone())
    });
    let gateway = start(sealed_connections, gateway_listener, gateway.routes(), stopping.clone());
    let admin = start(admin_connections, admin_listener, admin, stopping);
    // Before anyone knows that it is there: a signal that comes first would end it without a drain.
    let told = told_to_stop().map_err(|e| Failure::new(Exit::Listen, format!("signals: {e}")))?;
    announce(address)?;
    told.await;
    tracing::info!("draining");
    drop(stop);
    upkeep.abort();
    // All are told at once; what is still open after the drain time is cut off.
    let mut serving: Vec<_> = [Some(gateway), Some(admin), direct].into_iter().flatten().collect();
    let drained = async {
        for listener in &mut serving {
            let _ = listener.await;
        }
    };
    if tokio::time::timeout(drain, drained).await.is_err() {
        serving.iter().for_each(tokio::task::JoinHandle::abort);
        tracing::warn!("connections were cut off after the drain time");
    }
    tracing::info!("stopped");
    Ok(())
}

/// Everything that is loaded from outside; blocking work runs off the async threads.
async fn load(
    options: &Serve,
    topology: &Topology,
    config: &Config,
    reach: Reach,
    clock: Clock,
) -> Result<Parts, Failure> {
    let (options, topology, config) = (options.clone(), topology.clone(), config.clone());
    let loading = tokio::task::spawn_blocking(move || {
        let snapshot = snapshots::load(&options.snapshot, &snapshot_keys(&options, &topology)?)?;
        let overlay_keys = topology.keys_for(KeyUse::Overlay);
        let overlay =
            overlay::load(&options.overlay, &overlay_keys, &snapshot, &topology, clock.unix_seconds())?;
        let store = EmbeddedStore::open_complete(&options.store)?.with_reads(config.limits.store_reads);
        store.claim(&options.store, &cell_named(&topology, &options.cell)?.owner())?;
        let runtime = Runtime::load(options.onnxruntime.as_deref())?;
        let queue = config.limits.ranker_queue as usize;
        let ranker = Ranker::start(&runtime, &snapshot, options.ranker_threads, queue, clock)?;
        let embeddings = Arc::clone(&snapshot.embeddings);
        let index: Arc<dyn CandidateIndex> = match options.index {
            IndexKind::Exact => Arc::new(Exact::new(embeddings)),
            IndexKind::Hnsw => Arc::new(Graph::build(embeddings)),
        };
        let (sealing, tokens) = sealing(&config, cell_named(&topology, &options.cell)?, reach, clock)?;
        Ok(Parts { snapshot, overlay, store: Arc::new(store), index, ranker, sealing, tokens })
    });
    loading.await.map_err(|e| Failure::new(Exit::Snapshot, format!("loading stopped: {e}")))?
}

/// The sealing keys and whose tokens are taken, as far as the configuration has them.
fn sealing(
    config: &Config,
    me: &domicile_topology::Cell,
    reach: Reach,
    clock: Clock,
) -> Result<(Option<Sealing>, Option<Tokens>), Failure> {
    let tokens = config.tokens.as_ref().map(|terms| Tokens::open(terms, &me.boundary, reach)).transpose()?;
    let Some(seal) = &config.seal else {
        tracing::warn!("no [seal] in the configuration: sealed requests are refused");
        return Ok((None, tokens));
    };
    let named: Vec<_> = me.signing_keys().cloned().collect();
    let owner = me.owner();
    let place = Place { cell: &me.name, owner: &owner, named: &named, reach };
    let (sealing, turn) = Sealing::open(seal, place, clock.unix_seconds())?;
    tracing::info!(made = turn.made, deleted = turn.deleted, "sealing keys");
    for why in turn.failed.iter().chain(&turn.exposed) {
        tracing::warn!(%why, "sealing keys");
    }
    Ok((Some(sealing), tokens))
}

fn snapshot_keys(options: &Serve, topology: &Topology) -> Result<Vec<VerifyingKey>, Failure> {
    let mut keys = topology.keys_for(KeyUse::Snapshot);
    if let Some(path) = &options.snapshot_key {
        let text = read_text(Exit::Snapshot, path, "give a public key's path to --snapshot-key")?;
        let key = VerifyingKey::from_jwk(&text)
            .map_err(|e| Failure::new(Exit::Snapshot, format!("{}: {e}", path.display())))?;
        keys.push(key);
    }
    Ok(keys)
}

/// How far a listener reaches; `option` is where its address comes from.
fn reach(option: &str, address: SocketAddr, topology: &Topology) -> Result<Reach, Failure> {
    if address.ip().is_loopback() {
        return Ok(Reach::Loopback);
    }
    if topology.has_demo_keys() {
        let line = format!(
            "{option} {address}: the topology has keys of trust = \"demo\", whose secrets are public; listen on \
             127.0.0.1 or make keys of your own (`domicile key sign new`)"
        );
        return Err(Failure::new(Exit::Listen, line));
    }
    Ok(Reach::Beyond)
}

/// The direct API's listener, before it listens.
struct Direct {
    address: SocketAddr,
    reach: Reach,
    terms: Terms,
    tls: Arc<ServerConfig>,
}

impl Direct {
    fn prepare(direct: &config::Direct, config: &Config, topology: &Topology) -> Result<Self, Failure> {
        let reach = reach("[direct] listen", direct.listen, topology)?;
        let tls = tls::server(direct).map_err(|e| Failure::new(Exit::Config, format!("[direct]: {e}")))?;
        Ok(Self { address: direct.listen, reach, terms: config.listener.direct(direct), tls })
    }
}

async fn bind(address: SocketAddr) -> Result<TcpListener, Failure> {
    TcpListener::bind(address)
        .await
        .map_err(|e| Failure::new(Exit::Listen, format!("{address}: {e}; free the port or choose another")))
}

fn connections(
    cell: &Arc<Cell>,
    door: Door,
    terms: Terms,
    tls: Option<Arc<ServerConfig>>,
) -> Arc<Connections> {
    let counts = Arc::clone(cell);
    let connections =
        Connections::new(door, terms, cell.clock, move |lost| counts.telemetry.lost(door, lost));
    Arc::new(match tls {
        Some(tls) => connections.over(tls),
        None => connections,
    })
}

#[expect(
    clippy::disallowed_methods,
    reason = "the listeners' tasks: `serve` owns them, joins or aborts them"
)]
fn start(
    connections: Arc<Connections>,
    listener: TcpListener,
    routes: Router,
    stopping: watch::Receiver<()>,
) -> tokio::task::JoinHandle<()> {
    tokio::spawn(async move { connections.serve(listener, routes, stopping).await })
}

/// The one line on standard output.
fn announce(address: SocketAddr) -> Result<(), Failure> {
    let mut out = std::io::stdout().lock();
    writeln!(out, "ready http://{address}")
        .and_then(|()| out.flush())
        .map_err(|e| Failure::new(Exit::Listen, format!("standard output: {e}")))
}

/// Over once the process is told to stop. It listens for that from now on, not from its first poll.
#[cfg(unix)]
fn told_to_stop() -> std::io::Result<impl Future<Output = ()>> {
    use tokio::signal::unix::{SignalKind, signal};
    // The edge reads its files again on it; a cell looks at its own by itself, and must not end without a drain.
    let mut hangup = signal(SignalKind::hangup())?;
    let (mut interrupt, mut terminate) = (signal(SignalKind::interrupt())?, signal(SignalKind::terminate())?);
    Ok(async move {
        loop {
            tokio::select! {
                _ = interrupt.recv() => return,
                _ = terminate.recv() => return,
                _ = hangup.recv() => tracing::info!("SIGHUP: keys and tokens are looked at by themselves; nothing to do"),
            }
        }
    })
}

#[cfg(not(unix))]
fn told_to_stop() -> std::io::Result<impl Future<Output = ()>> {
    Ok(async { drop(tokio::signal::ctrl_c().await) })
}
