//! A page's side of sealed requests: what is checked before anything is sealed, and what counts as an answer.
//!
//! The problem: between a page and its cell stands an edge that may be wrong, old or hostile. It hands out the list of
//! cells and their keys, it carries requests, and it answers with a popularity list whenever it likes. So a client has
//! to hold three lines by itself. **Nothing is sealed** to a key that does not lead to the root key. **No cell outside
//! of the class** is sent a byte, whatever fails. **No fallback counts as an answer**: an answer is what opens, has its
//! one size and a receipt of the cell that was asked.
//!
//! Failover is the client's as well: the edge relays once and remembers nothing. A call has one extra attempt in all,
//! be it for a clock that was off, for keys fetched anew or for the next cell; more would turn a cell's bad minute into
//! a flood. Rejected: retries below this level, which multiply, and a shared list of dead cells, which is a place where
//! pages could be told apart. Who is dead is forgotten with the page.
//!
//! Nothing here reads a clock, opens a connection or draws a number but through [`Outside`]: tests run in virtual time
//! against an edge that plays tricks. [`Network`] is the real one. The crate knows nothing of a command line; the
//! browser's client is tested against it.

mod answer;
mod attempt;
mod backoff;
mod calls;
mod client;
mod exchange;
mod grant;
mod identity;
mod memory;
mod network;
mod order;
mod outside;
mod page;
mod reason;
mod split;
mod tries;
mod trust;

pub use answer::{Answered, EdgeProblem, Exported, Fallback, Kept, Outcome, Refusal, Told};
pub use calls::{Ask, Cells};
pub use client::{Client, ListError};
pub use grant::{Grant, GrantError};
pub use identity::{Identity, IdentityError};
pub use memory::Seen;
pub use network::Network;
pub use outside::{Lost, Outside};
pub use page::Page;
pub use reason::Reason;
