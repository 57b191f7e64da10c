//! Guests that go wrong: the caller gets an error within the clock, and the next request is served as well.

use std::time::Duration;

use crate::client::{Answer, get, send};
use crate::fixture::{Artefact, SHELF, built};
use crate::guests::Wrong;
use crate::host::{Host, settings};

async fn twice(wrong: Wrong, request: Duration) -> [Answer; 2] {
    let artefact = Artefact::wrong(wrong);
    let mut settings = settings(&artefact.path(), &[]);
    settings.clocks.request = request;
    let host = Host::start(settings).await;
    let answers = [get(host.address, "/").await, get(host.address, "/").await];
    host.stop().await;
    answers
}

fn is_a_problem(answer: &Answer, status: u16, code: &str) {
    let text = answer.text();
    assert_eq!(answer.status.as_u16(), status, "{text}");
    assert_eq!(answer.header("content-type"), Some("application/problem+json"));
    assert!(text.contains(&format!(r#""code":"{code}""#)), "{text}");
    for detail in ["wasm", "unreachable", "trap", "memory"] {
        assert!(!text.contains(detail), "{text}");
    }
}

#[tokio::test]
async fn a_trap_is_a_502() {
    for answer in &twice(Wrong::Traps, Duration::from_secs(5)).await {
        is_a_problem(answer, 502, "edge-failed");
    }
}

#[tokio::test]
async fn a_guest_that_takes_all_memory_is_a_502() {
    for answer in &twice(Wrong::Grows, Duration::from_secs(5)).await {
        is_a_problem(answer, 502, "edge-failed");
    }
}

#[tokio::test]
async fn a_guest_that_loops_is_trapped_before_the_clock() {
    for wrong in [Wrong::Loops, Wrong::Spins] {
        for answer in &twice(wrong, Duration::from_secs(60)).await {
            is_a_problem(answer, 502, "edge-failed");
        }
    }
}

/// With two threads, as the program has at least: one that computes does not look at its timers.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn the_clock_holds_for_guests_that_loop_or_wait() {
    for wrong in [Wrong::Loops, Wrong::Spins, Wrong::Waits] {
        for answer in &twice(wrong, Duration::from_millis(150)).await {
            assert_eq!(answer.status.as_u16(), 504, "{wrong:?}");
            is_a_problem(answer, 504, "edge-timed-out");
        }
    }
}

#[tokio::test]
async fn a_relay_that_reads_a_body_traps_and_the_next_request_is_served() {
    let host = Host::start(settings(&built("fixtures/edge-reads-body.wasm"), &[])).await;
    for _ in 0..2 {
        let answer = send(host.address, http::Method::POST, SHELF, &[], b"sealed").await;
        is_a_problem(&answer, 502, "edge-failed");
        let answer = get(host.address, SHELF).await;
        assert_eq!(answer.status.as_u16(), 200);
        assert!(answer.text().contains(r#""items":["#));
    }
    host.stop().await;
}
