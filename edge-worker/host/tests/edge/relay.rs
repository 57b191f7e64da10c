//! Sealed requests: what reaches a cell, what comes back, and what happens when the cell misbehaves.

use std::net::SocketAddr;
use std::time::Duration;

use domicile_edge::Settings;
use http::Method;

use crate::cell::{Cell, Does};
use crate::client::{Answer, get, raw, send};
use crate::fixture::{Artefact, LIST, SHELF, sealed};
use crate::host::{Host, any_port, settings};

/// What a browser, a proxy and an attacker might send along.
const NOISE: [(&str, &str); 11] = [
    ("cookie", "canary=1"),
    ("authorization", "Bearer canary"),
    ("referer", "https://shop.example/canary"),
    ("user-agent", "canary"),
    ("traceparent", "00-canary-canary-00"),
    ("tracestate", "canary"),
    ("x-forwarded-for", "203.0.113.7"),
    ("forwarded", "for=203.0.113.7"),
    ("accept-language", "canary"),
    ("x-canary", "canary"),
    ("content-type", "text/canary"),
];

async fn post(to: SocketAddr, body: &[u8]) -> Answer {
    send(to, Method::POST, &sealed(), &NOISE, body).await
}

/// A cell, and an edge in front of it with the stripping off.
async fn edge(does: Does) -> (Cell, Artefact, Host) {
    let cell = Cell::start(does).await;
    let artefact = Artefact::relay(cell.address);
    let host = Host::start(settings(&artefact.path(), &[cell.address])).await;
    (cell, artefact, host)
}

fn is_the_list(answer: &Answer, reason: &str) {
    assert_eq!((answer.status.as_u16(), answer.text()), (200, LIST));
    assert_eq!(answer.header("domicile-outcome"), Some(format!("fallback; reason={reason}").as_str()));
    assert_eq!(answer.header("cache-control"), Some("no-store"));
}

#[tokio::test]
async fn a_cell_sees_the_body_and_three_headers() {
    let (cell, _artefact, host) = edge(Does::Answers(200, b"opened".to_vec())).await;
    let answer = post(host.address, b"sealed bytes").await;
    assert_eq!((answer.status.as_u16(), answer.text()), (200, "opened"));
    assert_eq!(answer.header("domicile-outcome"), Some("relayed"));
    assert_eq!(answer.header("content-type"), Some("message/ohttp-res"));
    for never in ["set-cookie", "x-rung"] {
        assert_eq!(answer.header(never), None);
    }
    let seen = cell.seen();
    assert_eq!(seen.len(), 1);
    assert_eq!(seen[0].line, "POST /gateway HTTP/1.1");
    assert_eq!(seen[0].names(), ["content-length", "content-type", "host"]);
    assert!(seen[0].headers.contains(&("content-type".to_owned(), "message/ohttp-req".to_owned())));
    assert_eq!(seen[0].body, b"sealed bytes");
    assert!(!format!("{:?}", seen[0]).contains("canary"));
    host.stop().await;
}

#[tokio::test]
async fn trailers_go_nowhere() {
    let (cell, _artefact, host) = edge(Does::Answers(200, b"opened".to_vec())).await;
    let request = format!(
        "POST {} HTTP/1.1\r\nhost: edge\r\nconnection: close\r\ntrailer: x-canary\r\ntransfer-encoding: chunked\r\n\r\n\
         6\r\nsealed\r\n0\r\nx-canary: canary\r\n\r\n",
        sealed()
    );
    let answer = raw(host.address, request.as_bytes()).await;
    assert!(answer.starts_with("HTTP/1.1 200") && answer.contains("opened"), "{answer}");
    let seen = cell.seen();
    assert_eq!(seen[0].body, b"sealed");
    assert!(!format!("{seen:?}").contains("canary"), "{seen:?}");
    host.stop().await;
}

#[tokio::test]
async fn connections_are_kept() {
    let (cell, _artefact, host) = edge(Does::Answers(200, b"opened".to_vec())).await;
    for _ in 0..10 {
        assert_eq!(post(host.address, b"sealed").await.text(), "opened");
    }
    assert_eq!((cell.seen().len(), cell.connections()), (10, 1));
    host.stop().await;
}

/// A guest that waits for itself after an answer keeps its instance until the clock ends it. Here the pool has 16.
#[tokio::test]
async fn an_instance_is_free_again_after_a_relay() {
    let cell = Cell::start(Does::Answers(200, b"opened".to_vec())).await;
    let artefact = Artefact::relay(cell.address);
    let mut settings = settings(&artefact.path(), &[cell.address]);
    settings.limits.in_flight = 4;
    settings.limits.reuse = 1;
    settings.clocks.request = Duration::from_secs(60);
    let host = Host::start(settings).await;
    for _ in 0..60 {
        assert_eq!(post(host.address, b"sealed").await.text(), "opened");
    }
    host.stop().await;
}

#[tokio::test]
async fn a_large_answer_passes_whole() {
    let body: Vec<u8> = (0..300_000_u32).map(|n| (n % 251) as u8).collect();
    let (_cell, _artefact, host) = edge(Does::Answers(200, body.clone())).await;
    let answer = post(host.address, b"sealed").await;
    assert!(answer.body.as_deref() == Some(&body[..]));
    host.stop().await;
}

#[tokio::test]
async fn other_statuses_become_the_list() {
    for (status, reason) in [
        (400, "key-refused"),
        (422, "key-refused"),
        (413, "too-large"),
        (429, "cell-busy"),
        (503, "cell-busy"),
        (500, "cell-failed"),
        (302, "cell-failed"),
    ] {
        let (cell, _artefact, host) = edge(Does::Answers(status, b"canary".to_vec())).await;
        is_the_list(&post(host.address, b"sealed").await, reason);
        let strict = send(host.address, Method::POST, &format!("{}?strict", sealed()), &[], b"sealed").await;
        assert_eq!(strict.status.as_u16(), 503);
        assert!(strict.text().contains(reason) && strict.header("retry-after").is_some());
        assert_eq!(cell.seen().len(), 2, "nothing is sent twice");
        host.stop().await;
    }
}

#[tokio::test]
async fn a_cell_that_hangs_is_left_for_the_list() {
    let cell = Cell::start(Does::Hangs).await;
    let artefact = Artefact::impatient(cell.address);
    let host = Host::start(settings(&artefact.path(), &[cell.address])).await;
    is_the_list(&post(host.address, b"sealed").await, "cell-failed");
    assert_eq!(cell.seen().len(), 1, "nothing is sent twice");
    host.stop().await;
}

#[tokio::test]
async fn a_cell_that_is_down_is_left_for_the_list() {
    let cell = Cell::down().await;
    let artefact = Artefact::relay(cell);
    let host = Host::start(settings(&artefact.path(), &[cell])).await;
    is_the_list(&post(host.address, b"sealed").await, "cell-failed");
    host.stop().await;
}

#[tokio::test]
async fn a_cell_that_is_not_listed_is_not_called() {
    let cell = Cell::start(Does::Answers(200, b"opened".to_vec())).await;
    let artefact = Artefact::relay(cell.address);
    let host = Host::start(settings(&artefact.path(), &[])).await;
    is_the_list(&post(host.address, b"sealed").await, "cell-failed");
    assert_eq!(cell.connections(), 0);
    host.stop().await;
}

#[tokio::test]
async fn an_answer_that_breaks_off_is_seen_to_break_off() {
    let (_cell, _artefact, host) = edge(Does::ClosesMidBody).await;
    let answer = post(host.address, b"sealed").await;
    assert_eq!((answer.status.as_u16(), answer.body), (200, None));
    host.stop().await;
}

/// A head has left the host before its body is seen to break: the caller gets it, and no body that looks whole.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn an_answer_that_breaks_off_behind_its_head_still_has_its_head() {
    for says in [
        &b"HTTP/1.1 200 OK\r\ncontent-length: 10\r\n\r\n"[..],
        b"HTTP/1.1 200 OK\r\ncontent-length: 10\r\n\r\nhello",
        b"HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\n",
        b"HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\nno size\r\n",
    ] {
        let (_cell, _artefact, host) = edge(Does::Says(says)).await;
        for _ in 0..25 {
            let answer = post(host.address, b"sealed").await;
            assert_eq!((answer.status.as_u16(), answer.body.as_deref()), (200, None));
            assert_eq!(answer.header("domicile-outcome"), Some("relayed"));
        }
        assert_eq!(get(host.address, SHELF).await.text(), LIST);
        host.stop().await;
    }
}

#[tokio::test]
async fn a_few_interim_heads_are_passed_over() {
    let (_cell, _artefact, host) = edge(Does::Hints(8)).await;
    for _ in 0..2 {
        let answer = post(host.address, b"sealed").await;
        assert_eq!((answer.text(), answer.header("link")), ("opened", None));
    }
    host.stop().await;
}

/// The guest would wait for four seconds; what ends it is the count, and others are answered meanwhile.
#[tokio::test]
async fn interim_heads_without_end_are_left_for_the_list() {
    let (_cell, _artefact, host) = hurried(Does::HintsForEver, |settings| settings.admin = any_port()).await;
    let asking = async { is_the_list(&post(host.address, b"sealed").await, "cell-failed") };
    let others = async {
        for _ in 0..5 {
            assert_eq!(get(host.address, SHELF).await.text(), LIST);
        }
    };
    tokio::join!(asking, others);
    let of = |outcome| format!("domicile_edge_cell_calls_total{{outcome=\"{outcome}\"}}");
    assert_eq!(host.metric(&of("interim-heads")).await, 1);
    assert_eq!(host.metric(&of("first-byte-timed-out")).await, 0);
    host.stop().await;
}

/// An edge whose clocks are short.
async fn hurried(does: Does, change: fn(&mut Settings)) -> (Cell, Artefact, Host) {
    let cell = Cell::start(does).await;
    let artefact = Artefact::relay(cell.address);
    let mut settings = settings(&artefact.path(), &[cell.address]);
    change(&mut settings);
    let host = Host::start(settings).await;
    (cell, artefact, host)
}

#[tokio::test]
async fn an_answer_that_stalls_breaks_off_between_bytes() {
    let (_cell, _artefact, host) =
        hurried(Does::Stalls, |settings| settings.clocks.between_bytes = Duration::from_millis(100)).await;
    assert!(post(host.address, b"sealed").await.body.is_none());
    assert_eq!(get(host.address, SHELF).await.text(), LIST);
    host.stop().await;
}

#[tokio::test]
async fn an_answer_that_drips_for_ever_breaks_off_at_the_requests_clock() {
    let (_cell, _artefact, host) = hurried(Does::Drips(Duration::from_millis(10)), |settings| {
        settings.clocks.request = Duration::from_millis(1_000);
    })
    .await;
    assert!(post(host.address, b"sealed").await.body.is_none());
    assert_eq!(get(host.address, SHELF).await.text(), LIST);
    host.stop().await;
}

#[tokio::test]
async fn only_a_post_is_relayed() {
    let (cell, _artefact, host) = edge(Does::Answers(200, b"opened".to_vec())).await;
    for method in [Method::GET, Method::HEAD, Method::PUT, Method::DELETE] {
        assert_eq!(send(host.address, method, &sealed(), &NOISE, b"").await.status.as_u16(), 405);
    }
    assert_eq!(send(host.address, Method::OPTIONS, &sealed(), &NOISE, b"").await.status.as_u16(), 204);
    assert_eq!(cell.connections(), 0);
    host.stop().await;
}

#[tokio::test]
async fn a_cell_that_lies_about_its_length_is_cut_or_breaks_off() {
    // Longer than it said: what was promised passes, the rest is nobody's.
    let (_cell, _artefact, host) =
        edge(Does::Says(b"HTTP/1.1 200 OK\r\ncontent-length: 2\r\n\r\nokHTTP/1.1 200")).await;
    for _ in 0..2 {
        assert_eq!(post(host.address, b"sealed").await.text(), "ok");
    }
    host.stop().await;
    for says in [
        &b"HTTP/1.1 200 OK\r\ncontent-length: 2\r\ncontent-length: 3\r\n\r\nabc"[..],
        b"HTTP/1.1 200 OK\r\ncontent-length: -1\r\n\r\n",
        b"HTTP/1.1 200 OK\r\nx",
        b"\0\0\0\0",
        b"",
    ] {
        let (_cell, _artefact, host) = edge(Does::Says(says)).await;
        is_the_list(&post(host.address, b"sealed").await, "cell-failed");
        host.stop().await;
    }
    let (_cell, _artefact, host) =
        edge(Does::Says(b"HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\n5\r\nab")).await;
    assert!(post(host.address, b"sealed").await.body.is_none());
    host.stop().await;
}

#[tokio::test]
async fn connections_that_are_not_to_be_kept_are_not() {
    let (cell, _artefact, host) =
        hurried(Does::Answers(200, b"opened".to_vec()), |settings| settings.limits.keep_connections = 0)
            .await;
    for _ in 0..3 {
        assert_eq!(post(host.address, b"sealed").await.text(), "opened");
    }
    assert_eq!((cell.seen().len(), cell.connections()), (3, 3));
    host.stop().await;
}

#[tokio::test]
async fn one_connection_too_many_gets_the_list() {
    let (cell, _artefact, host) = hurried(Does::Hangs, |settings| settings.limits.cell_connections = 1).await;
    let first = post(host.address, b"sealed");
    let second = async {
        cell.arrived().await;
        post(host.address, b"sealed").await
    };
    let (first, second) = tokio::join!(first, second);
    is_the_list(&second, "cell-failed");
    is_the_list(&first, "cell-failed");
    assert_eq!(cell.connections(), 1);
    host.stop().await;
}

/// With instances that serve many requests, and the stripping off.
#[tokio::test]
async fn what_names_a_person_is_in_no_call_and_no_metric() {
    let cell = Cell::start(Does::Answers(200, b"opened".to_vec())).await;
    let artefact = Artefact::relay(cell.address);
    let settings = Settings { admin: any_port(), ..settings(&artefact.path(), &[cell.address]) };
    let host = Host::start(settings).await;
    for _ in 0..500 {
        assert_eq!(post(host.address, b"sealed").await.text(), "opened");
        let shelf = send(host.address, Method::GET, SHELF, &NOISE, b"").await;
        assert_eq!(shelf.text(), LIST);
        assert!(!format!("{shelf:?}").contains("canary"));
    }
    let odd = send(host.address, Method::GET, "/canary?canary", &NOISE, b"").await;
    assert_eq!(odd.status.as_u16(), 404);
    let seen = cell.seen();
    assert_eq!(seen.len(), 500);
    let (calls, metrics) = (format!("{seen:?}"), get(host.admin.unwrap(), "/metrics").await);
    let made = host.metric("domicile_edge_instances_made_total").await;
    let reused = host.metric("domicile_edge_instances_reused_total").await;
    // 1,001 requests, one after another, over instances that serve 128 each.
    assert!(made < 100 && made + reused == 1_001, "{made} instances made, {reused} requests met a used one");
    for never in ["canary", "203.0.113.7"] {
        assert!(!calls.contains(never) && !metrics.text().contains(never), "{never}");
    }
    assert!(!metrics.text().contains(&sealed()) && !metrics.text().contains("127.0.0.1"));
    host.stop().await;
}
