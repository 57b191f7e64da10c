//! What a cell is asked and answers: the inner messages and their binary HTTP encoding.
//!
//! Inside the seal travels ordinary HTTP (RFC 9292, known-length form): `POST /v1/rank` with a JSON body, answered
//! with JSON or with a problem document (RFC 9457). The cell and the clients share these types, so that a field
//! cannot mean two things. Two failures are told apart: bytes that are no message at all ([`FramingError`], answered
//! outside the seal, where nobody knows who asks), and a sound message that asks for something it cannot have
//! ([`Problem`], answered inside it).
//!
//! The binary HTTP crate underneath accepts any trailing bytes and a message of any shape; [`message`] holds the
//! stricter rules. Everything that speaks of a person redacts its `Debug`.

pub mod answer;
pub mod message;
pub mod nearest;
pub mod problem;
pub mod request;
pub mod shopper;

pub use answer::{
    Candidates, Features, RankAnswer, RankedItem, Source, decode_response, encode_answer, encode_problem,
};
pub use message::FramingError;
pub use problem::{Code, Problem};
pub use request::{InnerRequest, RankRequest, RequestError, decode_request, encode_request};
pub use shopper::ShopperId;

/// Media type of a binary HTTP message (RFC 9292 §7).
pub const MEDIA_TYPE: &str = "message/bhttp";
/// Path at which a cell's gateway takes messages.
pub const GATEWAY_PATH: &str = "/gateway";
/// Longest inner request in bytes, padding included.
pub const REQUEST_MAX: usize = 16 * 1024;
/// Longest inner answer in bytes, padding included.
pub const ANSWER_MAX: usize = 256 * 1024;
