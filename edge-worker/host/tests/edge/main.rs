//! The host with real listeners, real components and cells that misbehave.
#![expect(
    clippy::expect_used,
    clippy::indexing_slicing,
    clippy::panic,
    clippy::unwrap_used,
    reason = "a test may fail, its helpers too; clippy knows tests by their attribute only"
)]

mod admin;
mod cell;
mod certificates;
mod client;
mod fixture;
mod frames;
mod guests;
mod host;
mod inbound;
mod intake;
mod memory;
mod process;
mod rate;
mod relay;
mod routes;
mod shelf;
mod start;
mod swap;
mod tls;
mod trust;
mod wrong;
