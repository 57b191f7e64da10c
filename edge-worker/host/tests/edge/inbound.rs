//! Requests that are too large, too slow or oddly put.

use std::time::Duration;

use domicile_edge::Strip;
use http::Method;

use crate::admin::soon;
use crate::cell::{Cell, Does};
use crate::client::{get, raw, send};
use crate::fixture::{Artefact, LIST, SHELF, sealed};
use crate::host::{Host, settings};

#[tokio::test]
async fn a_body_over_the_cap_reaches_nobody() {
    let cell = Cell::start(Does::Answers(200, b"opened".to_vec())).await;
    let artefact = Artefact::relay(cell.address);
    let host = Host::start(settings(&artefact.path(), &[cell.address])).await;
    let (fits, over) = (vec![b'x'; 64 * 1024], vec![b'x'; 64 * 1024 + 1]);

    assert_eq!(send(host.address, Method::POST, &sealed(), &[], &fits).await.text(), "opened");
    let stated = format!("POST {} HTTP/1.1\r\nhost: edge\r\ncontent-length: 65537\r\n\r\n", sealed());
    let answer = raw(host.address, stated.as_bytes()).await;
    assert!(answer.starts_with("HTTP/1.1 413") && answer.contains("edge-body-too-large"), "{answer}");

    let mut chunked =
        format!("POST {} HTTP/1.1\r\nhost: edge\r\ntransfer-encoding: chunked\r\n\r\n10001\r\n", sealed())
            .into_bytes();
    chunked.extend_from_slice(&over);
    chunked.extend_from_slice(b"\r\n0\r\n\r\n");
    let answer = raw(host.address, &chunked).await;
    assert!(answer.starts_with("HTTP/1.1 413") && answer.contains("edge-body-too-large"), "{answer}");
    assert_eq!(cell.seen().len(), 1);
    host.stop().await;
}

#[tokio::test]
async fn a_body_that_does_not_come_ends_at_the_clock() {
    let artefact = Artefact::relay(Cell::down().await);
    let mut settings = settings(&artefact.path(), &[]);
    settings.clocks.body = Duration::from_millis(200);
    let host = Host::start(settings).await;
    let half = format!("POST {} HTTP/1.1\r\nhost: edge\r\ncontent-length: 10\r\n\r\nhalf", sealed());
    let answer = raw(host.address, half.as_bytes()).await;
    assert!(answer.starts_with("HTTP/1.1 408") && answer.contains("edge-body-too-slow"), "{answer}");
    host.stop().await;
}

#[tokio::test]
async fn headers_over_the_cap_are_refused() {
    let artefact = Artefact::relay(Cell::down().await);
    let host = Host::start(settings(&artefact.path(), &[])).await;
    let large = format!("GET {SHELF} HTTP/1.1\r\nhost: edge\r\nx: {}\r\n\r\n", "x".repeat(17 * 1024));
    assert!(raw(host.address, large.as_bytes()).await.starts_with("HTTP/1.1 431"));
    let many = format!("GET {SHELF} HTTP/1.1\r\nhost: edge\r\n{}\r\n", "a: b\r\n".repeat(101));
    assert!(raw(host.address, many.as_bytes()).await.starts_with("HTTP/1.1 431"));
    assert_eq!(get(host.address, SHELF).await.text(), LIST);
    host.stop().await;
}

#[tokio::test]
async fn odd_requests_are_answered_or_closed_and_the_next_is_served() {
    let artefact = Artefact::relay(Cell::down().await);
    let host = Host::start(settings(&artefact.path(), &[])).await;
    let close = "host: edge\r\nconnection: close\r\n\r\n";
    for (request, status) in [
        (format!("GET http://elsewhere.example{SHELF} HTTP/1.1\r\n{close}"), "HTTP/1.1 200"),
        (format!("OPTIONS * HTTP/1.1\r\n{close}"), "HTTP/1.1 404"),
        (format!("GET /{SHELF} HTTP/1.1\r\n{close}"), "HTTP/1.1 404"),
        (format!("GET /v1/../v1/shelf/de-DE/home HTTP/1.1\r\n{close}"), "HTTP/1.1 404"),
        (format!("GET /v1/shelf/de%2dDE/home HTTP/1.1\r\n{close}"), "HTTP/1.1 404"),
        (format!("CONNECT edge:80 HTTP/1.1\r\n{close}"), "HTTP/1.1 4"),
        (format!("GET {SHELF}\0 HTTP/1.1\r\n{close}"), "HTTP/1.1 400"),
        (
            format!("POST {SHELF} HTTP/1.1\r\ncontent-length: 1\r\ncontent-length: 2\r\n{close}x"),
            "HTTP/1.1 400",
        ),
        ("\0\0\0\r\n\r\n".to_owned(), "HTTP/1.1 400"),
    ] {
        let answer = raw(host.address, request.as_bytes()).await;
        assert!(answer.starts_with(status), "{request:?}: {answer}");
    }
    assert_eq!(get(host.address, SHELF).await.text(), LIST);
    host.stop().await;
}

#[tokio::test]
async fn stripping_changes_nothing_that_a_caller_or_a_cell_sees() {
    let cell = Cell::start(Does::Answers(200, b"opened".to_vec())).await;
    let artefact = Artefact::relay(cell.address);
    for strip in [Strip::On, Strip::Off] {
        let mut settings = settings(&artefact.path(), &[cell.address]);
        settings.strip = strip;
        let host = Host::start(settings).await;
        let noise = [("cookie", "canary"), ("if-none-match", "\"feed\"")];
        assert_eq!(send(host.address, Method::POST, &sealed(), &noise, b"sealed").await.text(), "opened");
        assert_eq!(send(host.address, Method::GET, SHELF, &noise, b"").await.status.as_u16(), 304);
        host.stop().await;
    }
    let seen = cell.seen();
    assert_eq!(seen[0].headers, seen[1].headers);
}

#[tokio::test]
async fn more_requests_than_seats_are_refused_at_once() {
    let cell = Cell::start(Does::Hangs).await;
    let artefact = Artefact::relay(cell.address);
    let mut settings = settings(&artefact.path(), &[cell.address]);
    settings.limits.in_flight = 1;
    settings.clocks.request = Duration::from_millis(1_000);
    let host = Host::start(settings).await;
    let path = sealed();
    let first = send(host.address, Method::POST, &path, &[], b"sealed");
    let second = async {
        cell.arrived().await;
        get(host.address, SHELF).await
    };
    let (first, second) = tokio::join!(first, second);
    assert_eq!((second.status.as_u16(), second.header("retry-after")), (503, Some("1")));
    assert!(second.text().contains("edge-busy"));
    assert_eq!(first.status.as_u16(), 504);
    // The seat is given back just after the last byte of its answer.
    let next = soon("the seat to be given back", async {
        loop {
            let next = get(host.address, SHELF).await;
            if next.status.as_u16() != 503 {
                return next;
            }
        }
    })
    .await;
    assert_eq!(next.text(), LIST);
    host.stop().await;
}
