//! Files that an operator names: read without waiting and up to a limit, written whole or not at all.
//!
//! A path is whatever lies there. A pipe would hold a start, a reload and with them the end of the process for as long
//! as nobody writes to it; a device, or a file somebody let grow, would be read until there is no memory; a link where
//! a result goes would have another file emptied. So a file is opened without waiting, looked at through the handle
//! that is then read from, and read up to a limit ([`read`]); and written beside its place before it is moved there
//! ([`write_whole`]).
//!
//! Looking at the path first and then reading it was the alternative, rejected because what lies there may change in
//! between.

mod access;
mod kind;
pub mod limit;
mod read;
mod write;

pub use access::{Access, is_open_to_others};
pub use kind::Kind;
pub use read::{ReadError, length, open, read, read_text};
pub use write::{Partial, WriteError, ensure_replaceable, write_whole};
