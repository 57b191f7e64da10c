//! The command line of `domicile-edge`.

mod parse;

use std::net::SocketAddr;
use std::path::PathBuf;
use std::time::Duration;

use clap::{Parser, value_parser};

use crate::outbound::Origin;
use crate::settings::{
    AdminReach, CellTls, Clocks, Identity, KeepShelves, Limits, Rate, Settings, Strip, Trust,
};
use parse::{at_least_8k, at_least_one, memory_mib, millis};

const EXIT_CODES: &str = "\
Signals:
  SIGTERM          say no to /ready for --lame-duck-ms, finish open requests, then stop; again: at once
  SIGINT           finish open requests, then stop
  SIGHUP           read artefact, manifest, keys and certificates again; what is bad keeps what was

Exit codes:
  0  stopped by SIGTERM or SIGINT, every request finished; or prepared
  1  an internal error
  2  a flag is wrong, or what it points at is
  3  the artefact cannot be used: missing, not a component, it wants or offers something else, or its manifest is
     missing, signed by no trusted key, or of another artefact
  4  an address cannot be listened on
  5  stopped, but requests were still open when the drain limit was over";

/// Serves the Domicile edge artefact: shelves from it, sealed requests through it.
///
/// Prints one line, `ready http://ADDRESS` (or https), when it serves. Logs go to standard error.
#[derive(Debug, Clone, Parser)]
#[command(name = "domicile-edge", version, after_help = EXIT_CODES)]
pub struct Options {
    /// The composed edge component
    #[arg(long, value_name = "FILE")]
    pub artefact: PathBuf,

    /// A public key (JWK) that has to have signed edge.manifest.dsse.json beside the artefact; repeatable
    #[arg(long, value_name = "FILE")]
    pub manifest_key: Vec<PathBuf>,

    /// Serve an artefact without a manifest on an address that other machines reach
    #[arg(long, conflicts_with = "manifest_key")]
    pub unsigned: bool,

    /// Keep compiled artefacts in this directory: yours, and writable by nobody else
    #[arg(long, value_name = "DIR")]
    pub cache_dir: Option<PathBuf>,

    /// Compile the artefact into the cache, then end
    #[arg(long, requires = "cache_dir")]
    pub prepare: bool,

    /// Address for shoppers' requests; port 0 takes a free one
    #[arg(long, value_name = "ADDRESS", default_value = "127.0.0.1:8080")]
    pub listen: SocketAddr,

    /// Certificate chain for shoppers (PEM); HTTP/2 comes with it
    #[arg(long, value_name = "FILE", requires = "tls_key")]
    pub tls_cert: Option<PathBuf>,

    /// Private key of --tls-cert (PEM)
    #[arg(long, value_name = "FILE", requires = "tls_cert")]
    pub tls_key: Option<PathBuf>,

    /// Loopback address for GET /ready, /live, /metrics and POST /reload
    #[arg(long, value_name = "ADDRESS")]
    pub admin: Option<SocketAddr>,

    /// Let --admin be an address that other machines reach; a firewall has to say which. POST /reload stays loopback's
    #[arg(long, requires = "admin")]
    pub admin_beyond_loopback: bool,

    /// A cell the guest may call, repeatable; nothing else is called. Left out: the manifest's cells
    #[arg(long, value_name = "[https://]HOST:PORT")]
    pub allow_outbound: Vec<Origin>,

    /// Authorities that sign the certificates of https cells (PEM)
    #[arg(long, value_name = "FILE")]
    pub cell_ca: Option<PathBuf>,

    /// Certificate chain shown to https cells (PEM)
    #[arg(long, value_name = "FILE", requires = "client_key")]
    pub client_cert: Option<PathBuf>,

    /// Private key of --client-cert (PEM)
    #[arg(long, value_name = "FILE", requires = "client_cert")]
    pub client_key: Option<PathBuf>,

    /// Remove cookie, authorization, referer, trace and forwarding headers before the guest
    #[arg(long, value_enum, default_value_t = Strip::On)]
    pub strip: Strip,

    /// Give a list that says it is for everybody to the next caller too, for as long as it says; off asks the guest
    #[arg(long, value_enum, default_value_t = KeepShelves::On)]
    pub keep_shelves: KeepShelves,

    /// Requests a second for one address (a /64 of IPv6); more are refused with 429. Left out: no limit
    #[arg(long, value_name = "N", value_parser = value_parser!(u32).range(1..=100_000))]
    pub rate: Option<u32>,

    /// Requests at once for one address [default: ten seconds of --rate]
    #[arg(long, value_name = "N", requires = "rate", value_parser = value_parser!(u32).range(1..=1_000_000))]
    pub burst: Option<u32>,

    /// Largest request body, bytes
    #[arg(long, value_name = "BYTES", default_value_t = Limits::default().max_body)]
    pub max_body: usize,

    /// Largest request line and headers together, bytes (at least 8192)
    #[arg(long, value_name = "BYTES", default_value_t = Limits::default().max_header, value_parser = at_least_8k)]
    pub max_header: usize,

    /// Requests answered at once; more are refused with 503
    #[arg(long, value_name = "N", default_value_t = Limits::default().in_flight, value_parser = value_parser!(u16).range(1..=2048))]
    pub in_flight: u16,

    /// Shoppers' connections at once; more are closed
    #[arg(long, value_name = "N", default_value_t = Limits::default().connections, value_parser = at_least_one)]
    pub connections: usize,

    /// Connections of one address (a /64 of IPv6) at once; more are closed. Left out: no limit
    #[arg(long, value_name = "N", value_parser = at_least_one)]
    pub connections_per_address: Option<usize>,

    /// Requests at once on one HTTP/2 connection
    #[arg(long, value_name = "N", default_value_t = Limits::default().streams, value_parser = value_parser!(u32).range(1..=1024))]
    pub streams: u32,

    /// Connections to one cell at once
    #[arg(long, value_name = "N", default_value_t = Limits::default().cell_connections, value_parser = at_least_one)]
    pub cell_connections: usize,

    /// Unused connections kept to one cell; 0 opens one for each request
    #[arg(long, value_name = "N", default_value_t = Limits::default().keep_connections)]
    pub keep_connections: usize,

    /// Milliseconds for a request's head, and for an unused connection
    #[arg(long, value_name = "MS", default_value_t = millis(Clocks::default().head), value_parser = value_parser!(u64).range(1..))]
    pub head_timeout_ms: u64,

    /// Milliseconds from a request's head to the end of its body
    #[arg(long, value_name = "MS", default_value_t = millis(Clocks::default().body), value_parser = value_parser!(u64).range(1..))]
    pub body_timeout_ms: u64,

    /// Milliseconds from a request's last byte to the last byte of its answer
    #[arg(long, value_name = "MS", default_value_t = millis(Clocks::default().request), value_parser = value_parser!(u64).range(1..))]
    pub request_timeout_ms: u64,

    /// Milliseconds between two pieces of a cell's answer, at most
    #[arg(long, value_name = "MS", default_value_t = millis(Clocks::default().between_bytes), value_parser = value_parser!(u64).range(1..))]
    pub between_bytes_ms: u64,

    /// Milliseconds after SIGTERM in which /ready says no and connections are still taken; none without --admin
    #[arg(long, value_name = "MS", default_value_t = millis(Clocks::default().lame_duck))]
    pub lame_duck_ms: u64,

    /// Milliseconds for open requests after that
    #[arg(long, value_name = "MS", default_value_t = millis(Clocks::default().drain))]
    pub drain_ms: u64,

    /// Requests an instance serves before it is replaced
    #[arg(long, value_name = "N", default_value_t = Limits::default().reuse, value_parser = at_least_one)]
    pub reuse: usize,

    /// Requests an instance serves at once
    #[arg(long, value_name = "N", default_value_t = Limits::default().concurrent, value_parser = at_least_one)]
    pub concurrent: usize,

    /// Milliseconds an instance waits for another request before it is given back
    #[arg(long, value_name = "MS", default_value_t = millis(Clocks::default().instance_idle), value_parser = value_parser!(u64).range(1..))]
    pub instance_idle_ms: u64,

    /// Linear memory of each module of the guest, MiB (1 to 4096)
    #[arg(long, value_name = "MIB", default_value_t = Limits::default().memory_mib, value_parser = memory_mib)]
    pub memory_mib: usize,

    /// How log lines look
    #[arg(long, value_enum, default_value_t = LogFormat::Text)]
    pub log: LogFormat,

    /// The least important log lines to write; one for each request only at debug
    #[arg(long, value_enum, default_value_t = LogLevel::Info)]
    pub log_level: LogLevel,
}

/// How log lines look.
#[derive(Debug, Clone, Copy, PartialEq, Eq, clap::ValueEnum)]
pub enum LogFormat {
    /// For people.
    Text,
    /// One JSON object a line.
    Json,
}

/// The least important log lines to write.
#[derive(Debug, Clone, Copy, PartialEq, Eq, clap::ValueEnum)]
pub enum LogLevel {
    /// What needs a person.
    Warn,
    /// Start, stop, swap and drain as well.
    Info,
    /// One line for each request as well, without anything that tells shoppers apart.
    Debug,
}

/// Seconds of its rate that an address may use at once.
const BURST_SECONDS: u32 = 10;

impl Options {
    /// The settings these flags stand for.
    #[must_use]
    pub fn settings(self) -> Settings {
        let trust = match (self.manifest_key.is_empty(), self.unsigned) {
            (false, _) => Trust::Keys(self.manifest_key),
            (true, true) => Trust::Unsigned,
            (true, false) => Trust::Loopback,
        };
        let burst = self.burst;
        Settings {
            artefact: self.artefact,
            trust,
            cache: self.cache_dir,
            listen: self.listen,
            tls: identity(self.tls_cert, self.tls_key),
            admin: self.admin,
            admin_reach: if self.admin_beyond_loopback { AdminReach::Beyond } else { AdminReach::Loopback },
            strip: self.strip,
            keep_shelves: self.keep_shelves,
            outbound: self.allow_outbound,
            cell_tls: CellTls {
                authorities: self.cell_ca,
                identity: identity(self.client_cert, self.client_key),
            },
            rate: self.rate.map(|per_second| Rate {
                per_second,
                burst: burst.unwrap_or_else(|| per_second.saturating_mul(BURST_SECONDS)),
            }),
            limits: Limits {
                max_body: self.max_body,
                max_header: self.max_header,
                in_flight: self.in_flight,
                connections: self.connections,
                per_address: self.connections_per_address,
                streams: self.streams,
                cell_connections: self.cell_connections,
                keep_connections: self.keep_connections,
                reuse: self.reuse,
                concurrent: self.concurrent,
                memory_mib: self.memory_mib,
            },
            clocks: Clocks {
                head: Duration::from_millis(self.head_timeout_ms),
                body: Duration::from_millis(self.body_timeout_ms),
                request: Duration::from_millis(self.request_timeout_ms),
                between_bytes: Duration::from_millis(self.between_bytes_ms),
                instance_idle: Duration::from_millis(self.instance_idle_ms),
                lame_duck: Duration::from_millis(self.lame_duck_ms),
                drain: Duration::from_millis(self.drain_ms),
            },
        }
    }
}

fn identity(certificates: Option<PathBuf>, key: Option<PathBuf>) -> Option<Identity> {
    Some(Identity { certificates: certificates?, key: key? })
}
