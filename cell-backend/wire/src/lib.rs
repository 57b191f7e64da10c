//! What a cell is asked and answers: the inner messages and their binary HTTP encoding.
//!
//! Inside the seal travels ordinary HTTP (RFC 9292, known-length form): `POST /v1/rank`, `POST /v1/events`,
//! `GET /v1/shopper` and `DELETE /v1/shopper`, answered with JSON or with a problem document (RFC 9457). The cell and
//! the clients share these types, so that a field cannot mean two things. Two failures are told apart: bytes that are
//! no message at all ([`FramingError`]), and a sound message that asks for something it cannot have ([`Problem`]).
//!
//! The binary HTTP crate underneath accepts any trailing bytes and a message of any shape; [`message`] holds the
//! stricter rules. Everything that speaks of a person redacts its `Debug`.

pub mod answer;
mod bearer;
pub mod call;
pub mod date;
pub mod event;
pub mod message;
pub mod problem;
pub mod reply;
pub mod request;
pub mod shopper;
pub mod shopper_data;
pub mod steer;

pub use answer::{Candidates, Features, RankAnswer, RankedItem, Source, decode_response};
pub use bearer::Bearer;
pub use call::{Call, Caller, Request, RequestError, decode_request};
pub use event::{Event, EventKind, EventsAnswer, Shown};
pub use message::FramingError;
pub use problem::{Code, Problem};
pub use reply::{Marks, Reply, encode_content, encode_problem};
pub use request::{InnerRequest, RankRequest, encode_request};
pub use shopper::ShopperId;
pub use shopper_data::{ErasureAnswer, ErasureState, ExportItem, ExportPage, Group, PageToken};
pub use steer::Steer;

/// Media type of a binary HTTP message (RFC 9292 §7).
pub const MEDIA_TYPE: &str = "message/bhttp";
/// Path at which a cell's gateway takes messages.
pub const GATEWAY_PATH: &str = "/gateway";
/// Path at which a cell states its sealing keys.
pub const KEYS_PATH: &str = "/keys";
/// Longest inner request in bytes, padding included.
pub const REQUEST_MAX: usize = 16 * 1024;
/// Longest inner answer in bytes, padding included.
pub const ANSWER_MAX: usize = 256 * 1024;
