//! Route manifests and cells' keys: what is handed out, and what reaches a cell when its keys are asked for.

use http::Method;

use crate::cell::{Cell, Does};
use crate::client::{get, send};
use crate::fixture::{Artefact, MANIFEST};
use crate::host::{Host, settings};

const ROUTE: &str = "/v1/route/eu_only";
const KEYS: &str = "/v1/keys/eu-a";

#[tokio::test]
async fn a_route_manifest_is_answered_and_revalidated() {
    let artefact = Artefact::listing("milk");
    let host = Host::start(settings(&artefact.path(), &[])).await;
    let answer = get(host.address, ROUTE).await;
    assert_eq!((answer.status.as_u16(), answer.text()), (200, MANIFEST));
    assert_eq!(answer.header("content-type"), Some("application/json"));
    assert_eq!(answer.header("cache-control"), Some("public, max-age=300"));
    assert_eq!(answer.header("domicile-outcome"), Some("route"));
    let tag = answer.header("etag").unwrap();
    let again = send(host.address, Method::GET, ROUTE, &[("if-none-match", tag)], b"").await;
    assert_eq!((again.status.as_u16(), again.text()), (304, ""));
    let unknown = get(host.address, "/v1/route/eu").await;
    assert_eq!(unknown.status.as_u16(), 404);
    assert!(unknown.text().contains("\"unknown-class\""), "{}", unknown.text());
    host.stop().await;
}

#[tokio::test]
async fn keys_are_fetched_with_nothing_of_the_caller_s() {
    let cell = Cell::start(Does::Answers(200, b"signed keys".to_vec())).await;
    let artefact = Artefact::relay(cell.address);
    let host = Host::start(settings(&artefact.path(), &[cell.address])).await;
    let noise = [("cookie", "canary=1"), ("traceparent", "canary"), ("content-type", "text/canary")];
    let answer = send(host.address, Method::GET, KEYS, &noise, b"canary body").await;
    assert_eq!((answer.status.as_u16(), answer.text()), (200, "signed keys"));
    assert_eq!(answer.header("content-type"), Some("application/json"));
    assert_eq!(answer.header("cache-control"), Some("public, max-age=3600"));
    assert_eq!(answer.header("domicile-outcome"), Some("relayed"));
    let seen = cell.seen();
    assert_eq!(seen.len(), 1);
    assert_eq!((seen[0].line.as_str(), seen[0].body.as_slice()), ("GET /keys HTTP/1.1", b"".as_slice()));
    assert_eq!(seen[0].names(), ["host"]);
    assert!(!format!("{seen:?}").contains("canary"), "{seen:?}");
    host.stop().await;
}

#[tokio::test]
async fn keys_that_do_not_come_are_a_problem_that_nobody_keeps() {
    for does in [
        Does::Answers(404, b"no keys".to_vec()),
        Does::Answers(503, b"busy".to_vec()),
        Does::Says(b"no http\r\n\r\n"),
        Does::Hangs,
    ] {
        let cell = Cell::start(does.clone()).await;
        let artefact = Artefact::impatient(cell.address);
        let host = Host::start(settings(&artefact.path(), &[cell.address])).await;
        let answer = get(host.address, KEYS).await;
        assert_eq!(answer.status.as_u16(), 503, "{does:?}");
        assert!(answer.text().contains("\"cell-failed\""), "{does:?}: {}", answer.text());
        assert_eq!(answer.header("cache-control"), Some("no-store"), "{does:?}");
        assert_eq!(answer.header("retry-after"), Some("5"), "{does:?}");
        host.stop().await;
    }
}

#[tokio::test]
async fn other_methods_are_named() {
    let artefact = Artefact::listing("milk");
    let host = Host::start(settings(&artefact.path(), &[])).await;
    for (method, path, allow) in [
        (Method::POST, ROUTE, "GET, HEAD, OPTIONS"),
        (Method::POST, KEYS, "GET, OPTIONS"),
        (Method::HEAD, KEYS, "GET, OPTIONS"),
    ] {
        let answer = send(host.address, method, path, &[], b"").await;
        assert_eq!((answer.status.as_u16(), answer.header("allow")), (405, Some(allow)), "{path}");
    }
    let preflight = send(host.address, Method::OPTIONS, KEYS, &[], b"").await;
    assert_eq!(preflight.status.as_u16(), 204);
    host.stop().await;
}
