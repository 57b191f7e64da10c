use std::sync::mpsc::{Receiver, sync_channel};

use super::*;
use crate::testing::snapshot;

/// What the full ranker takes, as far as known.
const SLOW: Duration = Duration::from_secs(10);
const QUICK: Duration = Duration::from_millis(1);

/// A ranker of one thread a lane whose full runs go on until the sender is dropped.
fn ranker(hang: Receiver<()>) -> Ranker {
    let (clock, speeds) = (Clock::start(), Arc::new(Speeds::default()));
    for (task, took) in Task::ALL.into_iter().zip([QUICK, SLOW, QUICK]) {
        speeds.warmed(task, took);
    }
    let full = move |_: &Work| {
        let _ = hang.recv();
        Ok(vec![0.0])
    };
    let start =
        |name: &str, speeds| Worker::start(name.to_owned(), |_: &Work| Ok(vec![1.0]), 4, clock, speeds);
    let full = Worker::start("full".into(), full, 4, clock, Arc::clone(&speeds)).ok().unwrap();
    let quick = start("quick", Arc::clone(&speeds)).ok().unwrap();
    Ranker { full: Lane(vec![full]), quick: Lane(vec![quick]), clock, speeds }
}

#[tokio::test]
async fn a_late_full_run_leaves_the_compact_one_its_time() {
    let (release, hang) = sync_channel::<()>(0);
    let ranker = ranker(hang);
    let (request, candidates) = warm_inputs(&snapshot());
    let (request, candidates) = (Arc::new(request), Arc::new(candidates));
    let within = |time| Deadline::after(ranker.clock.now(), time);

    let late = ranker.score(Model::Full, &request, &candidates, within(Duration::from_millis(20))).await;
    assert_eq!(late, Err(RankerError::Late));
    assert!(ranker.needs(Model::Full) >= SLOW * 2, "the run goes on, and the next one would wait for it");
    assert_eq!(ranker.needs(Model::Compact), QUICK * 2, "the first observation, doubled, and no queue");
    let long = Duration::from_secs(30);
    assert_eq!(ranker.score(Model::Compact, &request, &candidates, within(long)).await, Ok(vec![1.0]));
    assert_eq!(ranker.query(&request, within(long)).await, Ok(vec![1.0]));
    assert_eq!(ranker.speeds.runs(Task::Score(Model::Full)), 0, "it is still under way");
    drop(release);
}
