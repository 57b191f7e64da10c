//! What is known of the models' speed, shared by the threads that run them and the ladder that asks.
//!
//! A run is observed by the thread that made it and not by the request that waited: a request that gave up at its
//! deadline would otherwise take the slowest runs, the ones that matter, out of the estimate.

use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;

use super::Model;
use super::estimate::Estimate;

/// What a thread can be asked for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Task {
    /// A run of the query tower.
    Query,
    /// A run of a ranking model.
    Score(Model),
}

/// Estimates and numbers of runs by task.
#[derive(Debug, Default)]
pub struct Speeds {
    query: Speed,
    full: Speed,
    compact: Speed,
}

#[derive(Debug, Default)]
struct Speed {
    estimate: Estimate,
    runs: AtomicU64,
}

impl Task {
    /// Every task.
    pub const ALL: [Self; 3] = [Self::Query, Self::Score(Model::Full), Self::Score(Model::Compact)];

    /// The task's name in labels.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Query => "query",
            Self::Score(Model::Full) => "full",
            Self::Score(Model::Compact) => "compact",
        }
    }
}

impl Speeds {
    /// How long a run takes.
    pub fn of(&self, task: Task) -> &Estimate {
        &self.speed(task).estimate
    }

    /// Runs for requests so far, failed ones included.
    pub fn runs(&self, task: Task) -> u64 {
        self.speed(task).runs.load(Ordering::Relaxed)
    }

    /// Takes in a run of the warm-up.
    pub fn warmed(&self, task: Task, took: Duration) {
        self.speed(task).estimate.observe(took);
    }

    /// Takes in a run for a request that gave numbers.
    pub fn ran(&self, task: Task, took: Duration) {
        let speed = self.speed(task);
        speed.runs.fetch_add(1, Ordering::Relaxed);
        speed.estimate.observe(took);
    }

    /// Counts a run for a request that gave none: how soon a model fails says nothing of how long it takes.
    pub fn failed(&self, task: Task) {
        self.speed(task).runs.fetch_add(1, Ordering::Relaxed);
    }

    fn speed(&self, task: Task) -> &Speed {
        match task {
            Task::Query => &self.query,
            Task::Score(Model::Full) => &self.full,
            Task::Score(Model::Compact) => &self.compact,
        }
    }
}

#[cfg(test)]
mod tests {
    use domicile_ladder::{FeatureState, LastGood, Ranker, Reason, Rung, Situation, choose};

    use super::*;

    const FULL: Task = Task::Score(Model::Full);
    const COMPACT: Task = Task::Score(Model::Compact);

    fn chosen(speeds: &Speeds) -> (Rung, Reason, Duration) {
        let situation = Situation {
            remaining: Duration::from_millis(65),
            reserve: Duration::from_millis(5),
            full: Ranker::Ready(speeds.of(FULL).upper()),
            compact: Ranker::Ready(speeds.of(COMPACT).upper()),
            features: FeatureState::Fresh,
            last_good: LastGood::Absent,
        };
        let (rung, reason) = choose(&situation);
        (rung, reason, situation.for_full())
    }

    #[test]
    fn a_full_model_that_becomes_slow_stops_being_chosen_and_comes_back() {
        let speeds = Speeds::default();
        for _ in 0..200 {
            speeds.ran(FULL, Duration::from_millis(8));
            speeds.ran(COMPACT, Duration::from_millis(2));
        }
        assert_eq!(chosen(&speeds).0, Rung::Full);

        // Ten times as slow: each request gives up before the run ends, and the run is observed nevertheless.
        let mut late = 0;
        while let (Rung::Full, _, allowed) = chosen(&speeds) {
            assert!(allowed < Duration::from_millis(60), "the compact one can follow");
            speeds.ran(FULL, Duration::from_millis(80));
            late += 1;
            assert!(late < 100, "it goes on being chosen");
        }
        let (rung, reason, _) = chosen(&speeds);
        assert_eq!((rung, reason), (Rung::Compact, Reason::FullTooSlow));

        // Passed over, it is tried now and then; one in twenty while it is slow, always once it is fast.
        let mut tried = 0;
        for _ in 0..2_000 {
            match chosen(&speeds).0 {
                Rung::Full => {
                    tried += 1;
                    speeds.ran(FULL, Duration::from_millis(80));
                }
                _ => speeds.of(FULL).fade(),
            }
        }
        assert!((20..=200).contains(&tried), "{tried} of 2000");
        for _ in 0..400 {
            match chosen(&speeds).0 {
                Rung::Full => speeds.ran(FULL, Duration::from_millis(8)),
                _ => speeds.of(FULL).fade(),
            }
        }
        assert_eq!(chosen(&speeds).0, Rung::Full);
        assert!(speeds.runs(FULL) > speeds.runs(COMPACT));
    }
}
