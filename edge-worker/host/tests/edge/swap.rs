//! One artefact in another's place, while requests come.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};

use domicile_edge::Settings;
use http::Method;
use tokio::sync::Notify;
use tokio::task::JoinSet;

use crate::cell::{Cell, Does};
use crate::client::{get, send};
use crate::fixture::{Artefact, SHELF, sealed};
use crate::guests::{self, Wrong};
use crate::host::{Host, any_port, settings};

async fn reload(host: &Host) -> (u16, String) {
    let answer = send(host.admin.unwrap(), Method::POST, "/reload", &[], b"").await;
    (answer.status.as_u16(), answer.text().to_owned())
}

#[tokio::test]
async fn a_new_artefact_serves_after_a_reload_and_a_bad_one_does_not() {
    let artefact = Artefact::listing("milk");
    let next = Artefact::listing("bread");
    let host = Host::start(Settings { admin: any_port(), ..settings(&artefact.path(), &[]) }).await;
    let admin = host.admin.unwrap();
    assert!(get(host.address, SHELF).await.text().contains("milk"));

    artefact.becomes(&next.bytes());
    assert!(get(host.address, SHELF).await.text().contains("milk"), "not before it is told");
    assert_eq!(reload(&host).await, (200, format!("serving {}\n", next.sha256())));
    assert!(get(host.address, SHELF).await.text().contains("bread"));
    assert_eq!(get(admin, "/ready").await.text(), format!("ready {}\n", next.sha256()));

    for bad in [
        b"#!/bin/sh".to_vec(),
        guests::importing("wasi:random/random@0.3.0"),
        guests::with_memory(Wrong::Traps, 1_000),
    ] {
        artefact.becomes(&bad);
        let (status, said) = reload(&host).await;
        assert_eq!((status, said.lines().count()), (422, 1), "{said}");
        assert!(get(host.address, SHELF).await.text().contains("bread"), "{said}");
    }
    std::fs::remove_file(artefact.path()).unwrap();
    assert_eq!(reload(&host).await.0, 422);
    assert!(get(host.address, SHELF).await.text().contains("bread"));
    assert_eq!(get(admin, "/ready").await.text(), format!("ready {}\n", next.sha256()));

    let metrics = get(admin, "/metrics").await;
    for expected in ["domicile_edge_swaps_total 1\n", "domicile_edge_swaps_refused_total 4\n", &next.sha256()]
    {
        assert!(metrics.text().contains(expected), "{expected} in {}", metrics.text());
    }
    host.stop().await;
}

#[tokio::test]
async fn a_page_cannot_reload() {
    let artefact = Artefact::wrong(Wrong::Traps);
    let host = Host::start(Settings { admin: any_port(), ..settings(&artefact.path(), &[]) }).await;
    let origin = [("origin", "https://shop.example")];
    let admin = host.admin.unwrap();
    assert_eq!(send(admin, Method::POST, "/reload", &origin, b"").await.status.as_u16(), 403);
    assert_eq!(get(admin, "/reload").await.status.as_u16(), 405);
    assert_eq!(
        send(host.address, Method::POST, "/reload", &[], b"").await.status.as_u16(),
        502,
        "the guest's"
    );
    host.stop().await;
}

#[tokio::test]
async fn a_request_ends_with_the_artefact_it_began_with() {
    let told = Arc::new(Notify::new());
    let cell = Cell::start(Does::Waits(Arc::clone(&told))).await;
    let artefact = Artefact::relay(cell.address);
    let next = Artefact::wrong(Wrong::Traps);
    let host = Host::start(settings(&artefact.path(), &[cell.address])).await;
    let path = sealed();
    let open = send(host.address, Method::POST, &path, &[], b"sealed");
    let swapping = async {
        cell.arrived().await;
        artefact.becomes(&next.bytes());
        host.reload.reload().await.unwrap();
        assert_eq!(get(host.address, SHELF).await.status.as_u16(), 502, "the new one traps");
        told.notify_one();
    };
    let (answer, ()) = tokio::join!(open, swapping);
    assert_eq!((answer.status.as_u16(), answer.text()), (200, "late"));
    host.stop().await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn nothing_is_dropped_while_artefacts_come_and_go() {
    let artefact = Artefact::listing("milk");
    let both = [artefact.bytes(), Artefact::listing("bread").bytes()];
    let host = Host::start(settings(&artefact.path(), &[])).await;
    let (address, over, asked) =
        (host.address, Arc::new(AtomicBool::new(false)), Arc::new(AtomicUsize::new(0)));
    let mut callers = JoinSet::new();
    for _ in 0..4 {
        let (over, asked) = (Arc::clone(&over), Arc::clone(&asked));
        callers.spawn(async move {
            while !over.load(Ordering::Relaxed) {
                let answer = get(address, SHELF).await;
                assert_eq!(answer.status.as_u16(), 200);
                assert!(answer.text().contains("milk") || answer.text().contains("bread"));
                asked.fetch_add(1, Ordering::Relaxed);
            }
        });
    }
    for swap in 0..6 {
        artefact.becomes(&both[swap % 2]);
        host.reload.reload().await.unwrap();
    }
    over.store(true, Ordering::Relaxed);
    while let Some(caller) = callers.join_next().await {
        caller.unwrap();
    }
    assert!(asked.load(Ordering::Relaxed) > 6);
    host.stop().await;
}
