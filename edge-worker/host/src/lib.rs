//! A wasmtime host for the edge artefact.
//!
//! It runs the composed WASI 0.3 component that `cargo xtask edge` builds, the same that Spin or `wasmtime serve` run,
//! and does around it what a guest that reads no header and no body cannot do itself: caps on bodies and headers,
//! stripping of headers that name a person, 304 answers, kept connections to cells, clocks that hold.
//!
//! [`Edge`] is the host; [`Options`] its command line. A request's path is `exchange.rs`, top to bottom. Everything
//! that knows wasmtime is in `guest`.

mod admin;
mod clock;
mod edge;
mod exchange;
mod guest;
mod inbound;
mod options;
mod outbound;
mod patience;
mod server;
mod settings;
mod start_error;

pub use edge::Edge;
pub use options::{LogFormat, LogLevel, Options};
pub use outbound::{Authority, NotAnAuthority};
pub use server::Drained;
pub use settings::{Clocks, Limits, Settings, Strip};
pub use start_error::StartError;
