//! The direct API, as a backend of the retailer meets it: over mutual TLS, in ordinary HTTP.

mod desk;

use std::io::{Read as _, Write as _};
use std::net::TcpStream;

use domicile_receipt::Receipt;
use domicile_wire::{EventsAnswer, RankAnswer};
use tokio_rustls::rustls::version::{TLS12, TLS13};

use desk::{Answer, Desk, Signer};

const RANK: &str = r#"{"locale":"de-DE","slot":"home"}"#;

fn code(answer: &Answer) -> (u16, String) {
    let problem: serde_json::Value = serde_json::from_slice(&answer.body).unwrap();
    (answer.status, problem["code"].as_str().unwrap().to_owned())
}

#[test]
fn a_backend_asks_in_ordinary_http() {
    let desk = Desk::start();
    let (cell, backend) = (&desk.cell, desk.ours.identity("backend"));
    let ask = |method: &str, path: &str, head: &[String], body: &str| {
        desk.ask(&backend, &[&TLS13, &TLS12], method, path, head, body).unwrap()
    };
    let good = desk.headers(|_| {});

    // Events, and then a shelf that knows them; the receipt covers the content as it was sent.
    let first = ask("POST", "/v1/rank", &good, RANK);
    assert_eq!((first.status, first.header("cache-control")), (200, Some("no-store")));
    let shelf: RankAnswer = serde_json::from_slice(&first.body).unwrap();
    let event = format!(
        r#"{{"events":[{{"id":"e1","kind":"purchase","item":"{}","time_s":1800000000}}]}}"#,
        shelf.items[0].id
    );
    let taken = ask("POST", "/v1/events", &good, &event);
    let accepted: EventsAnswer = serde_json::from_slice(&taken.body).unwrap();
    assert_eq!((taken.status, accepted.accepted), (200, 1));
    let next = ask("POST", "/v1/rank", &good, RANK);
    let shelf: RankAnswer = serde_json::from_slice(&next.body).unwrap();
    assert_eq!(shelf.candidates.own, 1);
    let receipt = Receipt::open(&next.receipt(), &[desk.signer.verifying_key()]).unwrap();
    receipt.covers(&next.body, Some(RANK.as_bytes()), Some("eu-a")).unwrap();

    let export = ask("GET", "/v1/shopper", &good, "");
    assert!(export.status == 200 && String::from_utf8_lossy(&export.body).contains(&shelf.items[0].id));
    let receipt = Receipt::open(&export.receipt(), &[desk.signer.verifying_key()]).unwrap();
    receipt.covers(&export.body, Some(b""), None).unwrap();
    assert_eq!(ask("DELETE", "/v1/shopper", &good, "").status, 200);

    // The same checks as inside a seal, by the same names.
    let refused = |method: &str, path: &str, head: &[String], body: &str| {
        let answer = ask(method, path, head, body);
        assert!(answer.header("domicile-receipt").is_none());
        assert_eq!(answer.header("content-type"), Some("application/problem+json"));
        code(&answer)
    };
    let said = |status: u16, code: &str| (status, code.to_owned());
    let class = desk.headers(|claims| claims.class = "us_only".into());
    assert_eq!(refused("POST", "/v1/rank", &class, RANK), said(403, "token-class"));
    let mut elsewhere = class.clone();
    elsewhere[0] = format!("domicile-pin: {}", desk.world.pin(2));
    assert_eq!(refused("POST", "/v1/rank", &elsewhere, RANK), said(421, "cell-not-in-class"));
    let expired = desk.headers(|claims| (claims.iat, claims.exp) = (claims.iat - 900, claims.iat - 300));
    assert_eq!(refused("POST", "/v1/rank", &expired, RANK), said(401, "token-expired"));
    assert_eq!(refused("POST", "/v1/rank", &good[..1], RANK), said(415, "unsupported-type"));
    let nobody = [good[0].clone(), good[2].clone()];
    assert_eq!(refused("POST", "/v1/rank", &nobody, RANK), said(401, "token-missing"));
    let plain = [&nobody[..], &["domicile-shopper: someone".into()]].concat();
    assert_eq!(refused("POST", "/v1/rank", &plain, RANK), said(403, "shopper-refused"));
    let twice = [&good[..], &good[..1]].concat();
    assert_eq!(refused("POST", "/v1/rank", &twice, RANK), said(400, "header-invalid"));
    assert_eq!(refused("POST", "/gateway", &good, RANK), said(404, "unknown-route"));
    assert_eq!(refused("PUT", "/v1/rank", &good, RANK), said(405, "method-not-allowed"));
    let large = "x".repeat(domicile_wire::REQUEST_MAX + 1);
    assert_eq!(refused("POST", "/v1/events", &good, &large), said(413, "too-large"));
    // The sealed listener knows none of these routes, and this one none of a plain message's liberties.
    let sealed = crate::process::exchange(cell.address, "POST", "/v1/rank", RANK.as_bytes());
    assert_eq!(sealed.status, 404);

    for version in [&TLS12, &TLS13] {
        let answer = desk.ask(&backend, &[version], "POST", "/v1/rank", &good, RANK);
        assert_eq!(answer.unwrap().status, 200);
    }
    let log = desk.stop();
    assert!(!log.contains("canary") && log.contains("serving the direct API"), "{log}");
}

#[test]
fn whoever_has_no_certificate_of_ours_is_nobody() {
    let desk = Desk::start();
    let good = desk.headers(|_| {});
    let foreign = Signer::new().identity("backend");
    for versions in [&[&TLS13][..], &[&TLS12]] {
        assert!(desk.ask(&foreign, versions, "POST", "/v1/rank", &good, RANK).is_err());
        assert!(desk.ask_without(versions, "POST", "/v1/rank", &good, RANK).is_err());
    }
    // No TLS at all.
    let mut plain = TcpStream::connect(desk.direct).unwrap();
    plain.write_all(b"POST /v1/rank HTTP/1.1\r\nhost: cell\r\ncontent-length: 0\r\n\r\n").unwrap();
    let mut said = Vec::new();
    let _ = plain.read_to_end(&mut said);
    assert!(!said.starts_with(b"HTTP"), "{said:?}");

    let backend = desk.ours.identity("backend");
    let answer = desk.ask(&backend, &[&TLS13], "POST", "/v1/rank", &good, RANK).unwrap();
    assert_eq!(answer.status, 200, "others are served meanwhile");
}

#[test]
fn a_start_without_what_it_needs_says_what() {
    let fails = |change: &dyn Fn(&desk::Prepared), code: i32, part: &str| {
        let prepared = desk::Prepared::new();
        change(&prepared);
        let ended = crate::process::run(prepared.command());
        assert_eq!((ended.code, ended.out.as_str()), (Some(code), ""), "{}", ended.err);
        assert!(ended.err.contains(part), "{}", ended.err);
    };
    fails(&|p| p.world.write("cell.pem", "none"), 3, "no certificate in it");
    fails(&|p| std::fs::remove_file(p.world.at("ca.pem")).unwrap(), 3, "ca.pem");
    fails(
        &|p| p.world.write("cell.key", &rcgen::KeyPair::generate().unwrap().serialize_pem()),
        3,
        "cell.pem",
    );
    fails(&|p| p.configure("0.0.0.0:0", ""), 8, "trust = \"demo\"");
    fails(&|p| p.configure("127.0.0.1:0", "connections = 0"), 3, "direct.connections = 0");
}
