//! The blind relay: takes sealed requests to a cell and answers back, without being able to read either.
//!
//! The problem: an edge that terminates a shopper's connection sees headers and bodies unless something keeps it from
//! looking. A promise in a policy does not, and neither does careful code: the next change may look. So the relay is
//! built from a WIT without the functions that read (`wit/deps/wasi-http`), what the bindings' glue still carries of
//! `stream.read` and its like is replaced by traps before the component is made, and an audit names every import that
//! is left (`edge-worker/forge`). What remains can move a body stream from one place to another, as a handle.
//!
//! Rejected: a component of the Spin SDK's request types, which copies headers and pumps bodies through memory; and
//! leaving the unused intrinsics to the optimiser, which brings them back with the first drop of an optional stream.
//!
//! It can write no body of its own. What it answers with comes from a cell or from the popularity component.

mod answers;
mod bindings;
mod component;
mod upstream;
