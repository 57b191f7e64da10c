//! The host, started in this process on a free port.

use std::net::SocketAddr;
use std::path::Path;

use domicile_edge::{
    AdminReach, CellTls, Clocks, Drained, Edge, KeepShelves, Limits, Reload, Settings, Strip, Told, Trust,
};
use tokio::sync::watch;
use tokio::task::JoinHandle;

use crate::client::get;

/// A running host.
pub(crate) struct Host {
    pub(crate) address: SocketAddr,
    pub(crate) admin: Option<SocketAddr>,
    pub(crate) reload: Reload,
    tell: watch::Sender<Told>,
    serving: JoinHandle<Drained>,
}

impl Host {
    pub(crate) async fn start(settings: Settings) -> Self {
        let edge = Edge::start(settings).await.unwrap_or_else(|error| panic!("{error}"));
        let (address, admin) = (edge.address(), edge.admin_address());
        let reload = edge.reload();
        let (tell, told) = watch::channel(Told::Serve);
        #[expect(clippy::disallowed_methods, reason = "joined by `Host::stop`")]
        let serving = tokio::spawn(edge.serve(told));
        Self { address, admin, reload, tell, serving }
    }

    /// Tells it something.
    pub(crate) fn tell(&self, told: Told) {
        self.tell.send_replace(told);
    }

    /// Tells it to stop and says how it ended.
    pub(crate) async fn stop(self) -> Drained {
        self.tell(Told::LeaveNow);
        self.serving.await.unwrap()
    }

    /// Waits until it has ended; says how.
    pub(crate) async fn ended(self) -> Drained {
        let Self { tell: _still_there, serving, .. } = self;
        serving.await.unwrap()
    }

    /// What a metric says, its labels included in its name; it has to be there.
    pub(crate) async fn metric(&self, name: &str) -> u64 {
        let metrics = get(self.admin.unwrap(), "/metrics").await;
        let value = metrics.text().lines().find_map(|line| line.strip_prefix(name)?.strip_prefix(' '));
        value.unwrap_or_else(|| panic!("no {name} in {}", metrics.text())).parse().unwrap()
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
        admin_reach: AdminReach::Loopback,
        strip: Strip::Off,
        keep_shelves: KeepShelves::Off,
        outbound: cells.iter().map(|cell| cell.to_string().parse().unwrap()).collect(),
        limits: Limits { in_flight: 16, ..Limits::default() },
        clocks: Clocks::default(),
    }
}
