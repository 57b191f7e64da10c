//! Tests of the cell as a process and with real models: the demo snapshot and ONNX Runtime.
//!
//! `ORT_DYLIB_PATH` has to name the library (`cargo xtask test` sets it); without it these tests fail and say so.
#![expect(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    clippy::indexing_slicing,
    reason = "a test fails by panicking"
)]

mod clocks;
mod direct;
mod documented;
mod listening;
mod parity;
mod process;
mod recall;
mod sealed;
mod serving;
mod starting;
mod world;
