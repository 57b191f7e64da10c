//! Features: what is kept of a shopper, and the store it is kept in.
//!
//! One row per shopper with two groups beside each other, so that a request reads everything in one round trip:
//! `profile` (slow, brought up to date by imports and batches) and `session` (fast). Item features are no part of it:
//! they live in the snapshot. A row holds external item ids, not indices, since it outlives snapshots.

pub mod embedded;
pub mod row;

use std::future::Future;
use std::pin::Pin;

use domicile_wire::ShopperId;

pub use row::{Group, ITEMS_MAX, ItemHistory, Kind, RECENT_MAX, Row};

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
    /// The store's threads are gone: the process is stopping.
    #[error("feature store: stopping")]
    Stopping,
}

/// A read in flight.
pub type Reading<'a> = Pin<Box<dyn Future<Output = Result<Option<Row>, StoreError>> + Send + 'a>>;

/// A store of shoppers' rows.
pub trait FeatureStore: Send + Sync {
    /// The shopper's row, or none when the store knows nothing of them: one read, never on the async threads. The
    /// reads that are under way are bounded, those that nobody waits for any more included; one more waits.
    fn read<'a>(&'a self, shopper: &'a ShopperId) -> Reading<'a>;
}
