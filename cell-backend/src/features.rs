//! Features: what is kept of a shopper, and the store it is kept in.
//!
//! One row per shopper with two groups beside each other, so that a request reads everything in one round trip:
//! `profile` (slow, brought up to date by imports and batches) and `session` (fast). Item features are no part of it:
//! they live in the snapshot. A row holds external item ids, not indices, since it outlives snapshots.

pub mod embedded;
mod intake;
pub mod row;

use std::future::Future;
use std::pin::Pin;

use domicile_wire::{Event, ShopperId};

pub use intake::{EVENT_IDS_MAX, SESSION_ITEMS_MAX, Taken, taken_in};
pub use row::{EventMark, Group, ITEMS_MAX, ItemHistory, Kind, RECENT_MAX, Row};

/// Why the store did not answer. Never says for whom.
#[derive(Debug, thiserror::Error)]
pub enum StoreError {
    /// The store's own error.
    #[error("feature store: {0}")]
    Store(String),
    /// The file was altered or damaged since it was written.
    #[error("feature store: damaged; stop the cell, and put back a copy or import again")]
    Damaged,
    /// A row that is not of a known version, or damaged.
    #[error("feature store: a row of unknown form")]
    Row,
    /// The system refused an operation (a full disk), and the library goes on only with a file that is opened anew. That
    /// is done: the next request finds it open, or is told the same.
    #[error("feature store: its file was given up after a failure of its disk, and is opened anew")]
    GivenUp,
    /// The store's threads are gone: the process is stopping.
    #[error("feature store: stopping")]
    Stopping,
}

/// Who a shopper is, as far as keeping goes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Standing {
    /// Somebody the shop knows: kept until erased.
    Known,
    /// A session alone, under a random subject that never comes back: kept for its time and no longer.
    Anonymous,
}

/// A read in flight.
pub type Reading<'a> = Doing<'a, Option<Row>>;

/// A call of the store in flight.
pub type Doing<'a, T> = Pin<Box<dyn Future<Output = Result<T, StoreError>> + Send + 'a>>;

/// Everything that is kept of one shopper.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Kept {
    /// The row.
    pub row: Option<Row>,
    /// When the shopper was last erased, seconds since the Unix epoch.
    pub erased_s: Option<i64>,
}

/// A store of shoppers' rows.
pub trait FeatureStore: Send + Sync {
    /// The shopper's row, or none when the store knows nothing of them: one read, never on the async threads. The
    /// reads that are under way are bounded, those that nobody waits for any more included; one more waits.
    fn read<'a>(&'a self, shopper: &'a ShopperId) -> Reading<'a>;

    /// Takes a batch of events in. Once it is over without an error, what was accepted is durable. May be repeated: an
    /// event is taken once.
    fn take<'a>(
        &'a self,
        shopper: &'a ShopperId,
        standing: Standing,
        events: Vec<Event>,
        now_s: i64,
    ) -> Doing<'a, Taken>;

    /// Everything that is kept of the shopper.
    fn kept<'a>(&'a self, shopper: &'a ShopperId) -> Doing<'a, Kept>;

    /// Erases the shopper: a tombstone that outlives imports, and the row with it, durably and together. May be
    /// repeated. Gives the tombstone's time.
    fn erase<'a>(&'a self, shopper: &'a ShopperId, now_s: i64) -> Doing<'a, i64>;

    /// Takes out the rows of anonymous shoppers whose last batch came before `before_s`, and gives their number.
    fn expire(&self, before_s: i64) -> Doing<'_, u64>;
}
