//! A wasmtime host for the edge artefact.
//!
//! It runs the composed WASI 0.3 component that `cargo xtask edge` builds, the same that Spin or `wasmtime serve` run,
//! and does around it what a guest that reads no header and no body cannot do itself: caps on bodies and headers,
//! stripping of headers that name a person, 304 answers, kept connections to cells, TLS, clocks that hold.
//!
//! [`Edge`] is the host; [`Options`] its command line. A request's path is `exchange.rs`, top to bottom; how one artefact
//! takes another's place is `serving.rs`. Everything that knows wasmtime is in `guest`.

mod admin;
mod artefact;
mod body;
mod clock;
mod edge;
mod exchange;
mod files;
mod guest;
mod inbound;
mod metrics;
mod options;
mod outbound;
mod rate;
mod server;
mod serving;
mod settings;
mod shelves;
mod start_error;
mod tapped;
mod tls;

pub use artefact::TrustError;
pub use domicile_tls::TlsError;
pub use edge::{Edge, Reload, Told, prepare};
pub use guest::CacheError;
pub use options::{LogFormat, LogLevel, Options};
pub use outbound::{Authority, NotAnOrigin, Origin, Transport};
pub use server::Drained;
pub use settings::{
    AdminReach, CellTls, Clocks, Identity, KeepShelves, Limits, Rate, Settings, Strip, Trust,
};
pub use start_error::StartError;
