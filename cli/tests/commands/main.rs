//! Commands as processes: the identity service, keys, receipts.
#![expect(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::indexing_slicing,
    reason = "a test fails by panicking"
)]

mod identity;
mod keys;
mod overwriting;
mod receipts;
mod service;
mod world;
