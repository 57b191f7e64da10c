//! What came of a call.

use std::fmt;

use domicile_receipt::Receipt;
use domicile_wire::{Event, ExportPage, Problem};
use serde_json::Value;

use crate::Reason;

/// What came of one call. Only the first is success.
#[derive(Debug)]
pub enum Outcome<T> {
    /// A cell of the class answered, and its receipt covers the answer.
    Answered(Box<Answered<T>>),
    /// A cell of the class said no, inside the seal.
    Refused(Refusal),
    /// No cell answered: the list stays.
    Fallback(Fallback),
}

/// A cell's answer.
#[derive(Debug)]
pub struct Answered<T> {
    /// What it says.
    pub answer: T,
    /// The cell that was asked and signed.
    pub cell: String,
    /// Requests that were sealed for it, 1 or 2.
    pub attempts: u32,
    /// What the cell states of it, verified.
    pub receipt: Receipt,
    /// What shows that later.
    pub kept: Kept,
}

/// What is kept of an answer, so that anyone with the cell's public key can check it later: `domicile receipt verify`.
/// Its `Debug` shows sizes alone: the answer is the shopper's.
#[derive(Clone, PartialEq, Eq)]
pub struct Kept {
    /// The request exactly as it was sealed. Nobody but the cell can open it.
    pub request: Vec<u8>,
    /// The answer's content exactly as it was sent.
    pub answer: Vec<u8>,
    /// The receipt's envelope, JSON.
    pub receipt: String,
}

impl fmt::Debug for Kept {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Kept({} bytes sealed, {} bytes answered)", self.request.len(), self.answer.len())
    }
}

/// A cell's no.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Refusal {
    /// The cell.
    pub cell: String,
    /// Why.
    pub problem: Problem,
    /// Requests that were sealed.
    pub attempts: u32,
}

/// Why there is no answer.
#[derive(Clone, Debug, PartialEq)]
pub struct Fallback {
    /// The reason, of the last cell that was tried.
    pub reason: Reason,
    /// Requests that were sealed, 0 to 2.
    pub attempts: u32,
    /// What the edge said, where it refused the request itself.
    pub edge: Option<EdgeProblem>,
}

/// A refusal by the edge, in the clear. Its words are the edge's: to be shown, not to be believed.
#[derive(Clone, Debug, PartialEq)]
pub struct EdgeProblem {
    /// The HTTP status.
    pub status: u16,
    /// The problem document (RFC 9457), or null when it was none.
    pub problem: Value,
}

/// What became of events.
#[derive(Debug)]
pub struct Told {
    /// Events that a cell has on its disk.
    pub accepted: u32,
    /// Events that it had already.
    pub duplicates: u32,
    /// Events older than the shopper's erasure, which it dropped.
    pub erased: u32,
    /// Events to tell again later, in their order: nobody acknowledged them. They may have arrived; telling one twice
    /// counts it once.
    pub undelivered: Vec<Event>,
    /// What stopped the telling, where events are left.
    pub stopped: Option<Outcome<()>>,
}

/// What a cell keeps about a shopper.
#[derive(Debug)]
pub struct Exported {
    /// Every page that was answered, first to last.
    pub pages: Vec<ExportPage>,
    /// What stopped the export before its end; none when it is whole.
    pub stopped: Option<Outcome<()>>,
}

impl<T> Outcome<T> {
    pub(crate) fn fallback(reason: Reason, attempts: u32) -> Self {
        Self::Fallback(Fallback { reason, attempts, edge: None })
    }

    /// The answer, or the same without success, of another type.
    pub(crate) fn answered<U>(self) -> Result<Box<Answered<T>>, Outcome<U>> {
        match self {
            Self::Answered(answered) => Ok(answered),
            Self::Refused(refusal) => Err(Outcome::Refused(refusal)),
            Self::Fallback(fallback) => Err(Outcome::Fallback(fallback)),
        }
    }
}
