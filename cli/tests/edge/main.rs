//! `domicile edge` and `domicile topology` as programs: what they refuse, what they write, and how they end.
//!
//! Needs what `cargo xtask modules` builds; `cargo xtask test` does that first.

#![expect(clippy::indexing_slicing, clippy::unwrap_used, reason = "helpers of tests fail by panicking")]

mod auditing;
mod building;
mod checking;
mod publishing;
mod signing;
mod world;
