//! The engine: pooled, with epochs, and the thread that counts them.

use std::io;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::thread::{self, JoinHandle};
use std::time::Duration;

use wasmtime::{Cache, Config, Engine, InstanceAllocationStrategy, OptLevel, PoolingAllocationConfig};

use crate::settings::Limits;
use crate::start_error::StartError;

/// Time between two epochs: what a computing guest can hold a worker thread for.
pub(super) const TICK: Duration = Duration::from_millis(10);

/// Core modules in a composed artefact: three components, their adapters and a component of tables.
const CORE_INSTANCES: u32 = 24;
const MEMORIES: u32 = 4;
const TABLES: u32 = 12;

/// An engine with room for two instances for each request in flight: one at work, one finishing what it began.
pub(super) fn engine(limits: &Limits, cache: Option<Cache>) -> Result<Engine, StartError> {
    let instances = u32::from(limits.in_flight).saturating_mul(2).saturating_add(8);
    let mut pool = PoolingAllocationConfig::new();
    pool.total_component_instances(instances)
        .total_stacks(instances.saturating_mul(2))
        .total_core_instances(instances.saturating_mul(CORE_INSTANCES))
        .total_memories(instances.saturating_mul(MEMORIES))
        .total_tables(instances.saturating_mul(TABLES))
        .max_core_instances_per_component(CORE_INSTANCES)
        .max_memories_per_component(MEMORIES)
        .max_tables_per_component(TABLES)
        .max_memory_size(memory_bytes(limits));
    let mut config = Config::new();
    config
        .allocation_strategy(InstanceAllocationStrategy::Pooling(pool))
        .cranelift_opt_level(OptLevel::Speed)
        .epoch_interruption(true)
        .wasm_component_model_async(true)
        .cache(cache);
    Engine::new(&config).map_err(|error| StartError::Engine(super::world::one_line(&error)))
}

/// The memory cap in bytes.
pub(super) fn memory_bytes(limits: &Limits) -> usize {
    limits.memory_mib.saturating_mul(1 << 20)
}

/// How many epochs have passed, readable without the engine.
#[derive(Clone)]
pub(super) struct Epochs(Arc<AtomicU64>);

impl Epochs {
    pub(super) fn get(&self) -> u64 {
        self.0.load(Ordering::Relaxed)
    }
}

/// The thread that advances the engine's epoch. It is a thread because no runtime task is polled while guests compute
/// on all of the runtime's threads.
pub(super) struct Ticker {
    epochs: Epochs,
    stop: Arc<AtomicBool>,
    thread: Option<JoinHandle<()>>,
}

impl Ticker {
    pub(super) fn start(engine: &Engine) -> io::Result<Self> {
        let epochs = Epochs(Arc::default());
        let stop = Arc::new(AtomicBool::new(false));
        let engine = engine.clone();
        let (counter, stopped) = (epochs.clone(), Arc::clone(&stop));
        let thread = thread::Builder::new().name("epochs".to_owned()).spawn(move || {
            while !stopped.load(Ordering::Relaxed) {
                thread::sleep(TICK);
                counter.0.fetch_add(1, Ordering::Relaxed);
                engine.increment_epoch();
            }
        })?;
        Ok(Self { epochs, stop, thread: Some(thread) })
    }

    pub(super) fn now(&self) -> Epochs {
        self.epochs.clone()
    }
}

impl Drop for Ticker {
    fn drop(&mut self) {
        self.stop.store(true, Ordering::Relaxed);
        if let Some(thread) = self.thread.take() {
            drop(thread.join());
        }
    }
}
