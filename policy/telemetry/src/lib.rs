//! What edge host and cell count and say alike.
//!
//! Two programs whose latencies are to be laid on top of each other need the same bounds, and one exposition to be
//! scraped alike. What each of them counts, and under which labels, is its own. Pure: durations and times are arguments.

mod histogram;
mod seldom;
mod text;

pub use histogram::Histogram;
pub use seldom::Seldom;
pub use text::{head, line};
