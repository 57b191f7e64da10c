//! The rate limit: who asks too often is told so, and nobody writes down who that was.

use domicile_edge::{Rate, Settings};

use crate::client::get;
use crate::fixture::{Artefact, SHELF};
use crate::host::{Host, any_port, settings};

#[tokio::test]
async fn more_than_the_burst_is_a_429_with_a_fixed_wait() {
    let artefact = Artefact::listing("milk");
    let rate = Some(Rate { per_second: 1, burst: 3 });
    let host = Host::start(Settings { rate, admin: any_port(), ..settings(&artefact.path(), &[]) }).await;
    let (mut refused, mut count) = (None, 0);
    // A second may pass meanwhile, or two; a fourth in one does not.
    for _ in 0..20 {
        let answer = get(host.address, SHELF).await;
        if answer.status.as_u16() == 429 {
            refused = Some(answer);
            count += 1;
        }
    }
    let refused = refused.expect("one of twenty is refused");
    assert!(refused.text().contains(r#""code":"edge-rate-limited""#), "{}", refused.text());
    assert_eq!(refused.header("retry-after"), Some("10"));
    assert_eq!(refused.header("access-control-allow-origin"), Some("*"));
    let counted =
        r#"domicile_edge_requests_total{route="/v1/shelf",outcome="edge-rate-limited",status="4xx"}"#;
    assert_eq!(host.metric(counted).await, count);
    let metrics = get(host.admin.unwrap(), "/metrics").await;
    assert!(!metrics.text().contains("127.0.0.1"));
    host.stop().await;
}
