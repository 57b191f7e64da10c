//! The stages that gather what is ranked: the shopper's row, the query, the candidates. Each may give nothing, within
//! its budget, and is counted by what came of it.

use std::sync::Arc;

use domicile_ladder::FeatureState;
use domicile_wire::{Features, ShopperId};

use crate::cell::Cell;
use crate::features::{Group, Row};
use crate::inputs::{Profile, RequestInputs};
use crate::ranker::RankerError;
use crate::retrieval::{Candidate, unite};
use crate::telemetry::{Outcome, Stage};
use crate::trip::Trip;

/// The store gave no answer, which says nothing of the shopper.
pub(super) struct NoAnswer;

impl Cell {
    /// The shopper's row, or none when there is no shopper or nothing is known of them.
    pub(super) async fn read_row(
        &self,
        trip: &Trip,
        shopper: Option<&ShopperId>,
    ) -> Result<Option<Row>, NoAnswer> {
        let Some(shopper) = shopper else {
            return Ok(None);
        };
        let (outcome, row) = self.read_within_budget(trip, shopper).await;
        self.telemetry.came_of(Stage::Features, outcome);
        match outcome {
            Outcome::Done | Outcome::Nothing => Ok(row),
            _ => Err(NoAnswer),
        }
    }

    async fn read_within_budget(&self, trip: &Trip, shopper: &ShopperId) -> (Outcome, Option<Row>) {
        let remaining = trip.within(self.config.budgets.features()).remaining(self.clock.now());
        if remaining.is_zero() {
            return (Outcome::NotStarted, None);
        }
        match tokio::time::timeout(remaining, self.store.read(shopper)).await {
            Ok(Ok(Some(row))) => (Outcome::Done, Some(row)),
            Ok(Ok(None)) => (Outcome::Nothing, None),
            Ok(Err(error)) => {
                if let Some(unsaid) = self.store_failed.may(self.clock.running()) {
                    tracing::warn!(%error, unsaid, "features not read");
                }
                (Outcome::Failed, None)
            }
            Err(_) => (Outcome::Late, None),
        }
    }

    /// What the row says of the shopper to this snapshot: items that its table does not have say nothing.
    pub(super) fn judge(&self, row: &Result<Option<Row>, NoAnswer>, now_s: i64) -> Features {
        let nothing = |state| Features { state, age_s: 0 };
        let row = match row {
            Ok(Some(row)) => row,
            Ok(None) => return nothing(FeatureState::None),
            Err(NoAnswer) => return nothing(FeatureState::Failed),
        };
        let age_s = u64::try_from(now_s.saturating_sub(row.updated_s)).unwrap_or_default();
        let listed =
            |group: &Group| group.items.iter().any(|h| self.snapshot.items.index_of(&h.item).is_some());
        match (listed(&row.profile), listed(&row.session)) {
            (false, false) => nothing(FeatureState::None),
            (false, true) => Features { state: FeatureState::Session, age_s },
            _ if age_s <= self.config.limits.fresh_s.into() => Features { state: FeatureState::Fresh, age_s },
            _ => Features { state: FeatureState::Stale, age_s },
        }
    }

    /// The tower's query, where there is anything to make one from.
    pub(super) async fn query(&self, trip: &Trip, asked: &Arc<RequestInputs>) -> Option<Vec<f32>> {
        if !asked.says_something() {
            return None;
        }
        let deadline = trip.within(self.config.budgets.query());
        let (outcome, query) = if deadline.passed(self.clock.now()) {
            (Outcome::NotStarted, None)
        } else {
            match self.ranker.query(asked, deadline).await {
                Ok(query) => (Outcome::Done, Some(query)),
                Err(RankerError::Busy) => (Outcome::Full, None),
                Err(RankerError::Failed) => (Outcome::Failed, None),
                Err(RankerError::Late) => (Outcome::Late, None),
            }
        };
        self.telemetry.came_of(Stage::Query, outcome);
        query
    }

    /// The union of the sources; none past the deadline.
    pub(super) async fn candidates(
        &self,
        trip: &Trip,
        profile: &Profile,
        query: Option<Vec<f32>>,
    ) -> Vec<Candidate> {
        if trip.remaining().is_zero() {
            return Vec::new();
        }
        let limits = self.snapshot.manifest.candidates;
        let popular = self.snapshot.popular.get(..limits.popular).unwrap_or(&self.snapshot.popular);
        let own = profile.own.iter().take(limits.own).map(|own| own.item);
        let Some(query) = query else {
            return unite(own, &[], popular, |_| 0.0);
        };
        let query: Arc<[f32]> = query.into();
        let (index, asked) = (Arc::clone(&self.index), Arc::clone(&query));
        // Off the async threads: a search takes longer than a request may keep one of them.
        let search = self.searches.run(move || index.nearest(&asked, limits.ann));
        let remaining = trip.within(self.config.budgets.candidates()).remaining(self.clock.now());
        let (outcome, nearest) = if remaining.is_zero() {
            (Outcome::NotStarted, Vec::new())
        } else {
            match tokio::time::timeout(remaining, search).await {
                Ok(Ok(nearest)) => (Outcome::Done, nearest),
                Ok(Err(_)) => (Outcome::Failed, Vec::new()),
                Err(_) => (Outcome::Late, Vec::new()),
            }
        };
        self.telemetry.came_of(Stage::Candidates, outcome);
        unite(own, &nearest, popular, |item| self.index.score(&query, item))
    }
}
