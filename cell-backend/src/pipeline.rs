//! The request's path through the cell, top to bottom.
//!
//! gate → decode → authenticate → residency → admission → features → query tower → candidates → eligibility → rank →
//! respond. One deadline is made at the gate and handed down; a stage may shorten it for itself, nothing lengthens it,
//! and work past it does not start. What a stage could not do in its time costs a rung, never the answer.

mod climb;
mod gather;

use std::sync::Arc;
use std::time::Duration;

use domicile_deadline::Moment;
use domicile_ladder::{Reason, Rung};
use domicile_topology::Class;
use domicile_wire::{
    Candidates, Code, Features, FramingError, InnerRequest, Problem, RankAnswer, RankedItem, RequestError,
    decode_request, encode_answer, encode_problem,
};

use crate::cell::{Cell, Reach};
use crate::inputs::{self, Profile, RequestInputs};
use crate::refusal;
use crate::retrieval::Candidate;
use crate::shelf::Place;
use crate::telemetry::Stage;
use crate::trip::Trip;

/// What came of the ladder: the shelf, its rung, and the snapshot behind it.
struct Shelf {
    items: Vec<RankedItem>,
    rung: Rung,
    reason: Reason,
    snapshot: String,
}

impl Cell {
    /// Answers the bytes of one inner request that arrived at `arrived`, with the bytes of an inner answer.
    ///
    /// # Errors
    /// [`FramingError`] when the bytes are no message. Everything else is an answer.
    pub async fn answer(&self, arrived: Moment, bytes: &[u8]) -> Result<Vec<u8>, FramingError> {
        let budget = Duration::from_millis(self.topology.clocks.cell_budget_ms.into());
        let mut trip = Trip::begin(self.clock, arrived, budget);

        // Decode: bytes that are no message are answered outside the seal, by the gate.
        let result = match decode_request(bytes) {
            Ok(request) => self.rank(&mut trip, &request).await,
            Err(RequestError::Refused(problem)) => Err(problem),
            Err(RequestError::Framing(error)) => return Err(error),
        };
        Ok(match result {
            Ok(answer) => encode_answer(&answer),
            Err(problem) => {
                self.telemetry.refused(problem.code);
                tracing::debug!(code = problem.code.as_str(), "refused");
                encode_problem(&problem)
            }
        })
    }

    async fn rank(&self, trip: &mut Trip, request: &InnerRequest) -> Result<RankAnswer, Problem> {
        if let Some(left) = request.budget_ms {
            trip.caller_has(Duration::from_millis(left.into()));
        }
        trip.lap(Stage::Gate);

        // Authenticate: the pin's signature and epoch; a plain shopper id only where nobody else can listen.
        let class = self.authenticate(request)?;

        // Residency: any cell of the class may answer, no other may.
        if !class.allows(self.id) {
            return Err(Problem::new(Code::CellNotInClass, "ask a cell of the pin's class"));
        }

        // Admission: what is asked for exists here.
        let slot =
            self.topology.slot_named(&request.rank.slot).ok_or_else(|| refusal::slot(&self.topology))?;
        let rules =
            self.overlay.rules(&request.rank.locale).ok_or_else(|| refusal::locale(&self.topology))?;
        let anchor = inputs::anchors(&self.snapshot, &request.rank.anchor).map_err(refusal::anchor)?;
        trip.lap(Stage::Authenticate);

        // Features: one read of one row. A store that fails or is slow is not taken for a shopper nobody knows.
        let now_s = self.clock.unix_seconds();
        let row = self.read_row(trip, request.shopper.as_ref()).await;
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
        let shelf = self.climb(trip, request, &place, &profile, &asked, &candidates, features.state).await;
        trip.lap(Stage::Rank);

        // Respond.
        let answer = self.respond(trip, shelf, features, counts);
        Ok(answer)
    }

    fn authenticate(&self, request: &InnerRequest) -> Result<&Class, Problem> {
        let class = self.pins.class_of(&request.pin, self.clock.unix_minutes()).map_err(refusal::pin)?;
        if request.shopper.is_some() && self.reach == Reach::Beyond {
            return Err(Problem::new(
                Code::ShopperRefused,
                "a plain shopper id is taken on a loopback listener only",
            ));
        }
        self.topology.class(class).ok_or_else(|| Problem::from(Code::UnknownClass))
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
