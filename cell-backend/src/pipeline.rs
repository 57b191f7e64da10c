//! The request's path through the cell, top to bottom.
//!
//! gate → unseal → decode → freshness → authenticate → residency → admission → features → query tower → candidates →
//! eligibility → rank → respond, receipt → seal; gate and seal are the gateway's. One deadline is made at the gate and handed down; a stage may shorten it for itself, nothing lengthens it,
//! and work past it does not start. What a stage could not do in its time costs a rung, never the answer.

mod admit;
mod climb;
mod gather;
mod shopper;

use std::sync::Arc;
use std::time::Duration;

use domicile_deadline::Moment;
use domicile_ladder::{Reason, Rung};
use domicile_receipt::Stated;
use domicile_wire::{
    Call, Candidates, Code, Features, FramingError, Marks, Problem, RankAnswer, RankRequest, RankedItem,
    Request, RequestError, ShopperId, decode_request, encode_content, encode_problem,
};

use crate::cell::Cell;
use crate::inputs::{self, Profile, RequestInputs};
use crate::refusal;
use crate::retrieval::Candidate;
use crate::shelf::Place;
use crate::telemetry::{SealPart, Stage, Tally};
use crate::trip::Trip;

/// What came of the ladder: the shelf, its rung, and the snapshot behind it.
struct Shelf {
    items: Vec<RankedItem>,
    rung: Rung,
    reason: Reason,
    snapshot: String,
}

/// How a request came.
#[derive(Clone, Copy)]
pub enum Way<'w> {
    /// As plain binary HTTP: interim, on loopback only.
    Plain,
    /// Sealed; these are the bytes as they were sealed, which the receipt covers.
    Sealed {
        /// The bytes.
        request: &'w [u8],
    },
    /// As ordinary HTTP over mutual TLS, on the direct listener; this is the request's content, which the receipt covers.
    Direct {
        /// The content; empty for a call without one.
        request: &'w [u8],
    },
}

impl Way<'_> {
    /// Whether a plain shopper id, or nobody at all, may ask.
    const fn is_plain(self) -> bool {
        matches!(self, Self::Plain)
    }
}

/// A call that was answered: the content and what a receipt says of it.
struct Done {
    content: Vec<u8>,
    class: String,
    rung: &'static str,
    snapshot: Option<String>,
}

impl Cell {
    /// Answers the bytes of one inner request that arrived at `arrived`, with the bytes of an inner answer.
    ///
    /// # Errors
    /// [`FramingError`] when the bytes of a request that is not sealed are no message. Everything else is an answer.
    pub async fn answer(&self, arrived: Moment, bytes: &[u8], way: Way<'_>) -> Result<Vec<u8>, FramingError> {
        let budget = Duration::from_millis(self.topology.clocks.cell_budget_ms.into());
        let mut trip = Trip::begin(self.clock, arrived, budget);

        // Decode: bytes that are no message are answered outside where there is no seal.
        let result = match (decode_request(bytes), way) {
            (Ok(request), _) => self.call(&mut trip, request, way).await,
            (Err(RequestError::Refused(problem)), _) => Err(problem),
            (Err(RequestError::Framing(error)), Way::Plain | Way::Direct { .. }) => return Err(error),
            (Err(RequestError::Framing(error)), Way::Sealed { .. }) => {
                Err(Problem::new(Code::MessageInvalid, error.as_str()))
            }
        };

        // Respond: with a receipt over exactly the content that is sent, where the request was sealed.
        Ok(match result {
            Ok(done) => {
                let receipt = self.receipt(&done, way);
                let marks = Marks { receipt: receipt.as_deref(), ..self.marks(way) };
                encode_content(&done.content, marks)
            }
            Err(problem) => self.refuse(&problem, way),
        })
    }

    /// A problem in place of an answer.
    pub(crate) fn refuse(&self, problem: &Problem, way: Way<'_>) -> Vec<u8> {
        self.telemetry.refused(problem.code);
        tracing::debug!(code = problem.code.as_str(), "refused");
        encode_problem(problem, self.marks(way))
    }

    async fn call(&self, trip: &mut Trip, request: Request, way: Way<'_>) -> Result<Done, Problem> {
        if let Some(left) = request.budget_ms {
            trip.caller_has(Duration::from_millis(left.into()));
        }
        trip.lap(Stage::Gate);

        // Freshness: the date inside the seal, then whether it was seen before.
        self.fresh(&request, way)?;

        // Authenticate and residency: the pin, whether its class is lawful here, the token of that class.
        let (class, shopper, standing) = self.admit(&request, way)?;
        let shopper = shopper.as_ref();

        let name = request.call.as_str();
        let (content, tally, rung, snapshot) = match request.call {
            Call::Rank(page) => {
                let answer = self.rank(trip, shopper, &page).await?;
                (serde_json::to_vec(&answer), Tally::Ranked, answer.rung.as_str(), Some(answer.snapshot))
            }
            Call::Events(events) => {
                let answer = self.take_events(shopper, standing, events).await?;
                (serde_json::to_vec(&answer), Tally::EventsTaken, name, None)
            }
            Call::Export(after) => {
                let answer = self.export(shopper, after.as_ref()).await?;
                (serde_json::to_vec(&answer), Tally::Exported, name, None)
            }
            Call::Erase => {
                let answer = self.erase(shopper, class).await?;
                (serde_json::to_vec(&answer), Tally::Erased, name, None)
            }
        };
        self.telemetry.tally(tally, 1);
        // Answers are texts, numbers and lists of them, which always make JSON.
        Ok(Done { content: content.unwrap_or_default(), class: class.name.clone(), rung, snapshot })
    }

    async fn rank(
        &self,
        trip: &mut Trip,
        shopper: Option<&ShopperId>,
        page: &RankRequest,
    ) -> Result<RankAnswer, Problem> {
        let begun = self.last_good.begin();

        // Admission: what is asked for exists here.
        let slot = self.topology.slot_named(&page.slot).ok_or_else(|| refusal::slot(&self.topology))?;
        let rules = self.overlay.rules(&page.locale).ok_or_else(|| refusal::locale(&self.topology))?;
        let anchor = inputs::anchors(&self.snapshot, &page.anchor).map_err(refusal::anchor)?;
        trip.lap(Stage::Authenticate);

        // Features: one read of one row. A store that fails or is slow is not taken for a shopper nobody knows.
        let now_s = self.clock.unix_seconds();
        let row = self.read_row(trip, shopper).await;
        let features = self.judge(&row, now_s);
        let known = row.ok().flatten().map(|row| inputs::profile(&self.snapshot, &row, now_s));
        let profile = known.unwrap_or_else(Profile::unknown);
        let asked = Arc::new(RequestInputs::new(&self.snapshot, &profile, &anchor, &slot.name, now_s));
        trip.lap(Stage::Features);

        // Query tower: without history and anchor there is nothing to ask it.
        let query = self.query(trip, &asked).await;
        trip.lap(Stage::Query);

        // Candidates: own ∪ ANN ∪ popular, each with all its sources; own ∪ popular where the search gives nothing.
        let mut candidates = self.candidates(trip, &profile, query).await;
        let mut counts = count(&candidates);
        trip.lap(Stage::Candidates);

        // Eligibility: the overlay's rules of the locale, and what the page shows already.
        let place = Place {
            snapshot: &self.snapshot,
            rules,
            slot: &slot.name,
            items: slot.items.into(),
            anchor: &anchor,
        };
        let before = candidates.len();
        candidates.retain(|candidate| place.allows(candidate.item));
        counts.ineligible = u32::try_from(before - candidates.len()).unwrap_or(u32::MAX);
        trip.lap(Stage::Eligibility);

        // Rank: the best rung that the rest of the deadline affords.
        let asks = (shopper, page);
        let shelf =
            self.climb(trip, asks, begun, &place, &profile, &asked, &candidates, features.state).await;
        trip.lap(Stage::Rank);

        // Respond.
        let answer = self.respond(trip, shelf, features, counts);
        Ok(answer)
    }

    fn marks(&self, way: Way<'_>) -> Marks<'static> {
        let date_s = (!way.is_plain()).then(|| self.clock.unix_seconds());
        Marks { date_s, ..Marks::default() }
    }

    fn receipt(&self, done: &Done, way: Way<'_>) -> Option<String> {
        let (Way::Sealed { request } | Way::Direct { request }, Some(sealing)) = (way, &self.sealing) else {
            return None;
        };
        let boundary = self.topology.cell(self.id).map_or("", |cell| cell.boundary.as_str());
        let stated = Stated {
            cell: &self.name,
            boundary,
            class: &done.class,
            snapshot: done.snapshot.as_deref(),
            rung: done.rung,
            time_s: self.clock.unix_seconds(),
        };
        let begun = self.clock.now();
        let receipt = sealing.receipt(request, &done.content, stated);
        self.telemetry.sealed(SealPart::Receipt, self.clock.now().since(begun));
        Some(receipt)
    }

    fn respond(
        &self,
        trip: &mut Trip,
        shelf: Shelf,
        features: Features,
        candidates: Candidates,
    ) -> RankAnswer {
        let mut answer = RankAnswer {
            items: shelf.items,
            rung: shelf.rung,
            reason: shelf.reason,
            snapshot: shelf.snapshot,
            overlay: self.overlay.id.clone(),
            cell: self.name.clone(),
            features,
            candidates,
            elapsed_us: 0,
            stages_us: std::collections::BTreeMap::new(),
        };
        trip.lap(Stage::Respond);
        answer.stages_us = trip.stages_us();
        answer.elapsed_us = u64::try_from(trip.elapsed().as_micros()).unwrap_or(u64::MAX);
        self.telemetry.served(answer.rung, answer.reason, features.state, &trip.stages());
        if trip.remaining().is_zero() {
            self.telemetry.missed_deadline();
        }
        tracing::debug!(
            rung = answer.rung.as_str(),
            reason = answer.reason.as_str(),
            features = features.state.as_str(),
            elapsed_us = answer.elapsed_us,
            "answered"
        );
        answer
    }
}

fn count(candidates: &[Candidate]) -> Candidates {
    let of = |from: fn(&Candidate) -> bool| {
        u32::try_from(candidates.iter().filter(|c| from(c)).count()).unwrap_or(u32::MAX)
    };
    Candidates {
        own: of(|c| c.from_own),
        ann: of(|c| c.from_ann),
        popular: of(|c| c.from_popular),
        ineligible: 0,
    }
}
