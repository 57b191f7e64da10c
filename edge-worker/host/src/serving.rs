//! What serves: one artefact with its instances and its connections to cells; and how another takes its place.
//!
//! The next one is read, verified, compiled and tried beside the one that serves, off the threads that serve. Then one
//! pointer changes. A request keeps what it began with; instances of the old artefact end with their last request, or
//! when they were idle for long enough. What cannot be used changes nothing.

use std::sync::{Arc, PoisonError, RwLock};

use tokio::net::lookup_host;
use tokio::sync::Mutex;
use tokio::task::spawn_blocking;
use tokio_rustls::rustls::ServerConfig;

use crate::artefact::{About, Artefact};
use crate::clock;
use crate::files::Room;
use crate::guest::{Guest, Machine};
use crate::metrics::{Count, Metrics};
use crate::outbound::{Origin, Outbound, OwnMachine, Rules, Transport, is_loopback, is_this_machine};
use crate::settings::Settings;
use crate::shelves::Shelves;
use crate::start_error::StartError;
use crate::tls;

/// An artefact at work.
pub(crate) struct Serving {
    pub(crate) guest: Guest,
    pub(crate) about: About,
    /// What it answered lately and may be given to others.
    pub(crate) shelves: Shelves,
}

/// What serves at the moment, and the means to replace it.
pub(crate) struct Swaps {
    machine: Machine,
    settings: Settings,
    metrics: Arc<Metrics>,
    room: Arc<Room>,
    serving: Arc<RwLock<Arc<Serving>>>,
    certificate: Option<Arc<RwLock<Arc<ServerConfig>>>>,
    /// One reload at a time.
    reloading: Mutex<()>,
}

impl Swaps {
    pub(crate) async fn start(
        settings: Settings,
        metrics: Arc<Metrics>,
        room: Arc<Room>,
    ) -> Result<Self, StartError> {
        let certificate = settings.tls.as_ref().map(tls::server).transpose()?;
        let machine = Machine::new(&settings)?;
        let first = load(&machine, &settings, &metrics, &room).await?;
        Ok(Self {
            machine,
            settings,
            metrics,
            room,
            serving: Arc::new(RwLock::new(Arc::new(first))),
            certificate: certificate.map(|config| Arc::new(RwLock::new(config))),
            reloading: Mutex::default(),
        })
    }

    pub(crate) fn serving(&self) -> Arc<RwLock<Arc<Serving>>> {
        Arc::clone(&self.serving)
    }

    pub(crate) fn certificate(&self) -> Option<Arc<RwLock<Arc<ServerConfig>>>> {
        self.certificate.clone()
    }

    /// What is known of the artefact that serves.
    pub(crate) fn about(&self) -> About {
        self.serving.read().unwrap_or_else(PoisonError::into_inner).about.clone()
    }

    /// Reads everything again and lets it serve; says which artefact does.
    pub(crate) async fn reload(&self) -> Result<About, StartError> {
        let _one = self.reloading.lock().await;
        match self.replace().await {
            Ok(about) => {
                self.metrics.count(Count::Swapped);
                tracing::info!(sha256 = about.sha256, "artefact swapped");
                Ok(about)
            }
            Err(error) => {
                self.metrics.count(Count::SwapRefused);
                tracing::warn!(cause = %error, "artefact refused, the one before serves on");
                Err(error)
            }
        }
    }

    async fn replace(&self) -> Result<About, StartError> {
        let certificate = self.settings.tls.as_ref().map(tls::server).transpose()?;
        let next = load(&self.machine, &self.settings, &self.metrics, &self.room).await?;
        let about = next.about.clone();
        // Nothing can fail from here on.
        if let (Some(current), Some(certificate)) = (&self.certificate, certificate) {
            *current.write().unwrap_or_else(PoisonError::into_inner) = certificate;
        }
        let next = Arc::new(next);
        let last =
            std::mem::replace(&mut *self.serving.write().unwrap_or_else(PoisonError::into_inner), next);
        drop(last);
        Ok(about)
    }
}

/// Reads, verifies, compiles and tries what is in the files now.
async fn load(
    machine: &Machine,
    settings: &Settings,
    metrics: &Arc<Metrics>,
    room: &Room,
) -> Result<Serving, StartError> {
    let (compiler, told) = (machine.clone(), settings.clone());
    let compiled = spawn_blocking(move || {
        let artefact = Artefact::read(&told)?;
        let compiled = compiler.compile(&artefact.bytes, &told.artefact)?;
        Ok::<_, StartError>((artefact.about, artefact.cells, compiled))
    });
    let (about, cells, compiled) =
        compiled.await.map_err(|_panicked| StartError::Engine("the compiler broke off".to_owned()))??;

    let own_machine = if is_loopback(settings.listen) { OwnMachine::Allowed } else { OwnMachine::Refused };
    if own_machine == OwnMachine::Refused && any_on_this_machine(&cells).await {
        return Err(StartError::PlainOffLoopback(settings.listen));
    }
    let tls = tls::client(&settings.cell_tls)?;
    if tls.is_none()
        && let Some(cell) = cells.iter().find(|cell| cell.transport == Transport::Tls)
    {
        return Err(StartError::NoCellAuthority(cell.clone()));
    }
    let keep = room.keep(&settings.limits, cells.len());
    let rules = Rules { most: settings.limits.cell_connections, keep, own_machine, tls };
    let outbound = Arc::new(Outbound::new(&cells, rules, settings.clocks, Arc::clone(metrics)));

    let guest = machine.start(compiled, settings, outbound, Arc::clone(metrics)).await?;
    if about.stated.is_some_and(|stated| stated.is_over(clock::unix_seconds())) {
        tracing::warn!("lists are stale or pins have ended; build the edge anew");
    }
    Ok(Serving { guest, about, shelves: Shelves::default() })
}

/// Whether a cell is reached on this machine by what its name means now. A name that nobody knows now is looked at
/// again when it is called.
async fn any_on_this_machine(cells: &[Origin]) -> bool {
    for Origin { authority, .. } in cells {
        if authority.names_this_machine() {
            return true;
        }
        if let Ok(mut found) = lookup_host((authority.host(), authority.port())).await
            && found.any(|address| is_this_machine(address.ip()))
        {
            return true;
        }
    }
    false
}
