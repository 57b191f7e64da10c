//! Instances and their lives: how many requests one takes, and when it has to go.

use std::pin::Pin;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::task::{Context, Poll};
use std::time::{Duration, Instant};

use tokio::time::{Sleep, sleep, sleep_until};
use wasmtime::component::GuestTaskId;
use wasmtime::{Store, StoreContextMut};
use wasmtime_wasi_http::WasiHttpView;
use wasmtime_wasi_http::handler::{
    HandlerState, Instance, Proxy, ShouldAccept, WorkerExpiration, WorkerState, WorkerStatus,
};
use wasmtime_wasi_http::p3::bindings::ServicePre;

use super::engine::Epochs;
use super::store::{self, State};
use crate::metrics::{Count, Gauge, Metrics};
use crate::outbound::Outbound;
use crate::settings::Settings;

/// How much later an instance is ended than its request: the request's own clock is to be over first, since it is the
/// one that says why there is no answer.
const GRACE: Duration = Duration::from_millis(100);

/// Makes instances.
pub(super) struct Workers {
    pre: ServicePre<State>,
    settings: Settings,
    outbound: Arc<Outbound>,
    epochs: Epochs,
    metrics: Arc<Metrics>,
}

impl Workers {
    pub(super) fn new(
        pre: ServicePre<State>,
        settings: &Settings,
        outbound: Arc<Outbound>,
        epochs: Epochs,
        metrics: Arc<Metrics>,
    ) -> Self {
        Self { pre, settings: settings.clone(), outbound, epochs, metrics }
    }

    /// Makes one instance and drops it.
    pub(super) async fn try_out(&self) -> wasmtime::Result<()> {
        self.pre.instantiate_async(self.store()).await.map(drop)
    }

    fn store(&self) -> Store<State> {
        let counted = self.metrics.up(Gauge::Instances);
        let (outbound, epochs) = (Arc::clone(&self.outbound), self.epochs.clone());
        store::store(self.pre.engine(), &self.settings, outbound, epochs, counted)
    }
}

impl HandlerState for Workers {
    type StoreData = State;
    type WorkerExpiration = Expiration;
    type WorkerState = Worker;

    async fn instantiate(&self) -> wasmtime::Result<Instance<State, Expiration, Worker>> {
        let mut store = self.store();
        let service = self.pre.instantiate_async(&mut store).await?;
        self.metrics.count(Count::InstanceMade);
        let clocks = self.settings.clocks;
        Ok(Instance {
            store,
            proxy: Proxy::P3(service),
            view: <State as WasiHttpView>::http,
            expiration: Expiration { request: clocks.request, idle: clocks.instance_idle, sleep: None },
            state: Worker {
                request: clocks.request,
                reuse: self.settings.limits.reuse,
                concurrent: self.settings.limits.concurrent,
                used: AtomicBool::new(false),
                metrics: Arc::clone(&self.metrics),
            },
        })
    }
}

/// One instance at work.
pub(super) struct Worker {
    request: Duration,
    reuse: usize,
    concurrent: usize,
    used: AtomicBool,
    metrics: Arc<Metrics>,
}

impl WorkerState for Worker {
    type StoreData = State;
    type RequestData = ();

    fn should_accept_request(&self, concurrent: usize, total: usize) -> ShouldAccept {
        if total >= self.reuse {
            ShouldAccept::Never
        } else if concurrent >= self.concurrent {
            ShouldAccept::No
        } else {
            ShouldAccept::Yes
        }
    }

    fn on_request_start(
        &self,
        store: StoreContextMut<'_, State>,
        (): (),
        _task: GuestTaskId,
    ) -> Pin<Box<dyn Future<Output = ()> + 'static + Send + Sync>> {
        store::begins(store);
        if self.used.swap(true, Ordering::Relaxed) {
            self.metrics.count(Count::InstanceReused);
        }
        Box::pin(sleep(self.request))
    }

    fn drop(&self, store: Store<State>, result: Result<(), wasmtime::Error>) {
        if let Err(error) = result {
            self.metrics.count(Count::InstanceTrapped);
            tracing::debug!(cause = %super::world::one_line(&error), "instance ended");
        }
        drop(store);
    }
}

/// The clock around an instance, polled outside its store, where a computing guest cannot starve it.
pub(super) struct Expiration {
    request: Duration,
    idle: Duration,
    sleep: Option<Pin<Box<Sleep>>>,
}

impl WorkerExpiration for Expiration {
    fn poll(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
        status: WorkerStatus,
        start: Instant,
    ) -> Poll<()> {
        let allowed = match status {
            WorkerStatus::Idle => self.idle,
            WorkerStatus::Requests | WorkerStatus::PostReturn => self.request + GRACE,
        };
        let deadline = tokio::time::Instant::from_std(start) + allowed;
        let sleep = self.sleep.get_or_insert_with(|| Box::pin(sleep_until(deadline)));
        if sleep.deadline() != deadline {
            sleep.as_mut().reset(deadline);
        }
        sleep.as_mut().poll(context)
    }
}
