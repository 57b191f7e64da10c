//! The host put together.

use std::net::SocketAddr;
use std::sync::Arc;

use http::{Request, Response};
use hyper::body::Incoming;
use tokio::net::TcpListener;
use tokio::sync::watch;

use crate::admin::Admin;
use crate::exchange::Exchanges;
use crate::guest::Guest;
use crate::inbound::reply::Reply;
use crate::outbound::{Authority, Outbound};
use crate::server::{Answers, Drained, Terms, serve};
use crate::settings::Settings;
use crate::start_error::StartError;

/// A host that has loaded its artefact and listens.
pub struct Edge {
    exchanges: Arc<Exchanges>,
    public: Bound,
    admin: Option<Bound>,
    terms: Terms,
}

struct Bound {
    listener: TcpListener,
    address: SocketAddr,
}

impl Edge {
    /// Listens, then loads, checks and compiles the artefact. Connections made meanwhile wait.
    ///
    /// # Errors
    /// [`StartError`] says in one line what cannot work.
    pub async fn start(settings: Settings) -> Result<Self, StartError> {
        if let Some(address) = settings.admin.filter(|address| !address.ip().is_loopback()) {
            return Err(StartError::AdminNotLoopback(address));
        }
        // A cell takes a plain shopper id on loopback only. Relaying to one from an open address would undo that.
        if !settings.listen.ip().is_loopback() && settings.outbound.iter().any(Authority::is_loopback) {
            return Err(StartError::PlainOffLoopback(settings.listen));
        }
        let public = Bound::new(settings.listen).await?;
        let admin = match settings.admin {
            Some(address) => Some(Bound::new(address).await?),
            None => None,
        };
        let outbound = Arc::new(Outbound::new(&settings.outbound, settings.clocks));
        let guest = Guest::load(&settings.artefact, &settings, outbound).await?;
        let terms = Terms {
            max_header: settings.limits.max_header,
            drain: settings.clocks.drain,
            write: settings.clocks.request,
        };
        Ok(Self { exchanges: Arc::new(Exchanges::new(guest, &settings)), public, admin, terms })
    }

    /// Where shoppers' requests arrive.
    #[must_use]
    pub fn address(&self) -> SocketAddr {
        self.public.address
    }

    /// Where readiness is answered.
    #[must_use]
    pub fn admin_address(&self) -> Option<SocketAddr> {
        self.admin.as_ref().map(|bound| bound.address)
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
        let public = async {
            let drained = serve(self.public.listener, self.exchanges, self.terms, draining.clone()).await;
            finish.send_replace(true);
            drained
        };
        let admin = async {
            if let Some(bound) = self.admin {
                let answers = Arc::new(Admin { draining: draining.clone() });
                serve(bound.listener, answers, self.terms, finished).await;
            }
        };
        let ((), drained, ()) = tokio::join!(stopping, public, admin);
        drained
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

    async fn answer(&self, request: Request<Incoming>) -> Response<Reply> {
        self.exchange(request).await
    }
}
