//! The ranker: query tower, full and compact model behind bounded queues.
//!
//! Each inference thread has sessions of its own and a queue of its own, since one session behind a lock serves one
//! request at a time whatever the number of cores. What the threads share are atomic numbers: the load of each and
//! the [`Speeds`]. A job goes to the thread with the least outstanding; when every queue is full the answer is
//! [`RankerError::Busy`] at once. A job whose deadline has passed, or whose caller has gone, is dropped before it
//! starts; one that has started is measured to its end, also when nobody waits for it any more.

pub mod estimate;
mod library;
pub mod runtime;
mod session;
pub mod speeds;
mod worker;

use std::sync::Arc;
use std::time::Duration;

use domicile_deadline::Deadline;
use domicile_ladder::Reason;

use crate::clock::Clock;
use crate::failure::Failure;
use crate::inputs::{CandidateInputs, RequestInputs};
use crate::snapshots::Snapshot;
use runtime::Runtime;
use session::Sessions;
use speeds::{Speeds, Task};
use worker::{Job, Work, Worker};

/// Runs of each model at start: enough for an estimate of its 95th percentile.
const WARM_UP_RUNS: usize = 20;

/// Why there is no result.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum RankerError {
    /// Every queue is full.
    #[error("ranker-busy")]
    Busy,
    /// The model gave an error, or numbers that are none.
    #[error("ranker-failed")]
    Failed,
    /// It was not done by the deadline.
    #[error("ranker-late")]
    Late,
}

/// A ranking model.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Model {
    /// The full ranker.
    Full,
    /// The compact ranker.
    Compact,
}

/// The inference threads and what is known of their speed.
pub struct Ranker {
    workers: Vec<Worker>,
    clock: Clock,
    speeds: Arc<Speeds>,
}

impl Ranker {
    /// Starts `threads` inference threads with queues of `queue` jobs each, their sessions warmed.
    ///
    /// # Errors
    /// [`Failure`] when a model is no ONNX file that this runtime takes, or breaks the contract.
    pub fn start(
        runtime: &Runtime,
        snapshot: &Snapshot,
        threads: usize,
        queue: usize,
        clock: Clock,
    ) -> Result<Self, Failure> {
        let speeds = Arc::new(Speeds::default());
        let files = &snapshot.manifest.files;
        let warm = warm_inputs(snapshot);
        let mut workers = Vec::with_capacity(threads);
        for number in 0..threads.max(1) {
            let mut sessions = Sessions::open(runtime, snapshot)?;
            for _ in 0..WARM_UP_RUNS {
                let begun = clock.now();
                sessions.query(&warm.0).map_err(|e| e.failure(&files.tower.path))?;
                let queried = clock.now();
                sessions.score(Model::Full, &warm.0, &warm.1).map_err(|e| e.failure(&files.full.path))?;
                let ranked = clock.now();
                sessions
                    .score(Model::Compact, &warm.0, &warm.1)
                    .map_err(|e| e.failure(&files.compact.path))?;
                speeds.warmed(Task::Query, queried.since(begun));
                speeds.warmed(Task::Score(Model::Full), ranked.since(queried));
                speeds.warmed(Task::Score(Model::Compact), clock.now().since(ranked));
            }
            workers.push(Worker::start(number, sessions, queue, clock, Arc::clone(&speeds))?);
        }
        Ok(Self { workers, clock, speeds })
    }

    /// The tower's query vector \[D\].
    ///
    /// # Errors
    /// [`RankerError`].
    pub async fn query(
        &self,
        inputs: &Arc<RequestInputs>,
        deadline: Deadline,
    ) -> Result<Vec<f32>, RankerError> {
        self.ask(Work::Query(Arc::clone(inputs)), deadline).await
    }

    /// The scores \[C\] of the candidates.
    ///
    /// # Errors
    /// [`RankerError`].
    pub async fn score(
        &self,
        model: Model,
        request: &Arc<RequestInputs>,
        candidates: &Arc<CandidateInputs>,
        deadline: Deadline,
    ) -> Result<Vec<f32>, RankerError> {
        let work = Work::Score(model, Arc::clone(request), Arc::clone(candidates));
        self.ask(work, deadline).await
    }

    /// What a request to `model` takes now: its own run at the 95th percentile, and what is queued before it on the
    /// least loaded thread at its mean.
    pub fn needs(&self, model: Model) -> Duration {
        let backlog = self.workers.iter().map(Worker::backlog).min().unwrap_or_default();
        self.speeds.of(Task::Score(model)).upper() + backlog
    }

    /// What is known of the models' speed.
    pub fn speeds(&self) -> &Speeds {
        &self.speeds
    }

    /// Jobs that wait or run.
    pub fn outstanding(&self) -> usize {
        self.workers.iter().map(Worker::outstanding).sum()
    }

    async fn ask(&self, work: Work, deadline: Deadline) -> Result<Vec<f32>, RankerError> {
        if deadline.passed(self.clock.now()) {
            return Err(RankerError::Late);
        }
        let cost = self.speeds.of(work.task()).mean();
        let (mut job, answer) = Job::new(work, deadline, cost);
        let mut by_load: Vec<&Worker> = self.workers.iter().collect();
        // The loads change meanwhile: each is read once, or the order would be none.
        by_load.sort_by_cached_key(|worker| worker.backlog());
        for worker in by_load {
            match worker.offer(job) {
                Ok(()) => {
                    let remaining = deadline.remaining(self.clock.now());
                    let answered = tokio::time::timeout(remaining, answer).await;
                    return answered.map_err(|_| RankerError::Late)?.map_err(|_| RankerError::Failed)?;
                }
                Err(back) => job = back,
            }
        }
        Err(RankerError::Busy)
    }
}

impl RankerError {
    /// The reason it gives for a lower rung.
    pub fn reason(self) -> Reason {
        match self {
            Self::Busy => Reason::RankerBusy,
            Self::Failed => Reason::RankerFailed,
            Self::Late => Reason::RankerLate,
        }
    }
}

/// Synthetic inputs of the greatest size.
fn warm_inputs(snapshot: &Snapshot) -> (RequestInputs, CandidateInputs) {
    let limits = snapshot.manifest.limits;
    let known = i64::try_from(snapshot.items.len()).unwrap_or(1);
    let items = |count: usize| (0i64..).map(|at| at % known + 1).take(count).collect::<Vec<i64>>();
    let request = RequestInputs {
        history: items(limits.history),
        history_weight: vec![1.0; limits.history],
        history_age: vec![7.0; limits.history],
        history_type: vec![3.0; limits.history],
        anchor: items(limits.anchor),
        shopper: [100.0, 50.0, 1.0, 300.0, 2.5],
        context: [1.0, 0.0, 0.0, 0.0, 1.0, 0.0, 1.0],
    };
    let candidates = items(limits.candidates);
    let cross = vec![0.5; candidates.len() * limits.cross];
    (request, CandidateInputs { candidates, cross })
}
