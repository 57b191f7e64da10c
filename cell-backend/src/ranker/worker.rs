//! An inference thread: its queue, what it runs, its end.

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, AtomicUsize, Ordering};
use std::sync::mpsc::{Receiver, SyncSender, TrySendError, sync_channel};
use std::thread::JoinHandle;
use std::time::Duration;

use domicile_deadline::Deadline;
use tokio::sync::oneshot;

use super::session::RunError;
use super::speeds::{Speeds, Task};
use super::{Model, RankerError};
use crate::clock::Clock;
use crate::failure::{Exit, Failure};
use crate::inputs::{CandidateInputs, RequestInputs};

/// What a thread is asked for.
pub(super) enum Work {
    Query(Arc<RequestInputs>),
    Score(Model, Arc<RequestInputs>, Arc<CandidateInputs>),
}

/// Work with its deadline and the way back.
pub(super) struct Job {
    work: Work,
    deadline: Deadline,
    /// What it will take, as far as known.
    cost: Duration,
    answer: oneshot::Sender<Result<Vec<f32>, RankerError>>,
}

/// The handle of an inference thread. Dropping it ends the thread after the jobs in its queue.
pub(super) struct Worker {
    queue: Option<SyncSender<Job>>,
    load: Arc<Load>,
    thread: Option<JoinHandle<()>>,
}

/// What waits or runs at a thread.
#[derive(Default)]
struct Load {
    jobs: AtomicUsize,
    /// Their costs together, in nanoseconds.
    cost: AtomicU64,
}

impl Work {
    pub(super) fn task(&self) -> Task {
        match self {
            Self::Query(_) => Task::Query,
            Self::Score(model, ..) => Task::Score(*model),
        }
    }
}

impl Job {
    pub(super) fn new(
        work: Work,
        deadline: Deadline,
        cost: Duration,
    ) -> (Self, oneshot::Receiver<Result<Vec<f32>, RankerError>>) {
        let (answer, receiver) = oneshot::channel();
        (Self { work, deadline, cost, answer }, receiver)
    }
}

impl Load {
    fn add(&self, cost: Duration) {
        self.jobs.fetch_add(1, Ordering::Relaxed);
        self.cost.fetch_add(nanos(cost), Ordering::Relaxed);
    }

    fn take_off(&self, cost: Duration) {
        self.jobs.fetch_sub(1, Ordering::Relaxed);
        self.cost.fetch_sub(nanos(cost), Ordering::Relaxed);
    }
}

fn nanos(duration: Duration) -> u64 {
    u64::try_from(duration.as_nanos()).unwrap_or(u64::MAX)
}

impl Worker {
    pub(super) fn start(
        name: String,
        run: impl FnMut(&Work) -> Result<Vec<f32>, RunError> + Send + 'static,
        queue: usize,
        clock: Clock,
        speeds: Arc<Speeds>,
    ) -> Result<Self, Failure> {
        let (sender, receiver) = sync_channel(queue.max(1));
        let load = Arc::new(Load::default());
        let shared = Arc::clone(&load);
        let thread = std::thread::Builder::new()
            .name(name)
            .spawn(move || serve(run, &receiver, &shared, clock, &speeds))
            .map_err(|e| Failure::new(Exit::Runtime, format!("ranker thread: {e}")))?;
        Ok(Self { queue: Some(sender), load, thread: Some(thread) })
    }

    /// Jobs that wait or run here.
    pub(super) fn outstanding(&self) -> usize {
        self.load.jobs.load(Ordering::Relaxed)
    }

    /// What they will take together.
    pub(super) fn backlog(&self) -> Duration {
        Duration::from_nanos(self.load.cost.load(Ordering::Relaxed))
    }

    /// Takes the job into the queue, or gives it back when the queue is full.
    pub(super) fn offer(&self, job: Job) -> Result<(), Job> {
        let Some(queue) = &self.queue else {
            return Err(job);
        };
        let cost = job.cost;
        self.load.add(cost);
        queue.try_send(job).map_err(|refused| {
            self.load.take_off(cost);
            match refused {
                TrySendError::Full(job) | TrySendError::Disconnected(job) => job,
            }
        })
    }
}

impl Drop for Worker {
    fn drop(&mut self) {
        self.queue = None;
        if let Some(thread) = self.thread.take() {
            // A thread that panicked has nothing left to give back.
            let _ = thread.join();
        }
    }
}

fn serve(
    mut run: impl FnMut(&Work) -> Result<Vec<f32>, RunError>,
    queue: &Receiver<Job>,
    load: &Load,
    clock: Clock,
    speeds: &Speeds,
) {
    while let Ok(job) = queue.recv() {
        let (begun, cost) = (clock.now(), job.cost);
        if !job.answer.is_closed() {
            let result = if job.deadline.passed(begun) {
                Err(RankerError::Late)
            } else {
                let (task, result) = (job.work.task(), run(&job.work).map_err(|_| RankerError::Failed));
                match &result {
                    Ok(_) => speeds.ran(task, clock.now().since(begun)),
                    Err(_) => speeds.failed(task),
                }
                result
            };
            // The caller may have given up meanwhile; then nobody needs the result.
            let _ = job.answer.send(result);
        }
        load.take_off(cost);
    }
}
