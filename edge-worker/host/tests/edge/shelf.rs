//! Shelves: what the guest answers on its own, and what the host makes of it.

use domicile_edge::{KeepShelves, Settings};
use http::Method;

use crate::client::{get, send};
use crate::fixture::{Artefact, ETAG, LIST, SHELF};
use crate::host::{Host, any_port, settings};

async fn edge() -> (Artefact, Host) {
    let artefact = Artefact::relay(std::net::SocketAddr::from(([127, 0, 0, 1], 9)));
    let host = Host::start(settings(&artefact.path(), &[])).await;
    (artefact, host)
}

#[tokio::test]
async fn a_shelf_is_answered_with_a_tag_and_known_ones_with_304() {
    let (_artefact, host) = edge().await;
    let fresh = get(host.address, SHELF).await;
    assert_eq!((fresh.status.as_u16(), fresh.text()), (200, LIST));
    assert_eq!(fresh.header("etag"), Some(ETAG));
    assert_eq!(fresh.header("content-length"), Some(LIST.len().to_string().as_str()));

    for known in [ETAG, "W/\"feed\"", "\"other\", \"feed\"", "*"] {
        let same = send(host.address, Method::GET, SHELF, &[("if-none-match", known)], b"").await;
        assert_eq!((same.status.as_u16(), same.text()), (304, ""), "{known}");
        for name in ["etag", "cache-control", "access-control-allow-origin", "domicile-outcome"] {
            assert_eq!(same.header(name), fresh.header(name), "{name}");
            assert!(same.header(name).is_some(), "{name}");
        }
        assert_eq!(same.header("content-type"), None);
    }
    let changed = send(host.address, Method::GET, SHELF, &[("if-none-match", "\"other\"")], b"").await;
    assert_eq!((changed.status.as_u16(), changed.text()), (200, LIST));
    host.stop().await;
}

#[tokio::test]
async fn a_head_has_the_headers_and_no_body() {
    let (_artefact, host) = edge().await;
    let head = send(host.address, Method::HEAD, SHELF, &[], b"").await;
    assert_eq!((head.status.as_u16(), head.text()), (200, ""));
    assert_eq!(head.header("etag"), Some(ETAG));
    assert_eq!(head.header("content-length"), Some(LIST.len().to_string().as_str()));
    let same = send(host.address, Method::HEAD, SHELF, &[("if-none-match", ETAG)], b"").await;
    assert_eq!(same.status.as_u16(), 304);
    host.stop().await;
}

#[tokio::test]
async fn unknown_and_endless_paths_are_problems() {
    let (_artefact, host) = edge().await;
    let endless = format!("/{}", "a".repeat(10_000));
    for (path, status, code) in [
        ("/", 404, "unknown-route"),
        ("/v1/shelf/xx-XX/home", 404, "unknown-locale"),
        ("/v1/shelf/de-DE/attic", 404, "unknown-slot"),
        ("/_/shelf/1/1", 404, "unknown-route"),
        ("/_/problem/0", 404, "unknown-route"),
        (&endless, 414, "path-too-long"),
    ] {
        let answer = get(host.address, path).await;
        assert_eq!(answer.status.as_u16(), status, "{:.40}", path);
        assert_eq!(answer.header("content-type"), Some("application/problem+json"));
        assert!(answer.text().contains(&format!(r#""code":"{code}""#)), "{}", answer.text());
    }
    assert_eq!(get(host.address, SHELF).await.text(), LIST);
    host.stop().await;
}

#[tokio::test]
async fn a_preflight_is_answered() {
    let (_artefact, host) = edge().await;
    let answer = send(host.address, Method::OPTIONS, SHELF, &[("origin", "https://shop.example")], b"").await;
    assert_eq!(answer.status.as_u16(), 204);
    assert_eq!(answer.header("access-control-allow-origin"), Some("*"));
    host.stop().await;
}

#[tokio::test]
async fn instances_are_replaced_without_a_request_lost() {
    let artefact = Artefact::relay(std::net::SocketAddr::from(([127, 0, 0, 1], 9)));
    let mut settings = settings(&artefact.path(), &[]);
    settings.limits.reuse = 3;
    settings.admin = any_port();
    let host = Host::start(settings).await;
    for _ in 0..20 {
        assert_eq!(get(host.address, SHELF).await.text(), LIST);
    }
    let made = host.metric("domicile_edge_instances_made_total").await;
    let reused = host.metric("domicile_edge_instances_reused_total").await;
    assert!((7..20).contains(&made) && made + reused == 20, "{made} made, {reused} requests met a used one");
    host.stop().await;
}

#[tokio::test]
async fn a_list_for_everybody_is_asked_for_once_and_told_with_its_age() {
    let artefact = Artefact::relay(std::net::SocketAddr::from(([127, 0, 0, 1], 9)));
    let host =
        Host::start(Settings { keep_shelves: KeepShelves::On, ..settings(&artefact.path(), &[]) }).await;
    let first = get(host.address, SHELF).await;
    assert_eq!((first.text(), first.header("age")), (LIST, None), "from the guest");

    let second = get(host.address, SHELF).await;
    assert_eq!((second.status.as_u16(), second.text()), (200, LIST));
    assert!(second.header("age").is_some_and(|age| age.parse::<u64>().is_ok()), "from what was kept");
    for name in ["etag", "cache-control", "content-length", "content-type", "access-control-allow-origin"] {
        assert_eq!(second.header(name), first.header(name), "{name}");
    }
    let same = send(host.address, Method::GET, SHELF, &[("if-none-match", ETAG)], b"").await;
    assert_eq!((same.status.as_u16(), same.text()), (304, ""));
    assert!(same.header("age").is_some());
    let head = send(host.address, Method::HEAD, SHELF, &[], b"").await;
    assert_eq!((head.text(), head.header("content-length")), ("", first.header("content-length")));

    // A query makes another request of it, and what the guest refuses is not kept.
    let query = get(host.address, &format!("{SHELF}?x")).await;
    assert_eq!((query.status.as_u16(), query.header("age")), (404, None));
    for _ in 0..2 {
        assert_eq!(get(host.address, "/v1/shelf/xx-XX/home").await.header("age"), None);
    }
    host.stop().await;
}
