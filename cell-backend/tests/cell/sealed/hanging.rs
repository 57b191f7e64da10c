//! A store that does not do its part: told inside the seal, and nothing is acknowledged.

use std::sync::Arc;
use std::time::Duration;

use domicile_cell::features::{Doing, FeatureStore, Kept, Reading, Standing, StoreError, Taken};
use domicile_wire::{Call, Code, ErasureAnswer, Event, EventKind, Problem, RankAnswer, ShopperId};
use tokio::sync::Notify;

use super::desk::Desk;

/// A test that waits longer for anything hangs.
const PATIENCE: Duration = Duration::from_secs(60);

/// Fails when events come, and never ends otherwise.
struct Stuck;

impl FeatureStore for Stuck {
    fn read<'a>(&'a self, _: &'a ShopperId) -> Reading<'a> {
        Box::pin(std::future::pending())
    }

    fn take<'a>(&'a self, _: &'a ShopperId, _: Standing, _: Vec<Event>, _: i64) -> Doing<'a, Taken> {
        Box::pin(async { Err(StoreError::Store("no room on the disk".into())) })
    }

    fn kept<'a>(&'a self, _: &'a ShopperId) -> Doing<'a, Kept> {
        Box::pin(std::future::pending())
    }

    fn erase<'a>(&'a self, _: &'a ShopperId, _: i64) -> Doing<'a, i64> {
        Box::pin(std::future::pending())
    }

    fn expire(&self, _: i64) -> Doing<'_, u64> {
        Box::pin(async { Ok(0) })
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_store_that_fails_or_hangs_is_told_inside_the_seal() {
    let desk = Desk::with(|cell| cell.store = Arc::new(Stuck));
    let ask = async |call: Call| -> Problem {
        let reply = desk.ask(&desk.request(call)).await;
        assert!(reply.receipt.is_none() && reply.date_s.is_some());
        reply.parse::<ErasureAnswer>().unwrap().unwrap_err()
    };
    let event = Event {
        id: "e".into(),
        kind: EventKind::View,
        item: Some("1".into()),
        time_s: desk.now_s(),
        rung: None,
        shown: None,
        client_ms: None,
    };
    let failed = ask(Call::Events(vec![event])).await;
    assert_eq!((failed.code, failed.status), (Code::StoreFailed, 503));
    for call in [Call::Export(None), Call::Erase] {
        let late = ask(call).await;
        assert_eq!((late.code, late.status), (Code::Late, 503));
    }
    let metrics = desk.metrics();
    assert!(metrics.contains("domicile_cell_calls_total{call=\"events\"} 0\n"), "{metrics}");
    assert!(metrics.contains("domicile_cell_problems_total{code=\"late\"} 2\n"), "{metrics}");
}

/// Knows nobody, and erases once it is let.
struct Slow(Arc<Notify>);

impl FeatureStore for Slow {
    fn read<'a>(&'a self, _: &'a ShopperId) -> Reading<'a> {
        Box::pin(async { Ok(None) })
    }

    fn take<'a>(&'a self, _: &'a ShopperId, _: Standing, _: Vec<Event>, _: i64) -> Doing<'a, Taken> {
        Box::pin(async { Err(StoreError::Stopping) })
    }

    fn kept<'a>(&'a self, _: &'a ShopperId) -> Doing<'a, Kept> {
        Box::pin(async { Err(StoreError::Stopping) })
    }

    fn erase<'a>(&'a self, _: &'a ShopperId, now_s: i64) -> Doing<'a, i64> {
        Box::pin(async move {
            self.0.notified().await;
            Ok(now_s)
        })
    }

    fn expire(&self, _: i64) -> Doing<'_, u64> {
        Box::pin(async { Ok(0) })
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn an_erasure_that_ended_late_still_ends_what_was_ranked_meanwhile() {
    let done = Arc::new(Notify::new());
    let store = Slow(Arc::clone(&done));
    let desk = Desk::with(|cell| cell.store = Arc::new(store));
    let late = desk.ask(&desk.request(Call::Erase)).await.parse::<ErasureAnswer>().unwrap().unwrap_err();
    assert_eq!(late.code, Code::Late);
    assert!(desk.ask(&desk.request(Desk::rank())).await.parse::<RankAnswer>().unwrap().is_ok());
    assert!(!desk.cell.last_good.is_empty(), "ranked from the row that is not gone yet");
    done.notify_one();
    let forgotten = async {
        while !desk.cell.last_good.is_empty() {
            tokio::task::yield_now().await;
        }
    };
    tokio::time::timeout(PATIENCE, forgotten).await.expect("forgotten once the disk was done");
}
