//! `domicile rank` against an edge that plays tricks: whatever becomes of the answer, there is a list.
#![expect(
    clippy::unwrap_used,
    reason = "a test may fail, its helpers too; clippy knows tests by their attribute only"
)]

mod edge;

use std::process::{Command, Output};

use base64::Engine as _;
use base64::engine::general_purpose::{STANDARD, URL_SAFE_NO_PAD};
use domicile_receipt::Receipt;
use serde_json::Value;

use edge::{Edge, Trick};

fn rank(edge: &Edge, more: &[&str]) -> Output {
    let mut command = Command::new(env!("CARGO_BIN_EXE_domicile"));
    command.args(["rank", "--edge", &edge.origin, "--identity", &edge.origin, "--locale", "de-DE"]);
    command.args(["--shopper", "1", "--root-key"]).arg(edge.root_key());
    command.args(more).output().unwrap()
}

fn json(output: &Output) -> Value {
    serde_json::from_slice(&output.stdout).unwrap()
}

fn text(value: &Value, place: &str) -> String {
    value.pointer(place).and_then(Value::as_str).unwrap_or_default().to_owned()
}

/// What stays when a call fails: the list, a reason, and exit code 1.
fn listed(output: &Output, reason: &str) -> Value {
    let said = json(output);
    assert_eq!((text(&said, "/outcome"), text(&said, "/reason")), ("fallback".into(), reason.into()));
    assert_eq!(text(&said, "/list/items/0/title"), "Tea");
    assert_eq!(output.status.code(), Some(1));
    said
}

#[test]
fn an_answer_comes_with_a_receipt_that_can_be_kept() {
    let edge = Edge::start(Trick::Answers);
    let file = edge.folder().join("kept.json");
    let output = rank(&edge, &["--json", "--receipt", file.to_str().unwrap()]);
    let said = json(&output);
    assert_eq!(output.status.code(), Some(0), "{said}");
    assert_eq!((text(&said, "/outcome"), text(&said, "/answer/cell")), ("relayed".into(), "eu-a".into()));
    assert_eq!(
        (said.pointer("/attempts").unwrap(), text(&said, "/receipt/cell")),
        (&Value::from(1), "eu-a".into())
    );

    let kept: Value = serde_json::from_str(&std::fs::read_to_string(file).unwrap()).unwrap();
    let envelope = URL_SAFE_NO_PAD.decode(text(&kept, "/receipt")).unwrap();
    let receipt = Receipt::open(&String::from_utf8(envelope).unwrap(), &[edge.cell_key()]).unwrap();
    let answer = STANDARD.decode(text(&kept, "/answer")).unwrap();
    assert_eq!(receipt.covers(&answer, None, Some("eu-a")), Ok(()));
    assert_eq!(receipt.request, text(&kept, "/request_sha256"));

    let person = String::from_utf8(rank(&edge, &[]).stdout).unwrap();
    assert!(person.contains("receipt by eu-a (eu) at "), "{person}");
}

#[test]
fn a_shopper_whose_class_has_no_cell_gets_the_list_and_that_is_right() {
    let edge = Edge::start(Trick::ListOnly);
    let output = rank(&edge, &["--json"]);
    let said = json(&output);
    assert_eq!((text(&said, "/outcome"), output.status.code()), ("list".into(), Some(0)));
    assert_eq!(text(&said, "/list/items/0/title"), "Tea");
    assert_eq!(edge.sealed(), 0);
}

#[test]
fn an_answer_that_breaks_off_leaves_the_list() {
    let edge = Edge::start(Trick::BreaksOff);
    listed(&rank(&edge, &["--json"]), "answer-lost");
    assert_eq!(edge.sealed(), 1, "the class has one cell");
}

#[test]
fn an_answer_that_never_ends_leaves_the_list_at_the_page_limit() {
    let edge = Edge::start(Trick::Hangs);
    let said = listed(&rank(&edge, &["--json"]), "page-limit");
    assert!(said.pointer("/latency_ms").unwrap().as_f64().unwrap() >= 900.0, "the manifest's page_limit_ms");
}

#[test]
fn nothing_is_sealed_when_the_keys_or_the_manifest_are_the_edge_s_own() {
    for (trick, reason) in
        [(Trick::SwapsKeys, "keys-untrusted"), (Trick::ForgesManifest, "manifest-untrusted")]
    {
        let edge = Edge::start(trick);
        listed(&rank(&edge, &["--json"]), reason);
        assert_eq!(edge.sealed(), 0, "{reason}");
    }
}

#[test]
fn without_a_grant_there_is_the_list() {
    let edge = Edge::start(Trick::NoGrant);
    let output = rank(&edge, &["--json"]);
    listed(&output, "no-grant");
    let said = String::from_utf8_lossy(&output.stderr).into_owned();
    assert!(said.contains("the identity service answers 503"), "{said}");
}

#[test]
fn a_refusal_is_words_for_a_person_and_a_document_for_a_script() {
    let edge = Edge::start(Trick::Refuses);
    let person = rank(&edge, &[]);
    assert!(person.stdout.is_empty());
    assert_eq!(
        String::from_utf8(person.stderr).unwrap(),
        "domicile: de-DE / home: pin-expired: the pin's epoch is over\n"
    );
    assert_eq!(text(&json(&rank(&edge, &["--json"])), "/problem/code"), "pin-expired");
    assert_eq!(person.status.code(), Some(1));
}

#[test]
fn an_edge_or_identity_service_behind_tls_is_no_dead_one() {
    let edge = Edge::start(Trick::Answers);
    for flag in ["--edge", "--identity"] {
        for url in ["https://127.0.0.1:1", "ftp://127.0.0.1:1", "127.0.0.1:1"] {
            let mut command = Command::new(env!("CARGO_BIN_EXE_domicile"));
            let origin = |own: &str| if own == flag { url.to_owned() } else { edge.origin.clone() };
            command.args(["rank", "--edge", &origin("--edge"), "--identity", &origin("--identity")]);
            let output =
                command.args(["--locale", "de-DE", "--root-key"]).arg(edge.root_key()).output().unwrap();
            let said = String::from_utf8_lossy(&output.stderr).into_owned();
            assert_eq!(output.status.code(), Some(2), "{flag} {url}: {said}");
            for part in [flag, url, "the scheme has to be http", "a proxy beside it does"] {
                assert!(said.contains(part), "{part:?} in {said}");
            }
        }
    }
}
