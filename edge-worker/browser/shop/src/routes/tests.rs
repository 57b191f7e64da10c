use std::io::Write as _;

use axum::body::{Body, to_bytes};
use serde_json::json;
use tower::ServiceExt as _;

use super::*;

/// A shop of one item and one cell, in a folder that is gone when the test is.
fn shop(name: &str) -> Router {
    let folder = std::env::temp_dir().join(format!("domicile-shop-{}-{name}", std::process::id()));
    std::fs::create_dir_all(&folder).unwrap();
    std::fs::write(folder.join("index.html"), "<!doctype html><title>shop</title>").unwrap();
    std::fs::write(folder.join("shop.js"), "export {};").unwrap();
    std::fs::write(folder.join("secret.txt"), "no page").unwrap();
    let mut items = std::fs::File::create(folder.join("items.csv")).unwrap();
    writeln!(items, "index,id,title,category,department,price,image").unwrap();
    writeln!(items, "1,17,\"Eggs, x-large\",eggs,grocery,1.09,img/eggs.svg").unwrap();
    let shop = Shop {
        pages: Pages::read(&folder).unwrap(),
        catalogue: Catalogue::read(&folder.join("items.csv")).unwrap(),
        capture: Arc::new(Capture::default()),
        controls: Arc::new(Controls::new(["eu-a".to_owned()], Some(Box::new(std::io::sink())))),
        setup: json!({ "edge": "http://127.0.0.1:2" }),
        headers: crate::pages::headers(&["http://127.0.0.1:2", "http://127.0.0.1:3"]).unwrap(),
    };
    std::fs::remove_dir_all(&folder).unwrap();
    router(Arc::new(shop))
}

async fn ask(shop: &Router, request: http::request::Builder) -> (StatusCode, HeaderMap, String) {
    let request = request.header("host", "127.0.0.1:1").body(Body::empty()).unwrap();
    let (head, body) = shop.clone().oneshot(request).await.unwrap().into_parts();
    let body = to_bytes(body, 1 << 20).await.unwrap();
    (head.status, head.headers, String::from_utf8(body.to_vec()).unwrap())
}

/// A header's value; empty where there is none.
fn value<'h>(headers: &'h HeaderMap, name: &str) -> &'h str {
    headers.get(name).and_then(|value| value.to_str().ok()).unwrap_or_default()
}

async fn get_of(shop: &Router, path: &str) -> (StatusCode, HeaderMap, String) {
    ask(shop, Request::get(path)).await
}

#[tokio::test]
async fn every_page_is_the_shell_and_an_item_that_is_not_there_is_404() {
    let shop = shop("shell");
    for (path, status) in [("/", 200), ("/basket", 200), ("/p/17", 200), ("/p/18", 404)] {
        let (answered, headers, body) = get_of(&shop, path).await;
        assert_eq!(
            (answered.as_u16(), value(&headers, "content-type")),
            (status, "text/html; charset=utf-8"),
            "{path}"
        );
        assert!(body.contains("<title>"), "{path}");
    }
}

#[tokio::test]
async fn files_are_those_of_the_build_and_no_other() {
    let shop = shop("files");
    assert_eq!(get_of(&shop, "/shop.js").await.2, "export {};");
    for path in
        ["/secret.txt", "/items.csv", "/..%2f..%2fetc%2fpasswd", "/%2e%2e/x", "/img/../shop.js", "/nothing"]
    {
        assert_eq!(get_of(&shop, path).await.0, StatusCode::NOT_FOUND, "{path}");
    }
}

#[tokio::test]
async fn every_answer_carries_the_policy_and_no_unsafe_source() {
    let shop = shop("policy");
    for path in ["/", "/shop.js", "/img/eggs.svg", "/demo/setup", "/nothing"] {
        let (_, headers, _) = get_of(&shop, path).await;
        let policy = value(&headers, "content-security-policy");
        assert!(policy.contains("default-src 'none'") && policy.contains("frame-ancestors 'none'"), "{path}");
        assert!(policy.contains("connect-src 'self' http://127.0.0.1:2 http://127.0.0.1:3;"), "{path}");
        assert!(!policy.contains("unsafe"), "{path}");
        assert_eq!(value(&headers, "x-content-type-options"), "nosniff");
        assert_eq!(value(&headers, "referrer-policy"), "no-referrer");
    }
}

#[tokio::test]
async fn pictures_and_items_are_found_by_name() {
    let shop = shop("named");
    let (_, headers, drawn) = get_of(&shop, "/img/eggs.svg").await;
    assert_eq!(value(&headers, "content-type"), "image/svg+xml");
    assert_eq!(value(&headers, "cache-control"), PICTURES_KEPT);
    assert!(drawn.starts_with("<svg "));
    assert_eq!(get_of(&shop, "/img/eggs.png").await.0, StatusCode::NOT_FOUND);
    let item: Value = serde_json::from_str(&get_of(&shop, "/demo/items/17").await.2).unwrap();
    assert_eq!((&item["title"], &item["price"]), (&json!("Eggs, x-large"), &json!(1.09)));
    assert_eq!(get_of(&shop, "/demo/items/18").await.0, StatusCode::NOT_FOUND);
}

#[tokio::test]
async fn cells_are_wished_for_by_the_shops_own_page_alone_and_never_by_a_link() {
    let shop = shop("wishes");
    let post = |path: &str| Request::post(path);
    let own = |path| post(path).header("origin", "http://127.0.0.1:1");
    assert_eq!(ask(&shop, own("/demo/cells/eu-a/stop")).await.0, StatusCode::ACCEPTED);
    assert_eq!(ask(&shop, own("/demo/cells/eu-z/stop")).await.0, StatusCode::NOT_FOUND);
    assert_eq!(ask(&shop, post("/demo/cells/eu-a/stop")).await.0, StatusCode::FORBIDDEN);
    let other = post("/demo/cells/eu-a/stop").header("origin", "http://127.0.0.1:2");
    assert_eq!(ask(&shop, other).await.0, StatusCode::FORBIDDEN);
    assert_eq!(get_of(&shop, "/demo/cells/eu-a/stop").await.0, StatusCode::METHOD_NOT_ALLOWED);
    assert_eq!(get_of(&shop, "/demo/cells").await.2, r#"{"eu-a":"unknown"}"#);
}

#[tokio::test]
async fn what_the_edge_saw_is_told_from_a_number_on() {
    let shop = shop("saw");
    for path in ["/demo/edge-saw", "/demo/edge-saw?since=0", "/demo/edge-saw?since=x"] {
        assert_eq!(get_of(&shop, path).await.2, r#"{"next":0,"exchanges":[]}"#, "{path}");
    }
}
