//! Which rung of the ladder a request can still afford, and why.
//!
//! The naive way tries the best ranker and falls back when it did not answer: by then the time that the fallback
//! needed is gone as well, and the page gets nothing. So the choice is made *before* the work starts, from what is
//! left of the deadline and what each rung is known to take at its 95th percentile. It is made again whenever a rung
//! was tried and gave nothing, with less time left. Nothing here knows a clock, a queue or a model.
//!
//! The rungs, best first: [`Rung::Full`], [`Rung::Compact`] (distilled from it), [`Rung::LastGood`] (the shopper's
//! last ranking), [`Rung::List`]. The list is part of every answer's inputs already, so it is always affordable:
//! [`choose`] is total.

use std::time::Duration;

use serde::{Deserialize, Serialize};

/// A rung of the ladder. The order is from worst to best, so that rungs compare.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Rung {
    /// The popularity list of the locale and slot.
    List,
    /// The shopper's last good ranking, filtered again.
    LastGood,
    /// The compact ranker.
    Compact,
    /// The full ranker.
    Full,
}

/// Why an answer stands on its rung: what kept it from the next better *ranking* rung. For [`Rung::LastGood`] and
/// [`Rung::List`] that is what kept it from being ranked at all; the list also says that no last ranking was there.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Reason {
    /// Nothing did: the full ranker answered in time.
    WithinBudget,
    /// Nothing is known of the shopper, so there is nothing for the full ranker to work with.
    NoFeatures,
    /// The feature store did not answer, so what is known of the shopper could not be used.
    FeaturesFailed,
    /// The full ranker would not have been done in time, with the compact one's time kept back.
    FullTooSlow,
    /// Not even the compact ranker would have been done in time.
    DeadlineTooNear,
    /// The rankers' queues were full.
    RankerBusy,
    /// The ranker gave an error.
    RankerFailed,
    /// The ranker was started and was not done in time.
    RankerLate,
    /// Nothing was left to rank after the overlay's filter.
    NoCandidates,
}

/// What is known of the shopper.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum FeatureState {
    /// A profile that was updated within the freshness limit.
    Fresh,
    /// A profile older than that.
    Stale,
    /// Only what this session brought along.
    Session,
    /// Nothing.
    None,
    /// The store did not answer, or not in time: whether anything is known was not learnt.
    Failed,
}

/// How a ranker stands for one request.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Ranker {
    /// It can be asked, and 95 of 100 such requests are answered within this time, waiting included.
    Ready(Duration),
    /// It was tried, or need not be tried, for this reason.
    Out(Reason),
}

/// Whether the shopper's last good ranking is at hand.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum LastGood {
    /// It is, and within its time limit.
    AtHand,
    /// It is not.
    Absent,
}

/// What the choice is made from.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Situation {
    /// What is left of the deadline.
    pub remaining: Duration,
    /// What has to be kept of it to put the answer on its way.
    pub reserve: Duration,
    /// The full ranker.
    pub full: Ranker,
    /// The compact ranker.
    pub compact: Ranker,
    /// What is known of the shopper.
    pub features: FeatureState,
    /// The last good ranking.
    pub last_good: LastGood,
}

impl Situation {
    /// How long the full ranker may take: what is left, less the reserve, less what the compact one needs, so that a
    /// full ranker that is late after all still leaves room for it. A compact ranker that is out, or slower than the
    /// full one, is not waited for.
    pub fn for_full(&self) -> Duration {
        match (self.full, self.compact) {
            (Ranker::Ready(full), Ranker::Ready(compact)) if compact < full => {
                self.for_compact().saturating_sub(compact)
            }
            _ => self.for_compact(),
        }
    }

    /// How long the compact ranker may take: what is left, less the reserve.
    pub fn for_compact(&self) -> Duration {
        self.remaining.saturating_sub(self.reserve)
    }
}

/// The rung to take now, and the reason to tell if it works out.
pub fn choose(situation: &Situation) -> (Rung, Reason) {
    let above_compact = match situation.full {
        _ if situation.features == FeatureState::None => Reason::NoFeatures,
        _ if situation.features == FeatureState::Failed => Reason::FeaturesFailed,
        Ranker::Ready(needs) if needs <= situation.for_full() => return (Rung::Full, Reason::WithinBudget),
        Ranker::Ready(_) => Reason::FullTooSlow,
        Ranker::Out(reason) => reason,
    };
    let above_list = match situation.compact {
        Ranker::Ready(needs) if needs <= situation.for_compact() => return (Rung::Compact, above_compact),
        Ranker::Ready(_) => Reason::DeadlineTooNear,
        Ranker::Out(reason) => reason,
    };
    match situation.last_good {
        LastGood::AtHand => (Rung::LastGood, above_list),
        LastGood::Absent => (Rung::List, above_list),
    }
}

impl Rung {
    /// Every rung, best first.
    pub const ALL: [Self; 4] = [Self::Full, Self::Compact, Self::LastGood, Self::List];

    /// The rung's name in answers, labels and logs.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Full => "full",
            Self::Compact => "compact",
            Self::LastGood => "last-good",
            Self::List => "list",
        }
    }
}

impl Reason {
    /// Every reason.
    pub const ALL: [Self; 9] = [
        Self::WithinBudget,
        Self::NoFeatures,
        Self::FeaturesFailed,
        Self::FullTooSlow,
        Self::DeadlineTooNear,
        Self::RankerBusy,
        Self::RankerFailed,
        Self::RankerLate,
        Self::NoCandidates,
    ];

    /// The reason's name in answers, labels and logs.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::WithinBudget => "within-budget",
            Self::NoFeatures => "no-features",
            Self::FeaturesFailed => "features-failed",
            Self::FullTooSlow => "full-too-slow",
            Self::DeadlineTooNear => "deadline-too-near",
            Self::RankerBusy => "ranker-busy",
            Self::RankerFailed => "ranker-failed",
            Self::RankerLate => "ranker-late",
            Self::NoCandidates => "no-candidates",
        }
    }
}

impl FeatureState {
    /// Every state.
    pub const ALL: [Self; 5] = [Self::Fresh, Self::Stale, Self::Session, Self::None, Self::Failed];

    /// The state's name in answers, labels and logs.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Fresh => "fresh",
            Self::Stale => "stale",
            Self::Session => "session",
            Self::None => "none",
            Self::Failed => "failed",
        }
    }
}

#[cfg(test)]
mod tests;
