//! The host put together.

use std::net::SocketAddr;
use std::sync::Arc;
use std::time::Duration;

use http::{Request, Response};
use hyper::body::Incoming;
use tokio::net::TcpListener;
use tokio::sync::watch;

use crate::admin::Admin;
use crate::artefact::Artefact;
use crate::exchange::{Exchanges, Reply};
use crate::files;
use crate::guest::Machine;
use crate::metrics::Metrics;
use crate::outbound::is_loopback;
use crate::server::{Answers, Caller, Drained, Terms, serve};
use crate::serving::Swaps;
use crate::settings::{Settings, Trust};
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
        if let Some(address) = settings.admin.filter(|address| !is_loopback(*address)) {
            return Err(StartError::AdminNotLoopback(address));
        }
        if settings.trust == Trust::Loopback && !is_loopback(settings.listen) {
            return Err(StartError::UnsignedOffLoopback(settings.listen));
        }
        let public = Bound::new(settings.listen).await?;
        let admin = match settings.admin {
            Some(address) => Some(Bound::new(address).await?),
            None => None,
        };
        let metrics = Arc::<Metrics>::default();
        let swaps = Arc::new(Swaps::start(settings.clone(), Arc::clone(&metrics)).await?);
        let clocks = settings.clocks;
        let terms = Terms {
            max_header: settings.limits.max_header,
            connections: files::room_for(&settings.limits),
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
        Ok(Self { exchanges, swaps, public, admin, terms })
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

    /// Serves until `stop` is over, then drains. The admin listener answers `draining` until that is done.
    pub async fn serve(self, stop: impl Future<Output = ()>) -> Drained {
        let (drain, draining) = watch::channel(false);
        let (finish, finished) = watch::channel(false);
        let stopping = async {
            stop.await;
            tracing::info!("draining");
            drain.send_replace(true);
        };
        let admin_terms =
            Terms { connections: ADMIN_CONNECTIONS, whole: ADMIN_WHOLE, tls: None, ..self.terms.clone() };
        let public = async {
            let drained = serve(self.public.listener, self.exchanges, self.terms, draining.clone()).await;
            finish.send_replace(true);
            drained
        };
        let admin = async {
            if let Some(bound) = self.admin {
                let metrics = Arc::clone(&admin_terms.metrics);
                let answers = Arc::new(Admin { draining: draining.clone(), swaps: self.swaps, metrics });
                serve(bound.listener, answers, admin_terms, finished).await;
            }
        };
        let ((), drained, ()) = tokio::join!(stopping, public, admin);
        drained
    }
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
    async fn new(address: SocketAddr) -> Result<Self, StartError> {
        let failed = |source| StartError::Address { address, source };
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
