//! What an instance owns, and what keeps it in bounds.

use std::sync::Arc;
use std::time::Duration;

use wasmtime::component::ResourceTable;
use wasmtime::{Engine, Store, StoreContextMut, StoreLimits, StoreLimitsBuilder, UpdateDeadline};
use wasmtime_wasi::clocks::{WasiClocksCtx, WasiClocksCtxView, WasiClocksView};
use wasmtime_wasi_http::{WasiHttpCtx, WasiHttpCtxView, WasiHttpView};

use super::call::Calls;
use super::engine::{Epochs, TICK, memory_bytes};
use crate::metrics::Up;
use crate::outbound::Outbound;
use crate::settings::Settings;

/// How long a guest may compute without a pause before it is trapped. A whole answer takes it well under 1 ms.
pub(super) const LONGEST_RUN: Duration = Duration::from_millis(500);

/// The data of one instance's store.
pub(super) struct State {
    table: ResourceTable,
    http: WasiHttpCtx,
    clocks: WasiClocksCtx,
    calls: Calls,
    limits: StoreLimits,
    run: Run,
    _counted: Up,
}

impl WasiHttpView for State {
    fn http(&mut self) -> WasiHttpCtxView<'_> {
        WasiHttpCtxView { hooks: &mut self.calls, table: &mut self.table, ctx: &mut self.http }
    }
}

impl WasiClocksView for State {
    fn clocks(&mut self) -> WasiClocksCtxView<'_> {
        WasiClocksCtxView { ctx: &mut self.clocks, table: &mut self.table }
    }
}

/// A new store with its limits in place.
pub(super) fn store(
    engine: &Engine,
    settings: &Settings,
    outbound: Arc<Outbound>,
    epochs: Epochs,
    counted: Up,
) -> Store<State> {
    let state = State {
        table: ResourceTable::new(),
        http: WasiHttpCtx::new(),
        clocks: WasiClocksCtx::default(),
        calls: Calls::new(outbound, settings.strip),
        limits: StoreLimitsBuilder::new().memory_size(memory_bytes(&settings.limits)).build(),
        run: Run::default(),
        _counted: counted,
    };
    let mut store = Store::new(engine, state);
    store.limiter(|state| &mut state.limits);
    store.set_epoch_deadline(1);
    store.epoch_deadline_callback(move |mut context| {
        Ok(match context.data_mut().run.seen(epochs.get()) {
            Verdict::MayGoOn => UpdateDeadline::Yield(1),
            Verdict::TooLong => UpdateDeadline::Interrupt,
        })
    });
    store
}

/// A request begins: what ran before it is not held against it.
pub(super) fn begins(mut store: StoreContextMut<'_, State>) {
    store.data_mut().run = Run::default();
    store.set_epoch_deadline(1);
}

/// How long a guest has been computing: consecutive epochs in which it was found at it.
#[derive(Debug, Default, Clone, Copy, PartialEq, Eq)]
struct Run {
    last: u64,
    length: u32,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Verdict {
    MayGoOn,
    TooLong,
}

impl Run {
    fn seen(&mut self, epoch: u64) -> Verdict {
        let goes_on = epoch.saturating_sub(self.last) <= 1;
        self.length = if goes_on { self.length.saturating_add(1) } else { 1 };
        self.last = epoch;
        if TICK.saturating_mul(self.length) > LONGEST_RUN { Verdict::TooLong } else { Verdict::MayGoOn }
    }
}

#[cfg(test)]
mod tests {
    use super::{Run, Verdict};

    #[test]
    fn a_run_without_a_pause_is_stopped() {
        let mut run = Run::default();
        let verdicts: Vec<_> = (100..160).map(|epoch| run.seen(epoch)).collect();
        assert_eq!(verdicts.iter().filter(|verdict| **verdict == Verdict::MayGoOn).count(), 50);
        assert_eq!(verdicts.last(), Some(&Verdict::TooLong));
    }

    #[test]
    fn a_pause_starts_the_count_again() {
        let mut run = Run::default();
        assert!((0..1_000).map(|step| run.seen(step * 2)).all(|verdict| verdict == Verdict::MayGoOn));
    }
}
