//! The client against an edge that plays tricks, in virtual time; the cells behind it open and seal for real.
#![expect(
    clippy::panic,
    clippy::unwrap_used,
    clippy::indexing_slicing,
    reason = "a test may fail, its helpers too; clippy knows tests by their attribute only"
)]

mod calls;
mod cells;
mod documents;
mod loopback;
mod properties;
mod tricks;
mod world;
