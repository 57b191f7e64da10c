//! The host put together.

use std::net::SocketAddr;
use std::sync::Arc;
use std::time::Duration;

use http::{Request, Response};
use hyper::body::Incoming;
use tokio::net::TcpListener;
use tokio::sync::watch;
use tokio::time::timeout;

use crate::admin::Admin;
use crate::artefact::Artefact;
use crate::exchange::{Exchanges, Reply};
use crate::files::Room;
use crate::guest::Machine;
use crate::metrics::Metrics;
use crate::outbound::is_loopback;
use crate::server::{Answers, Caller, Drained, PerAddress, Terms, serve};
use crate::serving::Swaps;
use crate::settings::{AdminReach, Settings, Trust};
use crate::start_error::StartError;

/// Connections to the admin listener at once.
const ADMIN_CONNECTIONS: usize = 32;
/// What an answer of the admin listener may take: a reload compiles.
const ADMIN_WHOLE: Duration = Duration::from_secs(120);

/// A host that has loaded its artefact and listens.
pub struct Edge {
    exchanges: Arc<Exchanges>,
    swaps: Arc<Swaps>,
    public: Bound,
    admin: Option<Bound>,
    terms: Terms,
    lame_duck: Duration,
}

/// What a running host is told, each more than the one before.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Told {
    /// To serve.
    Serve,
    /// To leave: it says that it is not ready, and serves on for [`Clocks::lame_duck`](crate::Clocks::lame_duck).
    Leave,
    /// To take no connection from now on.
    LeaveNow,
}

/// The means to have a running host read its files again.
#[derive(Clone)]
pub struct Reload(Arc<Swaps>);

struct Bound {
    listener: TcpListener,
    address: SocketAddr,
}

/// Compiles the artefact into the cache and ends.
///
/// # Errors
/// [`StartError`], as a start would give.
pub fn prepare(settings: &Settings) -> Result<(), StartError> {
    let artefact = Artefact::read(settings)?;
    let machine = Machine::new(settings)?;
    machine.compile(&artefact.bytes, &settings.artefact)?;
    machine.ensure_cached()?;
    Ok(())
}

impl Edge {
    /// Listens, then loads, checks and compiles the artefact. Connections made meanwhile wait.
    ///
    /// # Errors
    /// [`StartError`] says in one line what cannot work.
    pub async fn start(settings: Settings) -> Result<Self, StartError> {
        if let Some(address) = settings.admin.filter(|address| !is_loopback(*address))
            && settings.admin_reach == AdminReach::Loopback
        {
            return Err(StartError::AdminNotLoopback(address));
        }
        if settings.trust == Trust::Loopback && !is_loopback(settings.listen) {
            return Err(StartError::UnsignedOffLoopback(settings.listen));
        }
        let public = Bound::new(settings.listen, "--listen").await?;
        let admin = match settings.admin {
            Some(address) => Some(Bound::new(address, "--admin").await?),
            None => None,
        };
        let metrics = Arc::<Metrics>::default();
        let room = Arc::new(Room::take());
        let swaps = Swaps::start(settings.clone(), Arc::clone(&metrics), Arc::clone(&room)).await?;
        let swaps = Arc::new(swaps);
        let clocks = settings.clocks;
        let terms = Terms {
            max_header: settings.limits.max_header,
            connections: room.connections(&settings.limits),
            per_address: settings.limits.per_address.map(|most| Arc::new(PerAddress::new(most))),
            streams: settings.limits.streams,
            head: clocks.head,
            // The last bytes of an answer that ended at its deadline may take as long to be written.
            whole: clocks.body.saturating_add(clocks.request.saturating_mul(2)),
            write: clocks.request,
            drain: clocks.drain,
            tls: swaps.certificate(),
            metrics: Arc::clone(&metrics),
        };
        let exchanges = Arc::new(Exchanges::new(swaps.serving(), &settings, metrics));
        // Nobody can be told where nobody can ask.
        let lame_duck = if admin.is_some() { clocks.lame_duck } else { Duration::ZERO };
        Ok(Self { exchanges, swaps, public, admin, terms, lame_duck })
    }

    /// Where shoppers' requests arrive.
    #[must_use]
    pub fn address(&self) -> SocketAddr {
        self.public.address
    }

    /// The scheme in which they do.
    #[must_use]
    pub fn scheme(&self) -> &'static str {
        if self.terms.tls.is_some() { "https" } else { "http" }
    }

    /// Where readiness is answered.
    #[must_use]
    pub fn admin_address(&self) -> Option<SocketAddr> {
        self.admin.as_ref().map(|bound| bound.address)
    }

    /// The means to have this host read its files again while it serves.
    #[must_use]
    pub fn reload(&self) -> Reload {
        Reload(Arc::clone(&self.swaps))
    }

    /// Serves until it is told to leave, then drains. The admin listener answers `draining` until that is done. One that
    /// nobody can tell anything any more leaves at once.
    pub async fn serve(self, mut told: watch::Receiver<Told>) -> Drained {
        let (leave, leaving) = watch::channel(false);
        let (drain, draining) = watch::channel(false);
        let (finish, finished) = watch::channel(false);
        let lame_duck = self.lame_duck;
        let stopping = async {
            at_least(&mut told, Told::Leave).await;
            tracing::info!("leaving");
            leave.send_replace(true);
            // Either way it is time.
            drop(timeout(lame_duck, at_least(&mut told, Told::LeaveNow)).await);
            tracing::info!("draining");
            drain.send_replace(true);
        };
        let admin_terms = Terms {
            connections: ADMIN_CONNECTIONS,
            per_address: None,
            whole: ADMIN_WHOLE,
            tls: None,
            ..self.terms.clone()
        };
        let public = async {
            let drained = serve(self.public.listener, self.exchanges, self.terms, draining).await;
            finish.send_replace(true);
            drained
        };
        let admin = async {
            if let Some(bound) = self.admin {
                let metrics = Arc::clone(&admin_terms.metrics);
                let answers = Arc::new(Admin { leaving, swaps: self.swaps, metrics });
                serve(bound.listener, answers, admin_terms, finished).await;
            }
        };
        let ((), drained, ()) = tokio::join!(stopping, public, admin);
        drained
    }
}

/// Over when this much was told, or nobody is left to tell more.
async fn at_least(told: &mut watch::Receiver<Told>, least: Told) {
    drop(told.wait_for(|told| *told >= least).await);
}

impl Reload {
    /// Reads artefact, manifest, keys and certificates again. What is bad keeps what was.
    ///
    /// # Errors
    /// [`StartError`], as a start would give.
    pub async fn reload(&self) -> Result<(), StartError> {
        self.0.reload().await.map(drop)
    }
}

impl Bound {
    async fn new(address: SocketAddr, flag: &'static str) -> Result<Self, StartError> {
        let failed = |source| StartError::Address { address, flag, source };
        let listener = TcpListener::bind(address).await.map_err(failed)?;
        let address = listener.local_addr().map_err(failed)?;
        Ok(Self { listener, address })
    }
}

impl Answers for Exchanges {
    type Body = Reply;

    async fn answer(&self, request: Request<Incoming>, caller: Caller) -> Response<Reply> {
        self.exchange(request, caller).await
    }
}
