//! The tables an edge is built with, and what its parts say to each other.
//!
//! The forge writes these tables into the three components; the components read them back. The format is private to
//! one artefact: both sides are built from this crate, and [`FORMAT`] stands at the head of every table so that a
//! module of another version is refused instead of misread. It is a plain concatenation of big-endian integers and
//! length-prefixed texts, because the reader is part of a component that should stay small and must never trap.
//!
//! A component reads a table through `domicile:boundary/tables`: row [`TABLE_ROW`] is the table itself, the rows
//! after it are the lists and route manifests of the popularity component.

mod bytes;
mod headers;
mod lists;
mod path;
mod problem;
mod relay;
mod routes;

pub use bytes::DecodeError;
pub use headers::FIXED_HEADERS;
pub use lists::{ListKey, ListPage, Lists, RouteKey, RoutePage};
pub use path::Page;
pub use problem::{FallbackReason, Problem};
pub use relay::{CellAddress, RelayTable, SlotWait, UriScheme};
pub use routes::{ClassRow, Named, PinRow, RoutingTable};

/// The version of the table format.
pub const FORMAT: u16 = 2;

/// The row that holds a component's table.
pub const TABLE_ROW: u32 = 0;

/// The longest path the edge looks at, in bytes.
pub const MAX_PATH: usize = 512;

/// The longest name of a cell, class, locale or slot in a path, in bytes.
pub const NAME_MAX: usize = 32;

/// The length of a pin's text: 78 bytes in base64url without padding.
pub const PIN_TEXT: usize = 104;
