//! A cell's parts, put together.

use std::sync::Arc;
use std::time::Duration;

use domicile_telemetry::Seldom;
use domicile_topology::{CellId, Topology};

use crate::clock::Clock;
use crate::config::Config;
use crate::features::FeatureStore;
use crate::last_good::LastGoodCache;
use crate::overlay::Overlay;
use crate::pins::PinBook;
use crate::ranker::Ranker;
use crate::retrieval::CandidateIndex;
use crate::room::Room;
use crate::sealing::Sealing;
use crate::snapshots::Snapshot;
use crate::telemetry::{self, Telemetry};
use crate::tokens::Tokens;

/// How far a listener reaches; the farther is the greater.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Reach {
    /// This machine only.
    Loopback,
    /// Beyond it.
    Beyond,
}

/// A cell: everything a request needs. The path through it is [`Cell::answer`].
pub struct Cell {
    /// The topology it was started with.
    pub topology: Topology,
    /// Its number in the topology.
    pub id: CellId,
    /// Its name.
    pub name: String,
    /// How far its listener reaches.
    pub reach: Reach,
    /// Its configuration.
    pub config: Config,
    /// The process's clock.
    pub clock: Clock,
    /// The snapshot it serves.
    pub snapshot: Snapshot,
    /// The overlay it applies.
    pub overlay: Overlay,
    /// Its feature store.
    pub store: Arc<dyn FeatureStore>,
    /// Its index.
    pub index: Arc<dyn CandidateIndex>,
    /// Its models.
    pub ranker: Ranker,
    /// Its shoppers' last good rankings; shared with erasures, which end without whoever asked for them.
    pub last_good: Arc<LastGoodCache>,
    /// Its counters.
    pub telemetry: Telemetry,
    /// The pins it has seen to be good.
    pub pins: PinBook,
    /// Its sealing keys, if it takes sealed requests.
    pub sealing: Option<Sealing>,
    /// The tokens it takes, if any.
    pub tokens: Option<Tokens>,
    /// Bytes of each of its sealed answers.
    pub answer_size: usize,
    /// Room for index searches.
    pub searches: Room,
    /// The log line of a store that fails.
    pub store_failed: Seldom,
    /// The log line of sealing keys that cannot be made.
    pub keys_failed: Seldom,
}

/// The parts that are loaded from outside.
pub struct Parts {
    /// The snapshot.
    pub snapshot: Snapshot,
    /// The overlay.
    pub overlay: Overlay,
    /// The feature store.
    pub store: Arc<dyn FeatureStore>,
    /// The index.
    pub index: Arc<dyn CandidateIndex>,
    /// The models.
    pub ranker: Ranker,
    /// The sealing keys.
    pub sealing: Option<Sealing>,
    /// The tokens' keys and terms.
    pub tokens: Option<Tokens>,
}

impl Cell {
    /// Puts a cell together.
    pub fn new(
        topology: Topology,
        (id, name): (CellId, String),
        reach: Reach,
        config: Config,
        clock: Clock,
        parts: Parts,
    ) -> Self {
        let keep = Duration::from_secs(config.limits.last_good_s.into());
        Self {
            last_good: Arc::new(LastGoodCache::new(config.limits.last_good_entries as usize, keep)),
            telemetry: Telemetry::new(&parts.snapshot.id),
            pins: PinBook::new(&topology),
            searches: Room::of(config.limits.searches),
            answer_size: topology.answer_bytes() as usize,
            sealing: parts.sealing,
            tokens: parts.tokens,
            store_failed: telemetry::lines(),
            keys_failed: telemetry::lines(),
            topology,
            id,
            name,
            reach,
            config,
            clock,
            snapshot: parts.snapshot,
            overlay: parts.overlay,
            store: parts.store,
            index: parts.index,
            ranker: parts.ranker,
        }
    }
}
