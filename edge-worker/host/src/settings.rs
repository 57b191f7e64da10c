//! What the host can be told: every knob with its unit, its default and what breaks when it is wrong.

use std::net::SocketAddr;
use std::path::PathBuf;
use std::time::Duration;

use crate::outbound::Origin;

/// Everything [`Edge::start`](crate::Edge::start) needs to know.
#[derive(Debug, Clone)]
pub struct Settings {
    /// The composed edge component, as built by `cargo xtask edge`.
    pub artefact: PathBuf,
    /// Whose word the artefact is taken on.
    pub trust: Trust,
    /// Where compiled artefacts are kept; `None` compiles at each start. Who can write there runs code in this process.
    pub cache: Option<PathBuf>,
    /// Where shoppers' requests arrive; port 0 takes a free one.
    pub listen: SocketAddr,
    /// The certificate shown to shoppers; `None` serves plain HTTP/1.1.
    pub tls: Option<Identity>,
    /// Where readiness, metrics and reloads are asked for; `None` answers them nowhere.
    pub admin: Option<SocketAddr>,
    /// From where it may be reached.
    pub admin_reach: AdminReach,
    /// Whether headers that name a person are taken off before the guest sees the request.
    pub strip: Strip,
    /// Whether lists are kept for as long as they say.
    pub keep_shelves: KeepShelves,
    /// The cells the guest may call. What is not listed is refused. Empty, they are those of the signed manifest; with
    /// no manifest either, it is a list-only edge.
    pub outbound: Vec<Origin>,
    /// How cells are known, and how this host is known to them.
    pub cell_tls: CellTls,
    /// Requests one address may make; `None` counts nobody.
    pub rate: Option<Rate>,
    /// How much of everything.
    pub limits: Limits,
    /// How long for everything.
    pub clocks: Clocks,
}

/// From where the admin address may be reached. Reloads are taken from this machine only, whatever this says.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum AdminReach {
    /// From this machine (default): another address is refused at the start.
    Loopback,
    /// From other machines too, for probes and scrapers that have no other way. It is plain HTTP and asks nobody who they
    /// are: without a firewall in front, everybody learns how much is asked of this host.
    Beyond,
}

/// Whether headers that name a person are removed before the guest.
///
/// The guest has no instruction that reads a header, so it does not need this; the switch exists for the tests that
/// prove it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, clap::ValueEnum)]
pub enum Strip {
    /// Remove them (default).
    On,
    /// Leave them: for tests only.
    Off,
}

/// Whether a list that says it is for everybody is given to the next caller too.
#[derive(Debug, Clone, Copy, PartialEq, Eq, clap::ValueEnum)]
pub enum KeepShelves {
    /// For as long as its `max-age` says (default).
    On,
    /// Ask the guest each time: for measuring it, and for tests of it.
    Off,
}

/// Whose word an artefact is taken on.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Trust {
    /// Any artefact will do, on a loopback address only.
    Loopback,
    /// Any artefact will do, wherever it is served: somebody said so.
    Unsigned,
    /// One with a manifest, `edge.manifest.dsse.json` beside it, signed by a key of one of these JWK files.
    Keys(Vec<PathBuf>),
}

/// A certificate chain and its key, PEM files.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Identity {
    /// The chain, leaf first.
    pub certificates: PathBuf,
    /// The leaf's private key.
    pub key: PathBuf,
}

/// TLS towards cells.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct CellTls {
    /// PEM file of the authorities that sign cells' certificates. No public authority is trusted: cells have their own.
    pub authorities: Option<PathBuf>,
    /// What this host shows to cells that ask for it.
    pub identity: Option<Identity>,
}

/// A token bucket for each address (a /64 of IPv6).
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Rate {
    /// Requests a second in the long run. Behind a proxy that hides addresses all shoppers are one: leave it off there.
    pub per_second: u32,
    /// Requests at once. Below what a page asks for, ordinary pages are refused.
    pub burst: u32,
}

/// Sizes and counts.
#[derive(Debug, Clone, Copy)]
pub struct Limits {
    /// Bytes in a request's body. Smaller than a sealed request (4 KiB) refuses every shopper.
    pub max_body: usize,
    /// Bytes in a request's line and headers together. Below 12 KiB a long path is answered by the host, not the guest.
    pub max_header: usize,
    /// Requests being answered at once; one more is refused with 503. A request counts once its body is there.
    pub in_flight: u16,
    /// Connections from shoppers at once; one more is closed, and those that stand unused make room. Each may hold
    /// [`Limits::max_header`] bytes. Fewer where the process may not open as many files.
    pub connections: usize,
    /// Connections one address (a /64 of IPv6) has at once; one more is closed. `None` counts nobody's: behind a proxy
    /// that hides addresses all shoppers are one.
    pub per_address: Option<usize>,
    /// Requests one HTTP/2 connection makes at once.
    pub streams: u32,
    /// Connections to one cell at once, in use or kept; a request beyond gets the list.
    pub cell_connections: usize,
    /// Unused connections kept to one cell; 0 opens one for each request. Fewer where the process may not open as many
    /// files.
    pub keep_connections: usize,
    /// Requests one instance serves before it is replaced. 1 costs more than half of the throughput.
    pub reuse: usize,
    /// Requests one instance serves at once. A trap ends all of them.
    pub concurrent: usize,
    /// MiB of linear memory for each of the guest's modules. Below what the artefact starts with, the host won't start.
    pub memory_mib: usize,
}

/// Times. Each is a limit, never a delay.
#[derive(Debug, Clone, Copy)]
pub struct Clocks {
    /// From a connection's first byte, or the end of the answer before, to the end of a request's head; so long an
    /// unused connection stays open. Below a round trip or two it cuts off honest callers.
    pub head: Duration,
    /// From a request's head to the end of its body. Slow phones need a second for 4 KiB.
    pub body: Duration,
    /// From a request's last byte to the last byte of its answer. Shorter than the guest's `relay_wait` plus the time
    /// to write the list, the fallback is cut off too.
    pub request: Duration,
    /// Between two pieces of a cell's answer; the guest may ask for less, not for more.
    pub between_bytes: Duration,
    /// How long an instance waits for another request before it is given back to the pool.
    pub instance_idle: Duration,
    /// How long connections are taken on after SIGTERM while `/ready` already says no. Shorter than a load balancer
    /// takes to notice, it sends shoppers to a closed port. Where nobody can ask `/ready`, there is no such time.
    pub lame_duck: Duration,
    /// What open requests get after that before their connections are cut.
    pub drain: Duration,
}

impl Default for Limits {
    fn default() -> Self {
        Self {
            max_body: 64 * 1024,
            max_header: 16 * 1024,
            in_flight: 256,
            connections: 4096,
            per_address: None,
            streams: 32,
            cell_connections: 256,
            keep_connections: 64,
            reuse: 128,
            concurrent: 16,
            memory_mib: 16,
        }
    }
}

impl Default for Clocks {
    fn default() -> Self {
        Self {
            head: Duration::from_millis(15_000),
            body: Duration::from_millis(2_000),
            request: Duration::from_millis(5_000),
            between_bytes: Duration::from_millis(1_000),
            instance_idle: Duration::from_millis(1_000),
            lame_duck: Duration::from_millis(5_000),
            drain: Duration::from_millis(10_000),
        }
    }
}
