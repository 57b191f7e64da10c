//! Opening a sealed request and sealing its answer.
//!
//! Outside the seal stands only what is known without opening it. Once it is open, everything is an answer of the one
//! size, problems and lateness included: an edge sees a 200 of so many bytes whatever came of it.

use std::time::Duration;

use domicile_deadline::Moment;
use domicile_seal::{Answerer, SealRefusal};
use domicile_wire::{Code, Problem};

use super::Gateway;
use crate::cell::Cell;
use crate::pipeline::Way;
use crate::telemetry::{SealPart, Turned};

impl Gateway {
    pub(super) async fn sealed(&self, arrived: Moment, bytes: &[u8]) -> Result<Vec<u8>, Turned> {
        let current = self.cell.sealing.as_ref().map(crate::sealing::Sealing::current);
        let current = current.ok_or(Turned::Seal(SealRefusal::UnknownKey))?;
        let cell = &self.cell;
        let begun = cell.clock.now();
        let opened = current.open(bytes).map_err(Turned::Seal)?;
        cell.telemetry.sealed(SealPart::Open, cell.clock.now().since(begun));
        let (way, remaining) = (Way::Sealed { request: bytes }, self.remaining(arrived));
        let message = cell.answer_in_time(arrived, &opened.message, way, remaining).await;
        let begun = cell.clock.now();
        let sealed = cell.seal(opened.answerer, &message, way, cell.answer_size);
        cell.telemetry.sealed(SealPart::Answer, cell.clock.now().since(begun));
        Ok(sealed)
    }
}

impl Cell {
    async fn answer_in_time(
        &self,
        arrived: Moment,
        bytes: &[u8],
        way: Way<'_>,
        remaining: Duration,
    ) -> Vec<u8> {
        match tokio::time::timeout(remaining, self.answer(arrived, bytes, way)).await {
            Ok(Ok(message)) => message,
            Ok(Err(error)) => self.refuse(&Problem::new(Code::MessageInvalid, error.as_str()), way),
            Err(_) => self.refuse(&Problem::new(Code::Late, "the answer was not ready in time"), way),
        }
    }

    /// Seals an answer of exactly `size` bytes; what does not fit is a problem that does.
    fn seal(&self, answerer: Answerer, message: &[u8], way: Way<'_>, size: usize) -> Vec<u8> {
        let (answerer, too_long) = match answerer.seal(message, size) {
            Ok(sealed) => return sealed,
            Err(refused) => refused,
        };
        let detail = format!("{} bytes, and an answer holds {}", too_long.found, too_long.room);
        tracing::warn!(found = too_long.found, room = too_long.room, "an answer does not fit its size");
        let problem = self.refuse(&Problem::new(Code::AnswerTooLarge, detail), way);
        // A problem fits the least size there is.
        answerer.seal(&problem, size).unwrap_or_default()
    }
}
