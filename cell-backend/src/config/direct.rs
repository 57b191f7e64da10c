//! The optional section of the direct API.

use std::net::SocketAddr;
use std::path::PathBuf;

use serde::Deserialize;

/// The same calls as ordinary HTTP over mutual TLS, for backends of the retailer inside the boundary. Without the
/// section there is no such listener.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Direct {
    /// Its address and port. Nothing but TLS with a client certificate is taken there.
    pub listen: SocketAddr,
    /// The cell's certificate, its intermediates after it (PEM).
    pub certificate: PathBuf,
    /// The certificate's secret key (PEM).
    pub key: PathBuf,
    /// The authorities that callers' certificates have to come from (PEM): the operator's own, not public ones, or
    /// anybody with a certificate may ask.
    pub client_ca: PathBuf,
    /// Connections at once, 1 or more; one more is closed.
    #[serde(default = "connections")]
    pub connections: u32,
}

/// As many as requests in the cell: a backend keeps few connections and uses them.
const fn connections() -> u32 {
    64
}

impl Direct {
    pub(super) fn check(&self) -> Result<(), String> {
        super::within("direct", "connections", self.connections, 1, super::CONNECTIONS_MAX)
    }
}
