//! The host, started in this process on a free port.

use std::net::SocketAddr;
use std::path::Path;

use domicile_edge::{CellTls, Clocks, Drained, Edge, KeepShelves, Limits, Reload, Settings, Strip, Trust};
use tokio::sync::oneshot;
use tokio::task::JoinHandle;

/// A running host.
pub(crate) struct Host {
    pub(crate) address: SocketAddr,
    pub(crate) admin: Option<SocketAddr>,
    pub(crate) reload: Reload,
    stop: oneshot::Sender<()>,
    serving: JoinHandle<Drained>,
}

impl Host {
    pub(crate) async fn start(settings: Settings) -> Self {
        let edge = Edge::start(settings).await.unwrap_or_else(|error| panic!("{error}"));
        let (address, admin) = (edge.address(), edge.admin_address());
        let reload = edge.reload();
        let (stop, stopped) = oneshot::channel();
        #[expect(clippy::disallowed_methods, reason = "joined by `Host::stop`")]
        let serving = tokio::spawn(edge.serve(async { drop(stopped.await) }));
        Self { address, admin, reload, stop, serving }
    }

    /// Tells it to stop and says how it ended.
    pub(crate) async fn stop(self) -> Drained {
        drop(self.stop);
        self.serving.await.unwrap()
    }
}

/// A free port on loopback for the admin listener.
pub(crate) fn any_port() -> Option<SocketAddr> {
    Some(SocketAddr::from(([127, 0, 0, 1], 0)))
}

/// Settings for a test: few instances, since each host reserves address space for all of them, and the stripping off,
/// since nothing here may depend on it.
pub(crate) fn settings(artefact: &Path, cells: &[SocketAddr]) -> Settings {
    Settings {
        artefact: artefact.to_owned(),
        trust: Trust::Loopback,
        cache: None,
        tls: None,
        cell_tls: CellTls::default(),
        rate: None,
        listen: SocketAddr::from(([127, 0, 0, 1], 0)),
        admin: None,
        strip: Strip::Off,
        keep_shelves: KeepShelves::Off,
        outbound: cells.iter().map(|cell| cell.to_string().parse().unwrap()).collect(),
        limits: Limits { in_flight: 16, ..Limits::default() },
        clocks: Clocks::default(),
    }
}
