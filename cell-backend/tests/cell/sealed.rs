//! Sealed requests against a real cell: every call, and every bad input, in one size.

mod bad;
mod calls;
mod desk;
mod hanging;
mod process;
