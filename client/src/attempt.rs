//! One sealed request, and what is made of what comes back.

use std::sync::Arc;

use domicile_deadline::Deadline;
use domicile_receipt::Receipt;
use domicile_route::RouteCell;
use domicile_seal::config::PublicConfig;
use domicile_seal::{Opener, SealError, Sealer};
use domicile_wire::{Call, Caller, Code, Problem, Reply, Request};
use http::StatusCode;
use serde::de::DeserializeOwned;

use crate::exchange::{self, Outer};
use crate::outside::within;
use crate::{Answered, Ask, Client, Fallback, Kept, Outcome, Outside, Reason, Refusal};

/// A cell's verified keys.
pub(crate) type Keys = Arc<Vec<PublicConfig>>;

/// What an attempt ended with, and what a further one could be.
pub(crate) enum End<T> {
    /// Nothing more to do.
    Done(Outcome<T>),
    /// The cell's clock is another one; it is known now.
    Skew(Outcome<T>),
    /// The cell refused these keys.
    Key(Outcome<T>, Keys),
    /// The cell failed; another one may do better.
    Failed(Outcome<T>),
}

impl<O: Outside> Client<O> {
    /// Seals one request, sends it, and reads what comes back.
    pub(crate) async fn attempt<T: DeserializeOwned>(
        &self,
        ask: &Ask<'_>,
        cell: &RouteCell,
        call: &Call,
        keys: Keys,
        limit: Deadline,
        attempts: &mut u32,
    ) -> End<T> {
        let (request, opener) = match self.seal(ask, call, &keys, limit) {
            Ok(sealed) => sealed,
            Err(error) => return End::Done(Outcome::fallback(error.into(), *attempts)),
        };
        let Some(outgoing) = exchange::sealed(&self.edge, &ask.grant.pin, ask.page, cell, &request) else {
            return End::Done(Outcome::fallback(Reason::AnswerLost, *attempts));
        };
        *attempts += 1;
        let attempts = *attempts;
        let fallback = |reason| Outcome::fallback(reason, attempts);
        let answer = match within(&self.outside, limit, self.outside.send(outgoing)).await {
            Some(Ok(answer)) => answer,
            Some(Err(_lost)) => return End::Failed(fallback(Reason::AnswerLost)),
            None => return End::Failed(fallback(Reason::CellFailed)),
        };
        let answer = match exchange::read(cell, answer) {
            Outer::Sealed(answer) => answer,
            Outer::Refused(edge) => {
                // It does not know this pin, or this cell of the class: its manifest may be another one by now.
                if edge.status == StatusCode::FORBIDDEN {
                    self.memory().forget_route(&ask.grant.class);
                }
                let edge = Some(edge);
                return End::Done(Outcome::Fallback(Fallback {
                    reason: Reason::EdgeRefused,
                    attempts,
                    edge,
                }));
            }
            Outer::None(Reason::KeyRefused) => return End::Key(fallback(Reason::KeyRefused), keys),
            Outer::None(Reason::TooLarge) => return End::Done(fallback(Reason::TooLarge)),
            Outer::None(reason) => return End::Failed(fallback(reason)),
        };
        match opener.open(&answer).ok().and_then(|message| Reply::decode(&message).ok()) {
            Some(reply) => self.judge(ask, cell, request, reply, attempts),
            None => End::Failed(fallback(Reason::NotAnAnswer)),
        }
    }

    /// The inner request, sealed: by the cell's clock as far as it is known, with what is left of the time.
    fn seal(
        &self,
        ask: &Ask<'_>,
        call: &Call,
        keys: &Keys,
        limit: Deadline,
    ) -> Result<(Vec<u8>, Opener), SealError> {
        let left = limit.remaining(self.outside.now()).as_millis();
        let request = Request {
            pin: ask.grant.pin.clone(),
            caller: Caller::Token(ask.grant.token.clone()),
            date_s: Some(self.outside.unix_seconds().saturating_add(self.memory().offset_s)),
            budget_ms: Some(u32::try_from(left).unwrap_or(u32::MAX)),
            call: call.clone(),
        };
        Sealer::new(keys, None)?.seal(&request.encode())
    }

    /// What an opened answer comes to.
    fn judge<T: DeserializeOwned>(
        &self,
        ask: &Ask<'_>,
        cell: &RouteCell,
        request: Vec<u8>,
        reply: Reply,
        attempts: u32,
    ) -> End<T> {
        let failed = |reason| End::Failed(Outcome::fallback(reason, attempts));
        let answer = match reply.parse::<T>() {
            Ok(Ok(answer)) => answer,
            Ok(Err(problem)) => return self.refused(cell, problem, reply.date_s, attempts),
            Err(_error) => return failed(Reason::NotAnAnswer),
        };
        let Some(envelope) = reply.receipt else { return failed(Reason::ReceiptRefused) };
        let signers = cell.keys().unwrap_or_default();
        let receipt = Receipt::open(&envelope, &signers)
            .and_then(|receipt| {
                receipt.covers(&reply.content, Some(&request), Some(&cell.name)).map(|()| receipt)
            })
            .ok()
            .filter(|receipt| receipt.class == ask.grant.class && receipt.boundary == cell.boundary);
        let Some(receipt) = receipt else { return failed(Reason::ReceiptRefused) };
        let now = self.outside.now();
        let mut memory = self.memory();
        memory.answered(&cell.name);
        if let Some(steer) = reply.steer {
            memory.steer(&ask.grant.class, steer, now);
        }
        drop(memory);
        let kept = Kept { request, answer: reply.content, receipt: envelope };
        let cell = cell.name.clone();
        End::Done(Outcome::Answered(Box::new(Answered { answer, cell, attempts, receipt, kept })))
    }

    /// What a problem inside the seal comes to.
    fn refused<T>(&self, cell: &RouteCell, problem: Problem, date_s: Option<i64>, attempts: u32) -> End<T> {
        let code = problem.code;
        let refusal = Outcome::Refused(Refusal { cell: cell.name.clone(), problem, attempts });
        match (code, date_s) {
            (Code::DateSkew, Some(date_s)) => {
                self.memory().offset_s = date_s.saturating_sub(self.outside.unix_seconds());
                End::Skew(refusal)
            }
            // What another cell of the class may do: it was too slow, its disk failed, or its topology is another one.
            (Code::Late | Code::StoreFailed | Code::CellNotInClass | Code::UnknownClass, _) => {
                End::Failed(refusal)
            }
            _ => End::Done(refusal),
        }
    }
}
