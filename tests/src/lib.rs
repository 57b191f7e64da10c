//! What crosses crates: end-to-end tests over real processes.
//!
//! The tests start the programs that `cargo xtask test` has built, with real data: a slice of the demo's households.
//! A test that finds something missing fails and says which command makes it; none is skipped.

pub mod asking;
pub mod http;
pub mod world;
