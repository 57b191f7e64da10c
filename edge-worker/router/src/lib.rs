//! The router: a pure function from method, path and minute to an [`Outcome`].
//!
//! It is a component of its own because of what it does *not* have: no import at all, hence no clock, no network, no
//! memory of earlier requests that anything could reach. The one text it is given is the path, and nothing textual
//! comes out, so whatever somebody puts into a path ends here.

mod bindings;
mod component;
mod decide;
mod grammar;
mod pin;

pub use bindings::exports::domicile::boundary::routing::{Fallback, Method, Outcome, Refusal, Relay, Shelf};
pub use decide::decide;
