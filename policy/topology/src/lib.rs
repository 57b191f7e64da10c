//! `topology.toml`: who may serve whom, where, and within which clocks.
//!
//! One file feeds the edge's tables, the cells' checks and the tools, so that no two of them can disagree
//! about what is lawful. It is parsed, not validated: a [`Topology`] that exists has passed every check, and the
//! types have no other constructor. All problems are reported at once, each with its place and its remedy.
//!
//! Version 1 holds what edge and cells need now; unknown keys are refused with the nearest known one named.

mod answers;
mod check;
mod error;
mod file;
mod home;
mod model;
mod reach;
mod routes;
mod signed;

pub use check::NAME_MAX;
pub use domicile_pin::EpochPolicy;
pub use domicile_route::Transport;
pub use error::{Problem, TopologyError};
pub use model::{
    Boundary, Cell, CellId, Class, ClassCell, ClassId, Clocks, Key, KeyUse, Locale, LocaleId, OnExhaustion,
    Scheme, Slot, SlotId, Topology, Trust,
};
pub use routes::{RouteSkew, RoutesError};
pub use signed::{PAYLOAD_TYPE, SignedTopology, SignedTopologyError};
