//! The request's path through the cell, top to bottom.
//!
//! gate → decode → authenticate → residency → admission → features → query tower → candidates → eligibility → rank →
//! respond. One deadline is made at the gate and handed down; a stage may shorten it for itself, nothing lengthens it,
//! and work past it does not start. What a stage could not do in its time costs a rung, never the answer.

use std::sync::Arc;
use std::time::Duration;

use domicile_deadline::Moment;
use domicile_ladder::{FeatureState, LastGood, Ranker as Standing, Reason, Rung, Situation, choose};
use domicile_topology::Class;
use domicile_wire::{
    Candidates, Code, Features, FramingError, InnerRequest, Problem, RankAnswer, RankedItem, RequestError,
    ShopperId, decode_request, encode_answer, encode_problem,
};

use crate::cell::{Cell, Reach};
use crate::features::Row;
use crate::inputs::{self, CandidateInputs, Profile, RequestInputs};
use crate::last_good::Ranking;
use crate::ranker::Model;
use crate::refusal;
use crate::retrieval::{Candidate, unite};
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

        // Features: one read of one row. A store that fails or is slow leaves the shopper unknown.
        let now_s = self.clock.unix_seconds();
        let row = self.read_row(trip, request.shopper.as_ref()).await;
        let features = self.judge(row.as_ref(), now_s);
        let known = row.as_ref().map(|row| inputs::profile(&self.snapshot, row, now_s));
        let profile = known.unwrap_or_else(Profile::unknown);
        let asked = Arc::new(RequestInputs::new(&self.snapshot, &profile, &anchor, &slot.name, now_s));
        trip.lap(Stage::Features);

        // Query tower: without history and anchor there is nothing to ask it.
        let query = self.query(trip, &asked).await;
        trip.lap(Stage::Query);

        // Candidates: own ∪ ANN ∪ popular, each with all its sources.
        let mut candidates = self.candidates(&profile, query).await;
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

    async fn read_row(&self, trip: &Trip, shopper: Option<&ShopperId>) -> Option<Row> {
        let deadline = trip.within(self.config.budgets.features());
        let remaining = deadline.remaining(self.clock.now());
        match tokio::time::timeout(remaining, self.store.read(shopper?)).await {
            Ok(Ok(row)) => row,
            Ok(Err(error)) => {
                tracing::warn!(%error, "features not read");
                None
            }
            Err(_) => None,
        }
    }

    fn judge(&self, row: Option<&Row>, now_s: i64) -> Features {
        let Some(row) = row else {
            return Features { state: FeatureState::None, age_s: 0 };
        };
        let age_s = u64::try_from(now_s.saturating_sub(row.updated_s)).unwrap_or_default();
        let state = match (row.profile.items.is_empty(), row.session.items.is_empty()) {
            (true, true) => FeatureState::None,
            (true, false) => FeatureState::Session,
            _ if age_s <= self.config.limits.fresh_s.into() => FeatureState::Fresh,
            _ => FeatureState::Stale,
        };
        Features { state, age_s }
    }

    async fn query(&self, trip: &Trip, asked: &Arc<RequestInputs>) -> Option<Vec<f32>> {
        if !asked.says_something() {
            return None;
        }
        let deadline = trip.within(self.config.budgets.query());
        let query = self.ranker.query(asked, deadline).await;
        query.inspect_err(|error| tracing::debug!(%error, "no query")).ok()
    }

    /// The union of the sources; the search runs off the async threads.
    async fn candidates(&self, profile: &Profile, query: Option<Vec<f32>>) -> Vec<Candidate> {
        let limits = self.snapshot.manifest.candidates;
        let popular = self.snapshot.popular.get(..limits.popular).unwrap_or(&self.snapshot.popular);
        let own = profile.own.iter().take(limits.own).map(|own| own.item);
        let Some(query) = query else {
            return unite(own, &[], popular, |_| 0.0);
        };
        let index = Arc::clone(&self.index);
        let search = tokio::task::spawn_blocking(move || (index.nearest(&query, limits.ann), query));
        match search.await {
            Ok((nearest, query)) => unite(own, &nearest, popular, |item| self.index.score(&query, item)),
            Err(_) => unite(own, &[], popular, |_| 0.0),
        }
    }

    /// Takes rungs until one holds. The choice is made anew after each that did not, with the time that is left.
    #[expect(
        clippy::too_many_arguments,
        reason = "everything the stages above made; a struct would only rename it"
    )]
    async fn climb(
        &self,
        trip: &Trip,
        request: &InnerRequest,
        place: &Place<'_>,
        profile: &Profile,
        asked: &Arc<RequestInputs>,
        candidates: &[Candidate],
        features: FeatureState,
    ) -> Shelf {
        let (locale, slot) = (&request.rank.locale, &request.rank.slot);
        let shopper = request.shopper.as_ref();
        let last_good = shopper.and_then(|s| self.last_good.get(s, locale, slot, self.clock.now()));
        let inputs = Arc::new(CandidateInputs::new(&self.snapshot, profile, candidates));
        let (mut full, mut compact) = (None, None);
        if candidates.is_empty() {
            (full, compact) = (Some(Reason::NoCandidates), Some(Reason::NoCandidates));
        }
        loop {
            let standing = |model, out: Option<Reason>| {
                out.map_or_else(|| Standing::Ready(self.ranker.needs(model)), Standing::Out)
            };
            let (rung, reason) = choose(&Situation {
                remaining: trip.remaining(),
                reserve: self.config.budgets.respond(),
                full: standing(Model::Full, full),
                compact: standing(Model::Compact, compact),
                features,
                last_good: if last_good.is_some() { LastGood::AtHand } else { LastGood::Absent },
            });
            let (model, out) = match (rung, &last_good) {
                (Rung::Full, _) => (Model::Full, &mut full),
                (Rung::Compact, _) => (Model::Compact, &mut compact),
                (Rung::LastGood, Some(ranking)) => {
                    return Shelf {
                        items: place.last_good(ranking),
                        rung,
                        reason,
                        snapshot: ranking.snapshot.clone(),
                    };
                }
                _ => {
                    let snapshot = self.snapshot.id.clone();
                    return Shelf { items: place.list(), rung: Rung::List, reason, snapshot };
                }
            };
            // The ranker has to be done while there is still time to say so.
            let reserve = self.config.budgets.respond();
            let deadline = trip.within(trip.remaining().saturating_sub(reserve));
            match self.ranker.score(model, asked, &inputs, deadline).await {
                Ok(scores) => {
                    let items = place.ranked(candidates, &scores);
                    if let Some(shopper) = shopper {
                        self.remember(shopper, locale, slot, &items);
                    }
                    return Shelf { items, rung, reason, snapshot: self.snapshot.id.clone() };
                }
                Err(error) => *out = Some(error.reason()),
            }
        }
    }

    fn remember(&self, shopper: &ShopperId, locale: &str, slot: &str, items: &[RankedItem]) {
        let scored =
            items.iter().filter_map(|item| item.score.map(|score| (item.id.clone(), item.source, score)));
        let ranking = Ranking { snapshot: self.snapshot.id.clone(), items: scored.collect() };
        self.last_good.put(shopper, locale, slot, self.clock.now(), ranking);
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
