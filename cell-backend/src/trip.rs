//! One request's way through the cell: its one deadline and the time of each stage.

use std::collections::BTreeMap;
use std::time::Duration;

use domicile_deadline::{Deadline, Moment};

use crate::clock::Clock;
use crate::telemetry::Stage;

/// A request under way.
pub struct Trip {
    clock: Clock,
    arrived: Moment,
    lap: Moment,
    deadline: Deadline,
    stages: Vec<(Stage, Duration)>,
}

impl Trip {
    /// A request that arrived at `arrived` and has `budget` from then on.
    pub fn begin(clock: Clock, arrived: Moment, budget: Duration) -> Self {
        let stages = Vec::with_capacity(Stage::ALL.len());
        Self { clock, arrived, lap: arrived, deadline: Deadline::after(arrived, budget), stages }
    }

    /// Shortens the deadline to what the caller has left.
    pub fn caller_has(&mut self, left: Duration) {
        self.deadline = self.deadline.at_most(self.clock.now(), left);
    }

    /// The request's deadline.
    pub fn deadline(&self) -> Deadline {
        self.deadline
    }

    /// The request's deadline, or `budget` from now when that comes first.
    pub fn within(&self, budget: Duration) -> Deadline {
        self.deadline.at_most(self.clock.now(), budget)
    }

    /// What is left.
    pub fn remaining(&self) -> Duration {
        self.deadline.remaining(self.clock.now())
    }

    /// Notes that `stage` is done.
    pub fn lap(&mut self, stage: Stage) {
        let now = self.clock.now();
        self.stages.push((stage, now.since(self.lap)));
        self.lap = now;
    }

    /// Time since arrival.
    pub fn elapsed(&self) -> Duration {
        self.clock.now().since(self.arrived)
    }

    /// The stages so far, and their total.
    pub fn stages(&self) -> Vec<(Stage, Duration)> {
        let mut stages = self.stages.clone();
        stages.push((Stage::Total, self.lap.since(self.arrived)));
        stages
    }

    /// The stages so far by name, in microseconds; a stage that ran twice is counted together.
    pub fn stages_us(&self) -> BTreeMap<String, u64> {
        let mut named: BTreeMap<String, u64> = BTreeMap::new();
        for (stage, took) in &self.stages {
            let entry = named.entry(stage.as_str().to_owned()).or_default();
            *entry += u64::try_from(took.as_micros()).unwrap_or(u64::MAX);
        }
        named
    }
}
