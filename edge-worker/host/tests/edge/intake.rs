//! Requests on their way in: none that two parsers could read differently, none that takes another's place by being
//! slow.

use std::time::Duration;

use domicile_edge::{Drained, Settings};
use http::Method;
use tokio::io::AsyncWriteExt;
use tokio::task::JoinSet;

use crate::admin::soon;
use crate::cell::{Cell, Does};
use crate::client::{closed, get, opened, raw, raw_then_end, send};
use crate::fixture::{Artefact, LIST, SHELF, sealed};
use crate::host::{Host, any_port, settings};

async fn host(change: fn(&mut Settings)) -> (Artefact, Host) {
    let artefact = Artefact::relay(Cell::down().await);
    let mut settings = settings(&artefact.path(), &[]);
    change(&mut settings);
    let host = Host::start(settings).await;
    (artefact, host)
}

#[tokio::test]
async fn slow_bodies_take_nobodys_seat() {
    let (_artefact, host) = host(|settings| {
        settings.limits.in_flight = 1;
        settings.clocks.body = Duration::from_secs(60);
        settings.clocks.drain = Duration::from_millis(50);
    })
    .await;
    let half = format!("POST {} HTTP/1.1\r\nhost: edge\r\ncontent-length: 10\r\n\r\nhalf", sealed());
    let mut slow = Vec::new();
    for _ in 0..64 {
        slow.push(opened(host.address, half.as_bytes()).await);
    }
    for _ in 0..4 {
        assert_eq!(get(host.address, SHELF).await.text(), LIST);
    }
    assert_eq!(host.stop().await, Drained::Cut(64));
}

#[tokio::test]
async fn nothing_waits_for_the_body_of_a_get() {
    let (_artefact, host) = host(|settings| settings.clocks.body = Duration::from_secs(60)).await;
    for method in ["GET", "HEAD", "OPTIONS"] {
        let request = format!("{method} {SHELF} HTTP/1.1\r\nhost: edge\r\ncontent-length: 10\r\n\r\n");
        let answer = closed(opened(host.address, request.as_bytes()).await).await;
        assert!(answer.starts_with("HTTP/1.1 20"), "{answer}");
    }
    host.stop().await;
}

#[tokio::test]
async fn bodies_share_one_allowance() {
    // One seat of 64 KiB allows for four such bodies at once.
    let (_artefact, host) = host(|settings| {
        settings.limits.in_flight = 1;
        settings.clocks.body = Duration::from_secs(60);
        settings.clocks.drain = Duration::from_millis(50);
    })
    .await;
    let part = format!(
        "POST {} HTTP/1.1\r\nhost: edge\r\ncontent-length: 65536\r\n\r\n{}",
        sealed(),
        "x".repeat(65_000)
    );
    let mut open = JoinSet::new();
    for _ in 0..8 {
        open.spawn(closed(opened(host.address, part.as_bytes()).await));
    }
    let first = open.join_next().await.unwrap().unwrap();
    assert!(first.starts_with("HTTP/1.1 503") && first.contains("edge-busy"), "{first}");
    assert_eq!(get(host.address, SHELF).await.text(), LIST);
    host.stop().await;
}

#[tokio::test]
async fn a_request_that_two_parsers_could_read_differently_is_refused() {
    let cell = Cell::start(Does::Answers(200, b"opened".to_vec())).await;
    let artefact = Artefact::relay(cell.address);
    let host = Host::start(settings(&artefact.path(), &[cell.address])).await;
    let post = format!("POST {} HTTP/1.1\r\nhost: edge\r\n", sealed());
    for request in [
        format!("GET {SHELF} HTTP/1.1\r\n\r\n"),
        format!("GET {SHELF} HTTP/1.1\r\nhost: a\r\nhost: b\r\n\r\n"),
        format!("GET {SHELF} HTTP/1.1\r\nhost: a\r\nHost: a\r\n\r\n"),
        format!("GET {SHELF}#x HTTP/1.1\r\nhost: a\r\n\r\n"),
        format!("GET {SHELF}?strict#x HTTP/1.1\r\nhost: a\r\n\r\n"),
        format!("GET {SHELF} HTTP/1.1\nhost: a\n\n"),
        format!("GET {SHELF} HTTP/1.1\r\nhost: a\nx: y\r\n\r\n"),
        // A length and chunks: one of the two is a lie.
        format!(
            "{post}content-length: 4\r\ntransfer-encoding: chunked\r\n\r\n0\r\n\r\nGET / HTTP/1.1\r\n\r\n"
        ),
        format!(
            "{post}transfer-encoding: chunked\r\ncontent-length: 4\r\n\r\n0\r\n\r\nGET / HTTP/1.1\r\n\r\n"
        ),
        format!("{post}transfer-encoding: chunked, identity\r\n\r\n0\r\n\r\n"),
        format!("{post}transfer-encoding: xchunked\r\n\r\n0\r\n\r\n"),
        format!("{post}transfer-encoding : chunked\r\n\r\n0\r\n\r\n"),
        format!("{post}content-length: 4\r\ncontent-length: 5\r\n\r\nabcde"),
        format!("{post}content-length: -1\r\n\r\n"),
        format!("{post}content-length: 0x4\r\n\r\nabcd"),
        format!("{post}transfer-encoding: chunked\r\n\r\nfffffffffffffffff\r\nx"),
        format!("{post}x: a\r\n b\r\n\r\n"),
        format!("{post}x\0y: a\r\n\r\n"),
    ] {
        let answer = raw_then_end(host.address, request.as_bytes()).await;
        let status = answer.get(9..12).unwrap_or_default();
        assert_eq!(status, "400", "{request:?}: {answer}");
        assert_eq!(answer.matches("HTTP/1.1 ").count(), 1, "one answer, not two: {request:?}: {answer}");
    }
    assert!(cell.seen().is_empty(), "{:?}", cell.seen());
    assert_eq!(get(host.address, SHELF).await.text(), LIST);
    host.stop().await;
}

#[tokio::test]
async fn requests_in_one_go_are_answered_in_order_and_a_chunked_one_is_the_last() {
    let (_artefact, host) = host(|_| {}).await;
    let get = format!("GET {SHELF} HTTP/1.1\r\nhost: edge\r\n\r\n");
    let post = format!("POST {SHELF} HTTP/1.1\r\nhost: edge\r\ncontent-length: 3\r\n\r\nGET");
    let chunked =
        format!("POST {SHELF} HTTP/1.1\r\nhost: edge\r\ntransfer-encoding: chunked\r\n\r\n0\r\n\r\n");
    let answer = raw(host.address, format!("{get}{post}{get}{chunked}{get}").as_bytes()).await;
    let statuses: Vec<_> = answer.split("HTTP/1.1 ").skip(1).map(|answer| answer.get(..3).unwrap()).collect();
    assert_eq!(statuses, ["200", "405", "200", "405"], "{answer}");
    assert!(answer.contains("connection: close"));
    host.stop().await;
}

#[tokio::test]
async fn a_caller_that_has_said_all_still_gets_its_answer() {
    let cell = Cell::start(Does::Answers(200, b"opened".to_vec())).await;
    let artefact = Artefact::relay(cell.address);
    let host = Host::start(settings(&artefact.path(), &[cell.address])).await;
    let request = format!("POST {} HTTP/1.1\r\nhost: edge\r\ncontent-length: 6\r\n\r\nsealed", sealed());
    let answer = raw_then_end(host.address, request.as_bytes()).await;
    assert!(answer.starts_with("HTTP/1.1 200") && answer.contains("opened"), "{answer}");
    host.stop().await;
}

#[tokio::test]
async fn a_head_that_does_not_come_ends_at_its_clock() {
    let (_artefact, host) = host(|settings| settings.clocks.head = Duration::from_millis(200)).await;
    for slow in ["", "GET", "GET / HTTP/1.1\r\nhost: edge\r\nx: "] {
        let answer = closed(opened(host.address, slow.as_bytes()).await).await;
        assert!(!answer.contains("200"), "{answer}");
    }
    assert_eq!(get(host.address, SHELF).await.text(), LIST);
    host.stop().await;
}

#[tokio::test]
async fn half_a_head_does_not_hold_the_drain() {
    let (_artefact, host) = host(|settings| settings.clocks.drain = Duration::from_secs(60)).await;
    let half = opened(host.address, b"GET /v1/shelf HTTP/1.1\r\nhost: ed").await;
    assert_eq!(get(host.address, SHELF).await.text(), LIST);
    assert_eq!(host.stop().await, Drained::Clean);
    assert_eq!(closed(half).await, "");
}

#[tokio::test]
async fn one_connection_too_many_is_closed() {
    let (_artefact, host) = host(|settings| {
        settings.admin = any_port();
        settings.limits.connections = 2;
    })
    .await;
    let kept = [opened(host.address, b"GET ").await, opened(host.address, b"GET ").await];
    assert_eq!(closed(opened(host.address, b"").await).await, "");
    let metrics = get(host.admin.unwrap(), "/metrics").await;
    assert!(metrics.text().contains("domicile_edge_connections_refused_total 1\n"), "{}", metrics.text());
    drop(kept);
    host.stop().await;
}

#[tokio::test]
async fn one_address_cannot_take_every_connection() {
    let (_artefact, host) = host(|settings| {
        settings.admin = any_port();
        settings.limits.per_address = Some(2);
    })
    .await;
    let kept = [opened(host.address, b"GET ").await, opened(host.address, b"GET ").await];
    assert_eq!(closed(opened(host.address, b"").await).await, "");
    assert_eq!(host.metric("domicile_edge_connections_refused_for_address_total").await, 1);
    assert_eq!(host.metric("domicile_edge_connections_refused_total").await, 0);
    // Once they are gone, there is room again.
    drop(kept);
    soon("the kept connections to go", async { while host.metric("domicile_edge_connections").await > 1 {} })
        .await;
    assert_eq!(get(host.address, SHELF).await.text(), LIST);
    host.stop().await;
}

#[tokio::test]
async fn paths_are_taken_as_they_are() {
    let (_artefact, host) = host(|_| {}).await;
    for (path, status) in [
        (format!("/{SHELF}"), 404),
        ("/v1/./shelf/de-DE/home".to_owned(), 404),
        ("/v1/shelf/de-DE/../de-DE/home".to_owned(), 404),
        ("/v1/shelf/de-DE/home/".to_owned(), 404),
        ("/v1/shelf/de%2DDE/home".to_owned(), 404),
        ("/v1/shelf/de-DE/%68ome".to_owned(), 404),
        ("/v1/shelf/de-DE/home%00".to_owned(), 404),
        ("/v1%2fshelf/de-DE/home".to_owned(), 404),
        ("/V1/shelf/de-DE/home".to_owned(), 404),
        (format!("{SHELF}?"), 404),
        (format!("{SHELF}?x"), 404),
    ] {
        let answer = send(host.address, Method::GET, &path, &[], b"").await;
        assert_eq!(answer.status.as_u16(), status, "{path}");
    }
    host.stop().await;
}

#[tokio::test]
async fn unused_connections_make_room() {
    let (_artefact, host) = host(|settings| {
        settings.limits.connections = 2;
        settings.clocks.head = Duration::from_secs(600);
    })
    .await;
    let get = format!("GET {SHELF} HTTP/1.1\r\nhost: edge\r\n\r\n");
    let kept = [opened(host.address, get.as_bytes()).await, opened(host.address, b"GET ").await];
    let last = get.replace("\r\n\r\n", "\r\nconnection: close\r\n\r\n");
    let mut answer = String::new();
    soon("an answer to the third connection", async {
        while answer.is_empty() {
            // It may be closed before all is written.
            let mut third = tokio::net::TcpStream::connect(host.address).await.unwrap();
            drop(third.write_all(last.as_bytes()).await);
            answer = closed(third).await;
        }
    })
    .await;
    assert!(answer.starts_with("HTTP/1.1 200"), "{answer}");
    drop(kept);
    host.stop().await;
}
