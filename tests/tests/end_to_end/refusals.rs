//! Bad input: a documented code or the list, never a hang.

use domicile_envelope::SigningKey;
use domicile_pin::{Epoch, Pin};
use domicile_tests::http;
use domicile_tests::world::World;
use domicile_wire::{Call, Caller, Problem, RankRequest, Reply, Request};

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
    let good = world.request(shopper, "de-DE", "home").unwrap();
    let asks = |locale: &str, slot: &str, anchor: &[&str]| {
        let anchor = anchor.iter().map(|&item| item.to_owned()).collect();
        Call::Rank(RankRequest { locale: locale.to_owned(), slot: slot.to_owned(), anchor })
    };
    let foreign = world.request(world.shopper("en-US", "us-a").unwrap(), "en-US", "home").unwrap();
    let late = good.date_s.map(|date_s| date_s - 300);
    let cases = [
        (Request { call: asks("xx-XX", "home", &[]), ..good.clone() }, "unknown-locale"),
        (Request { call: asks("de-DE", "cellar", &[]), ..good.clone() }, "unknown-slot"),
        (Request { call: asks("de-DE", "home", &["no-such-item"]), ..good.clone() }, "unknown-item"),
        (Request { pin: world.pin("eu_only", -9).unwrap(), ..good.clone() }, "pin-expired"),
        (Request { pin: "nonsense".into(), ..good.clone() }, "pin-malformed"),
        (Request { date_s: late, ..good.clone() }, "date-skew"),
        (Request { caller: Caller::Nobody, ..good.clone() }, "token-missing"),
        (Request { caller: foreign.caller.clone(), ..good.clone() }, "token-audience"),
        (Request { pin: foreign.pin.clone(), ..good.clone() }, "cell-not-in-class"),
    ];
    for (request, code) in cases {
        let problem = problem(&world.ask_through_edge(&path, "eu-a", &request).unwrap());
        assert_eq!(problem.code.as_str(), code);
        assert!(!problem.detail.contains(shopper), "a problem never names the shopper");
    }
}

/// The problem in an answer.
pub(crate) fn problem(reply: &Reply) -> Problem {
    reply.parse::<serde_json::Value>().unwrap().unwrap_err()
}

/// Nothing is taken at a cell's sealed listener but what is sealed to it.
pub(crate) fn a_cell_takes_nothing_plain(world: &World) {
    let message = world.request(world.shopper("de-DE", "eu-a").unwrap(), "de-DE", "home").unwrap().encode();
    let authority = world.cell("eu-a").unwrap();
    let post = |media: &str, body: &[u8]| {
        http::send(&authority, "POST", "/gateway", &[("content-type", media)], body).unwrap()
    };
    for media in ["message/bhttp", "application/json", "message/ohttp-chunked-req"] {
        let answer = post(media, &message);
        assert_eq!((answer.status, answer.code().as_str()), (415, "not-sealed"), "{media}");
    }
    let untyped = http::send(&authority, "POST", "/gateway", &[], &message).unwrap();
    assert_eq!(
        (untyped.status, untyped.code().as_str()),
        (400, "seal-size"),
        "read as sealed, which it is not"
    );
    let (other, _opener) = world.seal("eu-b", &message).unwrap();
    assert!([400, 422].contains(&post("message/ohttp-req", &other).status), "sealed to another cell");
}
