//! What the host can be told: every knob with its unit, its default and what breaks when it is wrong.

use std::net::SocketAddr;
use std::path::PathBuf;
use std::time::Duration;

use crate::outbound::Authority;

/// Everything [`Edge::start`](crate::Edge::start) needs to know.
#[derive(Debug, Clone)]
pub struct Settings {
    /// The composed edge component, as built by `cargo xtask edge`.
    pub artefact: PathBuf,
    /// Where shoppers' requests arrive; port 0 takes a free one.
    pub listen: SocketAddr,
    /// Where readiness is answered, loopback only; `None` answers it nowhere.
    pub admin: Option<SocketAddr>,
    /// Whether headers that name a person are taken off before the guest sees the request.
    pub strip: Strip,
    /// The cells the guest may call. What is not listed is refused, so an empty list makes a list-only edge.
    pub outbound: Vec<Authority>,
    /// How much of everything.
    pub limits: Limits,
    /// How long for everything.
    pub clocks: Clocks,
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

/// Sizes and counts.
#[derive(Debug, Clone, Copy)]
pub struct Limits {
    /// Bytes in a request's body. Smaller than a sealed request (4 KiB) refuses every shopper.
    pub max_body: usize,
    /// Bytes in a request's line and headers together. Below 12 KiB a long path is answered by the host, not the guest.
    pub max_header: usize,
    /// Requests being answered at once; one more is refused with 503. Each may hold [`Limits::max_body`] bytes.
    pub in_flight: u16,
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
    /// From a request's head to the last byte of its answer. Shorter than the guest's `relay_wait` plus the time to
    /// write the list, the fallback is cut off too.
    pub request: Duration,
    /// Between two pieces of a cell's answer; the guest may ask for less, not for more.
    pub between_bytes: Duration,
    /// What open requests get after SIGTERM before their connections are cut.
    pub drain: Duration,
}

impl Default for Limits {
    fn default() -> Self {
        Self {
            max_body: 64 * 1024,
            max_header: 16 * 1024,
            in_flight: 256,
            reuse: 128,
            concurrent: 16,
            memory_mib: 16,
        }
    }
}

impl Default for Clocks {
    fn default() -> Self {
        Self {
            request: Duration::from_millis(5_000),
            between_bytes: Duration::from_millis(1_000),
            drain: Duration::from_millis(10_000),
        }
    }
}
