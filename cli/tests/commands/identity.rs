//! The identity service, asked as pages and programs do.

use std::io::Write as _;
use std::path::Path;

use domicile_jwt::KeySet;
use domicile_pin::Pin;
use domicile_token::Claims;
use domicile_topology::{KeyUse, Topology};
use serde_json::Value;

use crate::run;
use crate::service::{Answer, DE, Service};
use crate::world::{World, complaint, demo, domicile, json, said};

/// What a cell with the service's published keys reads in a token.
fn claims(service: &Service, issued: &Value) -> Claims {
    let keys = service.call("GET", "/v1/keys", &[], "");
    assert_eq!(keys.header("content-type"), Some("application/jwk-set+json"));
    KeySet::parse(&keys.body).unwrap().verify(issued["token"].as_str().unwrap()).unwrap()
}

#[test]
fn a_login_gives_a_token_and_a_pin_that_cells_take() {
    let service = Service::start(&[]);
    let cookie = service.login("17");
    let answer = service.token(Some(&cookie));
    assert_eq!((answer.status, answer.header("cache-control")), (200, Some("no-store")));
    assert_eq!(answer.cookie(), None, "the session is known");
    let issued = answer.json();
    let mut members: Vec<_> = issued.as_object().unwrap().keys().cloned().collect();
    members.sort();
    assert_eq!(members, ["class", "home", "not_after", "pin", "token"]);

    let claims = claims(&service, &issued);
    assert_eq!((claims.sub.expose(), claims.anonymous), ("17", false));
    assert_eq!((claims.class.as_str(), issued["class"].as_str()), ("eu_only", Some("eu_only")));
    assert_eq!(Some(claims.home.as_str()), issued["home"].as_str());
    assert!(issued["not_after"].as_i64().unwrap() <= claims.exp);
    let topology = Topology::parse(&std::fs::read_to_string(demo("topology.toml")).unwrap()).unwrap();
    let pin = Pin::parse(issued["pin"].as_str().unwrap()).unwrap();
    let minute = u32::try_from(claims.iat / 60).unwrap();
    assert_eq!(pin.verify(&topology.keys_for(KeyUse::Pin), topology.pin, minute), Ok(1));
}

#[test]
fn the_cookie_is_for_this_site_and_no_script() {
    let service = Service::start(&[]);
    let answer = service.call("POST", "/v1/login", &[], "{\"shopper\":\"shopper-17\"}");
    let cookie = answer.header("set-cookie").unwrap();
    for part in ["domicile_session=", "; HttpOnly", "; SameSite=Lax", "; Path=/"] {
        assert!(cookie.contains(part), "{cookie}");
    }
    assert!(!cookie.contains("shopper") && answer.body.is_empty());
}

#[test]
fn without_a_session_it_is_somebody_else_each_time_and_with_one_the_same() {
    let service = Service::start(&[]);
    let (first, second) = (service.token(None), service.token(None));
    let of = |answer: &Answer| claims(&service, &answer.json());
    assert!(of(&first).anonymous && of(&first).sub != of(&second).sub);
    let again = service.token(first.cookie().as_deref());
    assert_eq!(
        (of(&again).sub, again.json()["home"].clone()),
        (of(&first).sub, first.json()["home"].clone())
    );
    let unknown = format!("domicile_session={}", "0".repeat(32));
    assert!(of(&service.token(Some(&unknown))).anonymous);
}

#[test]
fn a_logout_ends_the_session_and_a_login_the_one_before() {
    let service = Service::start(&[]);
    let cookie = service.login("17");
    let head = format!("cookie: {cookie}");
    let logout = service.call("POST", "/v1/logout", &[&head], "");
    assert_eq!((logout.status, logout.cookie().as_deref()), (204, Some("domicile_session=")));
    assert!(logout.header("set-cookie").unwrap().contains("Max-Age=0"));
    assert!(claims(&service, &service.token(Some(&cookie)).json()).anonymous);

    let planted = service.token(None).cookie().unwrap();
    let head = format!("cookie: {planted}");
    let login = service.call("POST", "/v1/login", &[&head], "{\"shopper\":\"18\"}");
    assert_ne!(login.cookie().unwrap(), planted);
    let answer = service.token(Some(&planted));
    assert!(answer.cookie().is_some(), "the planted session is gone, this one is new");
    assert!(claims(&service, &answer.json()).anonymous);
}

#[test]
fn only_listed_pages_and_its_own_may_ask() {
    let service = Service::start(&["--allow-origin", "http://127.0.0.1:8080"]);
    let listed = ["origin: http://127.0.0.1:8080"];
    let answer = service.call("POST", "/v1/token", &listed, DE);
    assert_eq!(answer.header("access-control-allow-origin"), Some("http://127.0.0.1:8080"));
    assert_eq!(answer.header("access-control-allow-credentials"), Some("true"));
    assert_eq!((answer.status, answer.header("vary")), (200, Some("origin")));
    let preflight = service.call("OPTIONS", "/v1/token", &listed, "");
    assert_eq!(
        (preflight.status, preflight.header("access-control-allow-headers")),
        (204, Some("content-type"))
    );

    let own = format!("origin: http://{}", service.address);
    assert_eq!(service.call("POST", "/v1/token", &[&own], DE).status, 200);
    for origin in ["http://127.0.0.1:8081", "http://shop.invalid", "null"] {
        for (method, path) in [("POST", "/v1/token"), ("POST", "/v1/login"), ("OPTIONS", "/v1/token")] {
            let head = [format!("origin: {origin}")];
            let answer = service.call(method, path, &[&head[0]], "{\"shopper\":\"17\"}");
            assert_eq!((answer.status, answer.code().as_str()), (403, "origin-not-allowed"));
            assert_eq!(answer.header("access-control-allow-origin"), None);
            assert_eq!(answer.cookie(), None);
        }
    }
    let rebound = service.call("POST", "/v1/token", &["host: shop.invalid"], DE);
    assert_eq!((rebound.status, rebound.code().as_str()), (421, "host"));
}

#[test]
fn each_bad_request_has_its_code_and_quotes_nothing() {
    let service = Service::start(&[]);
    let long = "x".repeat(5_000);
    for (method, path, body, status, code) in [
        ("POST", "/v1/login", "", 400, "body-invalid"),
        ("POST", "/v1/login", "{\"shopper\":\"secret name\"}", 400, "body-invalid"),
        ("POST", "/v1/login", "{\"shopper\":\"secret\",\"class\":\"us_only\"}", 400, "body-invalid"),
        ("POST", "/v1/token", "[\"secret\"]", 400, "body-invalid"),
        ("POST", "/v1/token", &long, 413, "too-large"),
        ("POST", "/v1/token", "{\"locale\":\"secret\"}", 422, "unknown-locale"),
        ("POST", "/v1/token", "{\"locale\":\"en-GB\"}", 409, "list-only"),
        ("GET", "/v1/token", "", 405, "method-not-allowed"),
        ("POST", "/v1/keys", "", 405, "method-not-allowed"),
        ("GET", "/", "", 404, "unknown-route"),
    ] {
        let answer = service.call(method, path, &[], body);
        assert_eq!((answer.status, answer.code().as_str()), (status, code), "{method} {path} {body:.30}");
        assert!(!answer.body.contains("secret"));
        assert_eq!(answer.header("content-type"), Some("application/problem+json"));
    }
    // A length that is not stated is counted.
    let mut stream = service.connect();
    let host = &service.address;
    write!(
        stream,
        "POST /v1/token HTTP/1.1\r\nhost: {host}\r\nconnection: close\r\ntransfer-encoding: chunked\r\n\r\n1388\r\n{long}\r\n0\r\n\r\n"
    )
    .unwrap();
    assert_eq!(Answer::read(stream).code(), "too-large");
}

#[test]
fn a_slow_caller_holds_nobody_up_and_is_let_go() {
    let service = Service::start(&[]);
    let mut slow = service.connect();
    let host = &service.address;
    write!(slow, "POST /v1/token HTTP/1.1\r\nhost: {host}\r\ncontent-length: 100\r\n\r\n{{").unwrap();
    let mut half: Vec<_> = (0..300).map(|_| service.connect()).collect();
    for stream in &mut half {
        // Those beyond the limit were closed, and may say so.
        let _ = stream.write_all(b"POST /v1/token");
    }
    drop(half);
    let cookie = loop {
        // Places come back as the closed connections are noticed.
        let mut stream = service.connect();
        let asked = write!(
            stream,
            "POST /v1/login HTTP/1.1\r\nhost: {host}\r\nconnection: close\r\ncontent-length: 16\r\n\r\n{{\"shopper\":\"17\"}}"
        );
        let mut text = String::new();
        if asked.is_ok()
            && std::io::Read::read_to_string(&mut stream, &mut text).is_ok()
            && text.contains("204")
        {
            break text;
        }
    };
    assert!(cookie.contains("domicile_session="));
    assert_eq!(Answer::read(slow).code(), "slow");
}

#[test]
fn it_stops_when_it_is_told_to_and_serves_this_machine_alone() {
    for signal in ["TERM", "INT", "HUP"] {
        let service = Service::start(&[]);
        let idle = service.connect();
        assert_eq!(service.stop(signal), Some(0), "SIG{signal}");
        drop(idle);
    }

    let refused = |more: &[&str]| {
        let mut command = domicile();
        command.args(["identity", "--topology"]).arg(demo("topology.toml")).arg("--pin-key");
        command.arg(demo("keys/pin.jwk")).arg("--token-key").arg("none").args(more);
        command.output().unwrap()
    };
    assert!(complaint(&refused(&["--listen", "0.0.0.0:0"])).contains("loopback address only"));
    assert!(complaint(&refused(&["--allow-origin", "*"])).contains("is no origin"));
    for empty in ["", " "] {
        assert!(complaint(&refused(&["--issuer", empty])).contains("--issuer: empty; name this service"));
        assert!(complaint(&refused(&["--tenant", empty])).contains("--tenant: empty; name the storefront"));
    }
    assert!(complaint(&refused(&[])).contains("cannot read none"));
    let wrong_use = run!(
        "identity",
        "--topology",
        demo("topology.toml"),
        "--pin-key",
        demo("keys/root.jwk"),
        "--token-key",
        "none"
    );
    assert!(complaint(&wrong_use).contains("not listed with use \"pin\""));
}

/// Whoever holds the service's key would else hold what pins, topologies or a cell's receipts are signed with.
#[test]
fn a_token_key_signs_tokens_alone() {
    let world = World::new();
    let next = world.path("next.jwk");
    let next_public = said(run!("key", "sign", "new", "--out", &next));
    let text = std::fs::read_to_string(demo("topology.toml")).unwrap();
    let cell = text.find("signing_key = ").unwrap();
    let (before, after) = text.split_at(cell);
    let topology = format!("{before}next_signing_key = '{}'\n{after}", next_public.trim());
    let topology = world.write("topology.toml", topology);
    let secret = std::fs::read_to_string(demo("keys/root.jwk")).unwrap();
    let id =
        |key: &Path| json(&run!("key", "sign", "show", key, "--json"))["id"].as_str().unwrap().to_owned();
    let root = id(&demo("keys/root.jwk"));
    // A token key's name is free, and so hides nothing.
    let renamed = world.write("renamed.jwk", secret.replace(&root, "tokens-2027"));
    for (file, id, listed) in [
        (demo("keys/root.jwk"), root.clone(), "a key of use \"root\""),
        (renamed, root, "a key of use \"root\""),
        (demo("keys/pin.jwk"), id(&demo("keys/pin.jwk")), "a key of use \"pin\""),
        (demo("keys/cell-eu-a.jwk"), id(&demo("keys/cell-eu-a.jwk")), "the signing_key of cell \"eu-a\""),
        (next.clone(), id(&next), "the next_signing_key of cell \"eu-a\""),
    ] {
        let mut command = domicile();
        command.args(["identity", "--listen", "127.0.0.1:0", "--topology"]).arg(&topology);
        command.arg("--pin-key").arg(demo("keys/pin.jwk")).arg("--token-key").arg(&file);
        let output = command.output().unwrap();
        let words = complaint(&output);
        assert_eq!(output.status.code(), Some(1), "{words}");
        for part in ["--token-key ", &id, listed, "`domicile key token new`"] {
            assert!(words.contains(part), "{part:?} in {words}");
        }
    }
}
