//! The rank stage: rung after rung, until one holds.

use std::sync::Arc;

use domicile_ladder::{FeatureState, LastGood, Ranker as Standing, Reason, Rung, Situation, choose};
use domicile_wire::{RankRequest, RankedItem, ShopperId};

use super::Shelf;
use crate::cell::Cell;
use crate::inputs::{CandidateInputs, Profile, RequestInputs};
use crate::last_good::{Begun, Ranking};
use crate::ranker::Model;
use crate::ranker::speeds::Task;
use crate::retrieval::Candidate;
use crate::shelf::Place;
use crate::trip::Trip;

impl Cell {
    /// Takes rungs until one holds. The choice is made anew after each that did not, with the time that is left.
    #[expect(
        clippy::too_many_arguments,
        reason = "everything the stages above made; a struct would only rename it"
    )]
    pub(super) async fn climb(
        &self,
        trip: &Trip,
        (shopper, page): (Option<&ShopperId>, &RankRequest),
        begun: Begun,
        place: &Place<'_>,
        profile: &Profile,
        asked: &Arc<RequestInputs>,
        candidates: &[Candidate],
        features: FeatureState,
    ) -> Shelf {
        let last_good = shopper.and_then(|s| self.last_good.get(s, page, self.clock.now()));
        let inputs = Arc::new(CandidateInputs::new(&self.snapshot, profile, candidates));
        let (mut full, mut compact) = (None, None);
        if candidates.is_empty() && !trip.remaining().is_zero() {
            (full, compact) = (Some(Reason::NoCandidates), Some(Reason::NoCandidates));
        }
        let (budget, reserve) = (self.config.budgets.rank(), self.config.budgets.respond());
        // Only what was passed over with the whole budget at hand was passed over for being slow.
        let mut whole = trip.remaining() >= budget.saturating_add(reserve);
        let stage = trip.within(budget);
        loop {
            let standing = |model, out: Option<Reason>| {
                out.map_or_else(|| Standing::Ready(self.ranker.needs(model)), Standing::Out)
            };
            let of_stage = stage.remaining(self.clock.now()).saturating_add(reserve);
            let situation = Situation {
                remaining: trip.remaining().min(of_stage),
                reserve,
                full: standing(Model::Full, full),
                compact: standing(Model::Compact, compact),
                features,
                last_good: if last_good.is_some() { LastGood::AtHand } else { LastGood::Absent },
            };
            let (rung, reason) = choose(&situation);
            if std::mem::take(&mut whole) {
                self.fade(&situation);
            }
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
            // The ranker has to be done while there is still time to say so, and the full one so that the compact one
            // can still follow.
            let deadline = trip.within(match model {
                Model::Full => situation.for_full(),
                Model::Compact => situation.for_compact(),
            });
            match self.ranker.score(model, asked, &inputs, deadline).await {
                Ok(scores) => {
                    let items = place.ranked(candidates, &scores);
                    // Ranked without the shopper's history, a shelf must not replace one that was ranked with it.
                    if let Some(shopper) = shopper.filter(|_| features != FeatureState::Failed) {
                        self.remember(begun, shopper, page, &items);
                    }
                    return Shelf { items, rung, reason, snapshot: self.snapshot.id.clone() };
                }
                Err(error) => *out = Some(error.reason()),
            }
        }
    }

    fn remember(&self, begun: Begun, shopper: &ShopperId, page: &RankRequest, items: &[RankedItem]) {
        let scored =
            items.iter().filter_map(|item| item.score.map(|score| (item.id.clone(), item.source, score)));
        let ranking = Ranking { snapshot: self.snapshot.id.clone(), items: scored.collect() };
        self.last_good.put(begun, shopper, page, self.clock.now(), ranking);
    }

    /// Lets the estimates sink of the models that are too slow even for the whole budget, so that they are tried
    /// again in the end.
    fn fade(&self, situation: &Situation) {
        for (model, allowed) in
            [(Model::Full, situation.for_full()), (Model::Compact, situation.for_compact())]
        {
            let estimate = self.ranker.speeds().of(Task::Score(model));
            if estimate.upper() > allowed {
                estimate.fade();
            }
        }
    }
}
