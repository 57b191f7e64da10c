//! The product's own programs as a small cluster on loopback: for the demo, the benches and the end-to-end tests.
//!
//! Nothing here is special to a test but the choice of files: cells, edge, identity service and command are started the way an
//! operator would start them, and stopped the same way. Depends on next to nothing, so that the developers' command
//! that is built first on a fresh machine is built in seconds. [`memory`] reads what a running host holds.

mod cells;
pub mod cluster;
pub mod memory;
pub mod paths;
pub mod ports;
pub mod process;
pub mod report;
mod secrets;
mod shop;
mod slow;

pub use cluster::{Clocks, Cluster, Setup};
pub use process::Server;
pub use shop::CellState;
