//! The forge over modules that were really built, over components written by hand, and over inputs of every size.
//!
//! Needs what `cargo xtask modules --fixtures` builds; `cargo xtask test` does that first.

#![expect(
    clippy::indexing_slicing,
    clippy::panic,
    clippy::unwrap_used,
    reason = "helpers of tests fail by panicking"
)]

mod audit;
mod built;
mod fixtures;
mod modules;
mod routes;
mod rows;
mod skew;
mod wit;
