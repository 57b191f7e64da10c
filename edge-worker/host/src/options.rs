//! The command line of `domicile-edge`.

use std::net::SocketAddr;
use std::path::PathBuf;
use std::time::Duration;

use clap::Parser;

use crate::outbound::Authority;
use crate::settings::{Clocks, Limits, Settings, Strip};

const EXIT_CODES: &str = "\
Exit codes:
  0  stopped by SIGTERM or SIGINT, every request finished
  1  an internal error
  2  a flag is wrong
  3  the artefact cannot be used: missing, not a component, or it wants or offers something else
  4  an address cannot be listened on
  5  stopped, but requests were still open when the drain limit was over";

/// Serves the Domicile edge artefact: shelves from it, sealed requests through it.
///
/// Prints one line, `ready http://ADDRESS`, when it serves. Logs go to standard error.
#[derive(Debug, Clone, Parser)]
#[command(name = "domicile-edge", version, after_help = EXIT_CODES)]
pub struct Options {
    /// The composed edge component
    #[arg(long, value_name = "FILE")]
    pub artefact: PathBuf,

    /// Address for shoppers' requests; port 0 takes a free one
    #[arg(long, value_name = "ADDRESS", default_value = "127.0.0.1:8080")]
    pub listen: SocketAddr,

    /// Loopback address for GET /.well-known/domicile/ready
    #[arg(long, value_name = "ADDRESS")]
    pub admin: Option<SocketAddr>,

    /// A cell the guest may call, repeatable; nothing else is called
    #[arg(long, value_name = "HOST:PORT")]
    pub allow_outbound: Vec<Authority>,

    /// Remove cookie, authorization, referer, trace and forwarding headers before the guest
    #[arg(long, value_enum, default_value_t = Strip::On)]
    pub strip: Strip,

    /// Largest request body, bytes
    #[arg(long, value_name = "BYTES", default_value_t = Limits::default().max_body)]
    pub max_body: usize,

    /// Largest request line and headers together, bytes (at least 8192)
    #[arg(long, value_name = "BYTES", default_value_t = Limits::default().max_header, value_parser = at_least_8k)]
    pub max_header: usize,

    /// Requests answered at once; more are refused with 503
    #[arg(long, value_name = "N", default_value_t = Limits::default().in_flight, value_parser = clap::value_parser!(u16).range(1..=4096))]
    pub in_flight: u16,

    /// Milliseconds from a request's head to the last byte of its answer
    #[arg(long, value_name = "MS", default_value_t = millis(Clocks::default().request), value_parser = clap::value_parser!(u64).range(1..))]
    pub request_timeout_ms: u64,

    /// Milliseconds between two pieces of a cell's answer, at most
    #[arg(long, value_name = "MS", default_value_t = millis(Clocks::default().between_bytes), value_parser = clap::value_parser!(u64).range(1..))]
    pub between_bytes_ms: u64,

    /// Milliseconds for open requests after SIGTERM
    #[arg(long, value_name = "MS", default_value_t = millis(Clocks::default().drain))]
    pub drain_ms: u64,

    /// Requests an instance serves before it is replaced
    #[arg(long, value_name = "N", default_value_t = Limits::default().reuse, value_parser = at_least_one)]
    pub reuse: usize,

    /// Requests an instance serves at once
    #[arg(long, value_name = "N", default_value_t = Limits::default().concurrent, value_parser = at_least_one)]
    pub concurrent: usize,

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
    /// Start, stop and drain as well.
    Info,
    /// One line for each request as well, without anything that tells shoppers apart.
    Debug,
}

impl Options {
    /// The settings these flags stand for.
    #[must_use]
    pub fn settings(self) -> Settings {
        Settings {
            artefact: self.artefact,
            listen: self.listen,
            admin: self.admin,
            strip: self.strip,
            outbound: self.allow_outbound,
            limits: Limits {
                max_body: self.max_body,
                max_header: self.max_header,
                in_flight: self.in_flight,
                reuse: self.reuse,
                concurrent: self.concurrent,
                memory_mib: self.memory_mib,
            },
            clocks: Clocks {
                request: Duration::from_millis(self.request_timeout_ms),
                between_bytes: Duration::from_millis(self.between_bytes_ms),
                drain: Duration::from_millis(self.drain_ms),
            },
        }
    }
}

fn millis(duration: Duration) -> u64 {
    u64::try_from(duration.as_millis()).unwrap_or(u64::MAX)
}

fn at_least_one(text: &str) -> Result<usize, String> {
    bounded(text, 1, usize::MAX)
}

fn at_least_8k(text: &str) -> Result<usize, String> {
    bounded(text, 8192, 1 << 20)
}

fn memory_mib(text: &str) -> Result<usize, String> {
    bounded(text, 1, 4096)
}

fn bounded(text: &str, least: usize, most: usize) -> Result<usize, String> {
    match text.parse() {
        Ok(number) if (least..=most).contains(&number) => Ok(number),
        Ok(_) => Err(format!("not within {least} and {most}")),
        Err(_) => Err("not a whole number".to_owned()),
    }
}
