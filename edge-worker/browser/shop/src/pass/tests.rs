use tokio::net::TcpListener;
use tower::ServiceExt as _;

use super::*;

/// An edge that answers with what it was asked.
async fn edge() -> String {
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let address = format!("http://{}", listener.local_addr().unwrap());
    let echo = |request: Request<Body>| async move {
        let target = request.uri().to_string();
        let names: Vec<String> = request.headers().keys().map(ToString::to_string).collect();
        let body = to_bytes(request.into_body(), ASKED_MAX).await.unwrap();
        let said = format!("{target} {} {}", names.join(","), body.len());
        (StatusCode::OK, [("domicile-outcome", "relayed")], said)
    };
    #[expect(clippy::disallowed_methods, reason = "a test's server ends with its runtime")]
    tokio::spawn(async move { axum::serve(listener, Router::new().fallback(echo)).await });
    address
}

fn post(target: &str, body: Vec<u8>) -> Request<Body> {
    let request = Request::post(target).header("host", "127.0.0.1:1").header("x-named", "v");
    request.body(Body::from(body)).unwrap()
}

#[tokio::test]
async fn a_request_goes_on_as_it_came_and_is_kept_with_its_answer() {
    let capture = Arc::new(Capture::default());
    let pass = router(edge().await, Arc::clone(&capture));
    let answer = pass.oneshot(post("/v1/x?strict", vec![7; 4_096])).await.unwrap();
    assert_eq!(answer.headers()["domicile-outcome"], "relayed");
    let said = to_bytes(answer.into_body(), ANSWER_MAX).await.unwrap();
    assert_eq!(said, "/v1/x?strict host,x-named,content-length 4096");
    let kept = capture.since(0).exchanges.remove(0);
    assert_eq!((kept.asked.target.as_str(), kept.asked.body.bytes), ("/v1/x?strict", 4_096));
    assert_eq!(kept.asked.headers, [("host".into(), "127.0.0.1:1".into()), ("x-named".into(), "v".into())]);
    let Came::Answer(answer) = kept.came else { panic!("no answer was kept") };
    assert_eq!((answer.status, answer.body.bytes), (200, said.len()));
    assert!(answer.headers.contains(&("domicile-outcome".into(), "relayed".into())));
}

#[tokio::test]
async fn an_edge_that_is_not_there_is_no_answer() {
    let free = std::net::TcpListener::bind("127.0.0.1:0").unwrap().local_addr().unwrap();
    let capture = Arc::new(Capture::default());
    let answer =
        router(format!("http://{free}"), Arc::clone(&capture)).oneshot(post("/", vec![])).await.unwrap();
    assert_eq!(answer.status(), StatusCode::BAD_GATEWAY);
    assert!(matches!(capture.since(0).exchanges[0].came, Came::Nothing));
}

#[tokio::test]
async fn a_body_over_the_limit_goes_nowhere() {
    let capture = Arc::new(Capture::default());
    let pass = router("http://127.0.0.1:1".into(), Arc::clone(&capture));
    let answer = pass.oneshot(post("/", vec![0; ASKED_MAX + 1])).await.unwrap();
    assert_eq!(answer.status(), StatusCode::PAYLOAD_TOO_LARGE);
    assert!(capture.since(0).exchanges.is_empty());
}
