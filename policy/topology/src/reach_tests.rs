use domicile_envelope::SigningKey;

use super::host_of_origin;
use crate::{Topology, Transport};

const DEMO: &str = include_str!("../../../deploy/demo/topology.toml");

/// The demo with these lines more in the cell of this name.
fn with(cell: &str, lines: &str) -> String {
    let name = format!("name = \"{cell}\"\n");
    assert_eq!(DEMO.matches(&name).count(), 1);
    DEMO.replace(&name, &format!("{name}{lines}\n"))
}

/// The demo with this signing key in the place of `cell`'s.
fn with_key(cell: &str, jwk: &str) -> String {
    let at = DEMO.find(&format!("name = \"{cell}\"\n")).unwrap();
    let line = DEMO[at..].lines().find(|line| line.starts_with("signing_key")).unwrap();
    DEMO.replace(line, &format!("signing_key = '{jwk}'"))
}

fn refusal(text: &str) -> String {
    Topology::parse(text).unwrap_err().to_string()
}

#[test]
fn an_origin_is_a_scheme_and_a_host() {
    for (origin, host) in [
        ("https://cell.example", "cell.example"),
        ("https://cell.example:8443", "cell.example"),
        ("http://127.0.0.1:7101", "127.0.0.1"),
        ("https://[::1]:7101", "::1"),
    ] {
        assert_eq!(host_of_origin(origin), Some(host));
    }
    for wrong in [
        "cell.example",
        "ftp://cell.example",
        "HTTPS://cell.example",
        "https://",
        "https://cell.example/",
        "https://cell.example/v1",
        "https://cell.example:8443/",
        "https://cell.example?x",
        "https://cell.example#x",
        "https://a:b@cell.example",
        "https://a@cell.example:443",
        "https://cell.example:",
        "https://cell.example:0",
        "https://cell example",
        " https://cell.example",
    ] {
        assert_eq!(host_of_origin(wrong), None, "{wrong}");
        let text = refusal(&with("eu-a", &format!("direct = \"{wrong}\"")));
        assert!(text.contains("cell \"eu-a\": direct"), "{wrong}: {text}");
    }
}

#[test]
fn a_direct_way_is_read_and_plain_http_stays_on_loopback() {
    let topology = Topology::parse(&with("eu-a", "direct = \"http://127.0.0.1:7101\"")).unwrap();
    assert_eq!(topology.cells[0].transport, Transport::Direct("http://127.0.0.1:7101".into()));
    assert_eq!(topology.cells[1].transport, Transport::Relay);
    assert!(topology.is_on_loopback());
    let text = refusal(&with("eu-a", "direct = \"http://cell.example\""));
    assert!(text.contains("cell \"eu-a\": direct: plain http is for loopback only"), "{text}");
}

#[test]
fn published_keys_stay_on_loopback_wherever_they_stand() {
    let text = refusal(&with("eu-a", "direct = \"https://cell.example\""));
    assert!(text.contains("cell \"eu-a\": published demo keys"), "{text}");
    // Every [[key]] a private one, and one cell's signing key the demo's.
    let keys = DEMO.find("[[key]]").unwrap();
    let pin = SigningKey::generate().verifying_key().to_jwk();
    let private = format!("{}[[key]]\nuse = \"pin\"\njwk = '{pin}'\n", &DEMO[..keys]);
    assert!(Topology::parse(&private).unwrap().has_demo_keys());
    let elsewhere = private.replace("scheme = \"http\"\n", "").replace("127.0.0.1:7101", "cell.example:443");
    let text = refusal(&elsewhere);
    assert!(text.contains("cell \"eu-a\": published demo keys"), "{text}");
}

#[test]
fn a_cell_s_key_is_nobody_else_s() {
    let key = |cell: &str| {
        let topology = Topology::parse(DEMO).unwrap();
        topology.cell_named(cell).and_then(|c| c.signing_key.clone()).unwrap().to_jwk()
    };
    let text = refusal(&with_key("us-a", &key("eu-a")));
    assert!(text.contains("cell \"us-a\": signing_key: cell \"eu-a\" has the same key"), "{text}");
    let pin = Topology::parse(DEMO).unwrap().keys[1].key.to_jwk();
    let text = refusal(&with_key("eu-b", &pin));
    assert!(text.contains("cell \"eu-b\": signing_key: key ") && text.contains("use \"pin\""), "{text}");
}

#[test]
fn what_is_no_public_key_is_named_with_its_cell() {
    let text = refusal(&with_key("eu-a", "{}"));
    assert!(text.contains("cell \"eu-a\": signing_key: not a JSON Web Key"), "{text}");
    let text = refusal(&with_key("eu-a", &SigningKey::generate().to_jwk()));
    assert!(text.contains("cell \"eu-a\": signing_key: a secret key stands in the topology"), "{text}");
}

#[test]
fn a_coming_signing_key_is_read_and_judged_like_the_one_in_use() {
    let next = SigningKey::generate().verifying_key();
    let line = |jwk: &str| format!("next_signing_key = '{jwk}'");
    let topology = Topology::parse(&with("eu-a", &line(&next.to_jwk()))).unwrap();
    let used = topology.cells[0].signing_key.clone().unwrap();
    assert_eq!(topology.cells[0].signing_keys().cloned().collect::<Vec<_>>(), [used.clone(), next.clone()]);
    let routes = topology.routes(0, 86_400).unwrap();
    assert_eq!(routes[0].cells[0].keys(), Some(vec![used.clone(), next]));
    // Neither its own key again, nor another cell's, nor the pins'.
    let other = topology.cell_named("us-a").and_then(|cell| cell.signing_key.clone()).unwrap();
    for key in [used, other] {
        let text = refusal(&with("eu-a", &line(&key.to_jwk())));
        assert!(
            text.contains("cell \"eu-a\": next_signing_key: cell ") && text.contains("the same key"),
            "{text}"
        );
    }
    let text = refusal(&with("eu-a", &line("{}")));
    assert!(text.contains("cell \"eu-a\": next_signing_key: not a JSON Web Key"), "{text}");
    let at = DEMO.find("signing_key").unwrap();
    let text = refusal(&format!("{}next_{}", &DEMO[..at], &DEMO[at..]));
    assert!(text.contains("next_signing_key: follows a signing_key, and there is none"), "{text}");
}
