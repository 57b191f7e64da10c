//! The ranker: query tower, full and compact model behind bounded queues.
//!
//! There are two lanes: `full` for the full ranker, and `quick` for the tower and the compact ranker. A full run that
//! is late goes on to its end, and the compact one that has to follow it must not stand behind it; nor must another
//! request's query. The price is that twice as many threads as cores may want to run; the sessions, which are what
//! takes memory, are as many as with one lane.
//!
//! Each inference thread has sessions of its own and a queue of its own, since one session behind a lock serves one
//! request at a time whatever the number of cores. What the threads share are atomic numbers: the load of each and
//! the [`Speeds`]. A job goes to the thread of its lane with the least outstanding; when every queue is full the
//! answer is [`RankerError::Busy`] at once. A job whose deadline has passed, or whose caller has gone, is dropped
//! before it starts; one that has started is measured to its end, also when nobody waits for it any more.

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
    full: Lane,
    quick: Lane,
    clock: Clock,
    speeds: Arc<Speeds>,
}

/// Threads that stand in for each other.
struct Lane(Vec<Worker>);

impl Ranker {
    /// Starts `threads` inference threads in each lane, with queues of `queue` jobs each, their sessions warmed.
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
        let (request, candidates) = warm_inputs(snapshot);
        let (request, candidates) = (Arc::new(request), Arc::new(candidates));
        let query = Work::Query(Arc::clone(&request));
        let score = |model| Work::Score(model, Arc::clone(&request), Arc::clone(&candidates));
        let (of_full, of_compact) = (score(Model::Full), score(Model::Compact));
        let warm = |sessions: &mut Sessions, work: &Work, file: &str| {
            for _ in 0..WARM_UP_RUNS {
                let begun = clock.now();
                sessions.run(work).map_err(|e| e.failure(file))?;
                speeds.warmed(work.task(), clock.now().since(begun));
            }
            Ok(())
        };
        let worker = |name: &str, number: usize, mut sessions: Sessions| {
            let run = move |work: &Work| sessions.run(work);
            Worker::start(format!("ranker-{name}-{number}"), run, queue, clock, Arc::clone(&speeds))
        };
        let (mut full, mut quick) = (Vec::with_capacity(threads), Vec::with_capacity(threads));
        for number in 0..threads.max(1) {
            let mut sessions = Sessions::quick(runtime, snapshot)?;
            warm(&mut sessions, &query, &files.tower.path)?;
            warm(&mut sessions, &of_compact, &files.compact.path)?;
            quick.push(worker("quick", number, sessions)?);
            let mut sessions = Sessions::full(runtime, snapshot)?;
            warm(&mut sessions, &of_full, &files.full.path)?;
            full.push(worker("full", number, sessions)?);
        }
        Ok(Self { full: Lane(full), quick: Lane(quick), clock, speeds })
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
    /// least loaded thread of its lane at its mean.
    pub fn needs(&self, model: Model) -> Duration {
        let task = Task::Score(model);
        let backlog = self.lane(task).0.iter().map(Worker::backlog).min().unwrap_or_default();
        self.speeds.of(task).upper() + backlog
    }

    /// What is known of the models' speed.
    pub fn speeds(&self) -> &Speeds {
        &self.speeds
    }

    /// Jobs that wait or run.
    pub fn outstanding(&self) -> usize {
        self.full.0.iter().chain(&self.quick.0).map(Worker::outstanding).sum()
    }

    fn lane(&self, task: Task) -> &Lane {
        match task {
            Task::Score(Model::Full) => &self.full,
            Task::Query | Task::Score(Model::Compact) => &self.quick,
        }
    }

    async fn ask(&self, work: Work, deadline: Deadline) -> Result<Vec<f32>, RankerError> {
        if deadline.passed(self.clock.now()) {
            return Err(RankerError::Late);
        }
        let lane = self.lane(work.task());
        let cost = self.speeds.of(work.task()).mean();
        let (mut job, answer) = Job::new(work, deadline, cost);
        let mut by_load: Vec<&Worker> = lane.0.iter().collect();
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

#[cfg(test)]
mod tests;
