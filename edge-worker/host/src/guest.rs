//! The guest: the one place that knows wasmtime and its experimental WASI 0.3 embedding.
//!
//! `wasmtime-wasi-http`'s `p3` module is marked experimental and changes between major versions, so nothing outside
//! this module names a wasmtime type except [`Body`] and [`BodyError`]. The rest of the host hands in a request whose
//! body is already in memory and gets an answer or a [`GuestFailure`].
//!
//! What is enforced here, and how:
//! - *only our world*: [`world`] links `wasi:http/types`, `wasi:http/client`, `wasi:clocks/system-clock` and nothing
//!   else, and names what an artefact wants beyond that;
//! - *memory*: a cap per linear memory, both in the pool and by a limiter;
//! - *time*: futures inside the store are not polled while a guest computes, so a clock inside it is not enough. A
//!   thread advances the engine's epoch ([`engine`]); each tick the guest yields, so the clock around the whole worker
//!   is polled; a guest that computes for [`store::LONGEST_RUN`] without a pause is trapped.

mod cache;
mod call;
mod engine;
mod store;
mod worker;
mod world;

use std::path::{Path, PathBuf};
use std::sync::Arc;

use bytes::Bytes;
use http::{Request, Response};
use http_body_util::{BodyExt, Full};
use wasmtime::{Cache, Engine};
use wasmtime_wasi_http::handler::{ExpirationError, InstantiationError, ProxyHandler};
use wasmtime_wasi_http::p3::bindings::ServicePre;
use wasmtime_wasi_http::p3::bindings::http::types::ErrorCode;

use crate::metrics::Metrics;
use crate::outbound::Outbound;
use crate::settings::Settings;
use crate::start_error::StartError;
pub use cache::CacheError;

/// A body on its way between guest, cell and caller.
pub(crate) type Body = wasmtime_wasi_http::WasiBody;
/// What can break a [`Body`].
pub(crate) type BodyError = wasmtime_wasi_http::Error;

/// Why a guest gave no answer.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub(crate) enum GuestFailure {
    /// It trapped: an `unreachable`, its memory limit, or too long without a pause.
    #[error("trapped")]
    Trapped,
    /// It did not answer within the request's clock.
    #[error("timed-out")]
    TimedOut,
    /// No instance was free to take the request.
    #[error("no-instance")]
    NoInstance,
    /// It answered with an error of `wasi:http`.
    #[error("gave-an-error")]
    GaveAnError,
}

/// What every artefact of this process runs on: one compiler, one pool of instances, one clock.
#[derive(Clone)]
pub(crate) struct Machine {
    engine: Engine,
    ticker: Arc<engine::Ticker>,
    cache: Option<(Cache, PathBuf)>,
}

/// An artefact that is compiled, checked and linked.
pub(crate) struct Compiled(ServicePre<store::State>);

/// An artefact that answers.
pub(crate) struct Guest {
    handler: ProxyHandler<worker::Workers>,
}

impl Machine {
    pub(crate) fn new(settings: &Settings) -> Result<Self, StartError> {
        let cache = match &settings.cache {
            Some(path) => Some((cache::open(path)?, path.clone())),
            None => None,
        };
        let engine = engine::engine(&settings.limits, cache.as_ref().map(|(cache, _)| cache.clone()))?;
        let ticker = engine::Ticker::start(&engine).map_err(|error| StartError::Engine(error.to_string()))?;
        Ok(Self { engine, ticker: Arc::new(ticker), cache })
    }

    /// Compiles the artefact, or finds it compiled, and checks it against the edge's world. It takes seconds.
    pub(crate) fn compile(&self, artefact: &[u8], path: &Path) -> Result<Compiled, StartError> {
        world::load(&self.engine, artefact, path).map(Compiled)
    }

    /// Whether what was compiled is in the cache now.
    ///
    /// # Errors
    /// [`CacheError::NotWritten`]: the cache cannot be written, which is no error for a host that serves.
    pub(crate) fn ensure_cached(&self) -> Result<(), CacheError> {
        match &self.cache {
            Some((cache, path)) if cache.cache_hits() + cache.cache_misses() == 0 => {
                Err(CacheError::NotWritten { path: path.clone() })
            }
            _ => Ok(()),
        }
    }

    /// Starts one instance to see that it can.
    pub(crate) async fn start(
        &self,
        Compiled(pre): Compiled,
        settings: &Settings,
        outbound: Arc<Outbound>,
        metrics: Arc<Metrics>,
    ) -> Result<Guest, StartError> {
        let workers = worker::Workers::new(pre, settings, outbound, self.ticker.now(), metrics);
        workers.try_out().await.map_err(|error| StartError::Guest {
            path: settings.artefact.clone(),
            detail: world::one_line(&error),
        })?;
        Ok(Guest { handler: ProxyHandler::new(workers) })
    }
}

impl Guest {
    /// Lets the guest answer one request. The caller keeps its own clock around this.
    pub(crate) async fn answer(&self, request: Request<Bytes>) -> Result<Response<Body>, GuestFailure> {
        let request = request.map(|bytes| Full::new(bytes).map_err(|never| match never {}).boxed_unsync());
        self.handler.handle((), request).await.map_err(|error| classify(&error))
    }
}

fn classify(error: &wasmtime::Error) -> GuestFailure {
    if error.is::<ExpirationError>() {
        GuestFailure::TimedOut
    } else if error.is::<InstantiationError<()>>() {
        GuestFailure::NoInstance
    } else if error.is::<ErrorCode>() {
        GuestFailure::GaveAnError
    } else {
        GuestFailure::Trapped
    }
}
