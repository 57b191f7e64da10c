//! Popularity: the lists, the route manifests, the problem documents and the answer to a CORS preflight.
//!
//! It has the opposite of the relay's means: it writes bodies and knows the lists, and has no way out. It is never
//! reached by a request from outside, only by one the relay made of numbers (`domicile_tables::Page`), so nothing of a
//! shopper's request can be in what it sees.

mod bindings;
mod component;
mod page;

pub use page::{Answer, Body, answer};
