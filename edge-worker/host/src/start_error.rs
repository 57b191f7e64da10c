//! Why the host did not start, in one line that says what to do about it, and the exit code that says so.

use std::net::SocketAddr;
use std::path::PathBuf;

use domicile_files::ReadError;

use crate::artefact::TrustError;
use crate::guest::CacheError;
use crate::outbound::Origin;
use domicile_tls::TlsError;

/// A start that cannot work. [`StartError::exit_code`] sorts them as `--help` documents.
#[derive(Debug, thiserror::Error)]
pub enum StartError {
    /// The artefact's file cannot be read.
    #[error("artefact {}: {source}", path.display())]
    Unreadable {
        /// The file that was asked for.
        path: PathBuf,
        /// What was found instead, and what to do.
        source: ReadError,
    },
    /// The file is not a WebAssembly component.
    #[error("artefact {}: not a component: {detail}; give the file that `domicile edge build` writes", path.display())]
    NotAComponent {
        /// The file that was asked for.
        path: PathBuf,
        /// What was found instead.
        detail: String,
    },
    /// The component imports what this host does not give.
    #[error(
        "artefact {}: wants {}, which this host does not give; `domicile edge audit` says which part does: build it \
         anew without",
        path.display(),
        wanted.join(", ")
    )]
    ForeignImport {
        /// The file that was asked for.
        path: PathBuf,
        /// Every import outside the edge's world.
        wanted: Vec<String>,
    },
    /// The component's imports or exports do not have the shape of the edge's world.
    #[error(
        "artefact {}: does not fit the edge's world: {detail}; build it with the `domicile edge build` of this host's \
         version",
        path.display()
    )]
    WrongWorld {
        /// The file that was asked for.
        path: PathBuf,
        /// The first thing that does not fit.
        detail: String,
    },
    /// The artefact's manifest does not vouch for it.
    #[error("manifest: {0}")]
    Untrusted(#[from] TrustError),
    /// Compiled artefacts cannot be kept where they are to be.
    #[error(transparent)]
    Cache(#[from] CacheError),
    /// Certificates or keys cannot be used.
    #[error("tls: {0}")]
    Tls(#[from] TlsError),
    /// A cell is reached over TLS, and nothing says who signs its certificate.
    #[error("{0}: no authority for its certificate; give one with --cell-ca")]
    NoCellAuthority(Origin),
    /// An artefact that nobody vouches for would serve other machines.
    #[error(
        "listen on {0}: an artefact that nobody signed for; give --manifest-key, or --unsigned to serve it all the same"
    )]
    UnsignedOffLoopback(SocketAddr),
    /// The engine refused its settings.
    #[error("engine: {0}; if it is about memory, lower --in-flight or --memory-mib, or raise `ulimit -v`")]
    Engine(String),
    /// The guest does not start within its limits.
    #[error("artefact {}: the guest does not start: {detail}; raise --memory-mib, or build it anew", path.display())]
    Guest {
        /// The file that was asked for.
        path: PathBuf,
        /// What kept it from starting.
        detail: String,
    },
    /// An address cannot be listened on.
    #[error(
        "listen on {address}: {source}; give {flag} a free address of this machine, or end what listens there"
    )]
    Address {
        /// The address that was asked for.
        address: SocketAddr,
        /// The flag that asked for it.
        flag: &'static str,
        /// What the system said.
        source: std::io::Error,
    },
    /// The admin address can be reached from other machines.
    #[error(
        "admin address {0}: other machines reach it; give a loopback address, or --admin-beyond-loopback and a firewall"
    )]
    AdminNotLoopback(SocketAddr),
    /// The address can be reached from other machines while a cell is reached on loopback.
    #[error(
        "listen on {0}: cells on loopback take plain requests, which must not arrive from other machines; listen on \
         loopback, or list cells by their own addresses"
    )]
    PlainOffLoopback(SocketAddr),
}

impl StartError {
    /// The process's exit code for this error.
    #[must_use]
    pub fn exit_code(&self) -> u8 {
        match self {
            Self::Engine(_) => 1,
            Self::AdminNotLoopback(_)
            | Self::PlainOffLoopback(_)
            | Self::UnsignedOffLoopback(_)
            | Self::NoCellAuthority(_)
            | Self::Cache(_)
            | Self::Tls(_) => 2,
            Self::Untrusted(_)
            | Self::Unreadable { .. }
            | Self::Guest { .. }
            | Self::NotAComponent { .. }
            | Self::ForeignImport { .. }
            | Self::WrongWorld { .. } => 3,
            Self::Address { .. } => 4,
        }
    }
}
