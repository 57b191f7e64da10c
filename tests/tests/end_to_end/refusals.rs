//! Bad input: a documented code or the list, never a hang.

use domicile_envelope::SigningKey;
use domicile_pin::{Epoch, Pin};
use domicile_tests::http;
use domicile_tests::world::{World, inner};

pub(crate) fn the_edge_refuses_with_documented_codes(world: &World) {
    let pin = world.pin("eu_only", 0).unwrap();
    let expired = world.pin("eu_only", -9).unwrap();
    let foreign =
        Pin::mint(1, Epoch(Pin::parse(&pin).unwrap().stated_epoch().0), &SigningKey::generate()).to_string();
    let mut forged = pin.clone();
    forged.replace_range(90..91, if &pin[90..91] == "A" { "B" } else { "A" });
    let unknown_class = Pin::mint(999, Pin::parse(&pin).unwrap().stated_epoch(), &world.pin_key).to_string();
    let long = format!("/v1/shelf/de-DE/{}", "x".repeat(10_000));
    let sealed = |pin: &str, rest: &str| format!("/v1/sealed/{pin}/{rest}");
    let cases: Vec<(&str, String, u16, &str)> = vec![
        ("GET", "/".into(), 404, "unknown-route"),
        ("GET", "/v2/shelf/de-DE/home".into(), 404, "unknown-route"),
        ("GET", "/_/shelf/1/1".into(), 404, "unknown-route"),
        ("GET", "/_/list/1/1/cell-busy".into(), 404, "unknown-route"),
        ("GET", "/_/problem/0".into(), 404, "unknown-route"),
        ("GET", "/v1/shelf/de-DE/home/more".into(), 404, "unknown-route"),
        ("GET", "/v1//shelf/de-DE/home".into(), 404, "unknown-route"),
        ("GET", "/v1/shelf/xx-XX/home".into(), 404, "unknown-locale"),
        ("GET", "/v1/shelf/de-DE/cellar".into(), 404, "unknown-slot"),
        ("GET", "/v1/shelf/de-DE/home?shopper=17".into(), 404, "unknown-route"),
        ("POST", "/v1/shelf/de-DE/home".into(), 405, "method-not-allowed"),
        ("GET", sealed(&pin, "eu-a/de-DE/home"), 405, "method-not-allowed"),
        ("PUT", sealed(&pin, "eu-a/de-DE/home"), 405, "method-not-allowed"),
        ("POST", sealed(&pin, "mars-a/de-DE/home"), 404, "unknown-cell"),
        ("POST", sealed(&pin, "eu-a/xx-XX/home"), 404, "unknown-locale"),
        ("POST", sealed(&pin, "eu-a/de-DE/cellar"), 404, "unknown-slot"),
        ("POST", sealed(&expired, "eu-a/de-DE/home"), 403, "pin-expired"),
        ("POST", sealed(&foreign, "eu-a/de-DE/home"), 403, "pin-invalid"),
        ("POST", sealed(&forged, "eu-a/de-DE/home"), 403, "pin-invalid"),
        ("POST", sealed("short", "eu-a/de-DE/home"), 403, "pin-invalid"),
        ("POST", sealed(&unknown_class, "eu-a/de-DE/home"), 403, "unknown-class"),
        ("GET", long, 414, "path-too-long"),
    ];
    for (method, path, status, code) in cases {
        let answer = http::send(world.edge(), method, &path, &[], &[]).unwrap();
        assert_eq!((answer.status, answer.code().as_str()), (status, code), "{method} {path:.120}");
        assert_eq!(answer.header("content-type"), "application/problem+json", "{method} {path:.120}");
        assert_eq!(answer.header("cache-control"), "no-store");
        assert_eq!(answer.header("access-control-allow-origin"), "*");
    }
    let preflight = http::send(world.edge(), "OPTIONS", &sealed(&pin, "eu-a/de-DE/home"), &[], &[]).unwrap();
    assert!([200, 204].contains(&preflight.status));
    assert_eq!(preflight.header("access-control-allow-origin"), "*");
    assert_eq!(preflight.header("access-control-allow-credentials"), "");
}

pub(crate) fn the_cell_refuses_inside_and_outside(world: &World) {
    let pin = world.pin("eu_only", 0).unwrap();
    let path = format!("/v1/sealed/{pin}/eu-a/de-DE/home");
    let shopper = world.shopper("de-DE", "eu-a").unwrap();

    // Bytes that are no message are refused outside the seal; the shopper gets the list.
    for body in [&b""[..], b"not binary http", &[0xff; 4_096]] {
        let answer = http::send(world.edge(), "POST", &path, &[], body).unwrap();
        assert_eq!(answer.status, 200);
        assert_eq!(answer.header("domicile-outcome"), "fallback; reason=key-refused");
        assert_eq!(answer.header("cache-control"), "no-store");
        assert_eq!(answer.json()["items"].as_array().unwrap().len(), 24);
        let strict = http::send(world.edge(), "POST", &format!("{path}?strict"), &[], body).unwrap();
        assert_eq!((strict.status, strict.code().as_str()), (503, "key-refused"));
        assert!(!strict.header("retry-after").is_empty());
    }

    // A sound message that asks for what it cannot have is refused inside it.
    let expired = world.pin("eu_only", -9).unwrap();
    let cases = [
        (inner(&pin, shopper, "xx-XX", "home", &[]), "unknown-locale"),
        (inner(&pin, shopper, "de-DE", "cellar", &[]), "unknown-slot"),
        (inner(&pin, shopper, "de-DE", "home", &["no-such-item"]), "unknown-item"),
        (inner(&expired, shopper, "de-DE", "home", &[]), "pin-expired"),
        (inner("nonsense", shopper, "de-DE", "home", &[]), "pin-malformed"),
    ];
    for (body, code) in cases {
        let answer = http::send(world.edge(), "POST", &path, &[], &body).unwrap();
        assert_eq!((answer.status, answer.header("domicile-outcome")), (200, "relayed"), "{code}");
        let problem = domicile_wire::decode_response(&answer.body).unwrap().unwrap_err();
        assert_eq!(problem.code.as_str(), code);
        assert!(!problem.detail.contains(shopper), "a problem never names the shopper");
    }
}
