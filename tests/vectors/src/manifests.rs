//! Route manifests, and a cell's statements of its keys.

use domicile_envelope::{Envelope, SigningKey, VerifyingKey};
use domicile_route::{
    Clocks, KEYS_TYPE, KeyStatement, KeyStatementError, ROUTE_TYPE, RouteCell, RouteError, RouteManifest,
    RouteSlot, Transport, Trust,
};
use domicile_seal::config::encode_list;
use domicile_seal::{Kem, SealingKey};
use serde_json::{Value, json};

use crate::{NOW, keys, number, text};

pub(crate) const ABOUT: &str = "Route manifests: `envelope` (DSSE) is opened for `class` under `roots` (public JWKs), \
with `seen` as the highest version met before. `expect` is `ok`, or why nothing is sealed: `untrusted`, `form`, \
`unknown-form`, `time`, `stale`, `rolled-back`, `other-class`, `cell-key`.";

pub(crate) const ABOUT_KEYS: &str = "Statements of keys: `envelope` (DSSE) is opened as that of `cell` under `key` (its \
signing key, public JWK). `expect` is `ok`, or why nothing is sealed: `untrusted`, `form`, `unknown-form`, \
`other-cell`, `time`, `stale`, `configs`.";

fn manifest() -> RouteManifest {
    let clocks = Clocks { page_limit_ms: 900, cell_budget_ms: 120 };
    let mut manifest = RouteManifest::new("eu_only", 7, clocks, NOW - 60, NOW + 86_400);
    let cell = |name: &str, weight, transport| RouteCell {
        name: name.to_owned(),
        boundary: "eu".to_owned(),
        weight,
        transport,
        answer_bytes: 14_336,
        signing_key: keys::cell().verifying_key().to_jwk(),
        next_signing_key: None,
    };
    manifest.cells = vec![
        cell("eu-a", 3, Transport::Relay),
        cell("eu-b", 2, Transport::Direct("https://eu-b.shop.example".to_owned())),
    ];
    manifest.locales = vec!["de-DE".to_owned(), "fr-FR".to_owned()];
    manifest.slots = vec![RouteSlot { name: "home".to_owned(), items: 24, relay_wait_ms: 350 }];
    manifest
}

pub(crate) fn make() -> Vec<Value> {
    let roots = [keys::root(), keys::successor()].map(|key| key.verifying_key().to_jwk());
    let case = |name: &str, envelope: String, seen: u64, expect: &str| json!({ "name": name, "envelope": envelope, "class": "eu_only", "roots": roots, "seen": seen, "expect": expect });
    let signed = |change: &dyn Fn(&mut RouteManifest)| {
        let mut manifest = manifest();
        change(&mut manifest);
        manifest.sign(&keys::root())
    };
    let good = signed(&|_| {});
    let payload = |payload: &str| Envelope::sign(ROUTE_TYPE, payload.as_bytes(), &keys::root()).to_json();
    vec![
        case("by the root key", good.clone(), 0, "ok"),
        case("by its successor", manifest().sign(&keys::successor()), 0, "ok"),
        case("the version seen before", good.clone(), 7, "ok"),
        case("a class without cells", signed(&|m| m.cells.clear()), 0, "ok"),
        case(
            "a cell that changes keys",
            signed(&|m| {
                let next = keys::foreign().verifying_key().to_jwk();
                m.cells.iter_mut().for_each(|c| c.next_signing_key = Some(next.clone()));
            }),
            0,
            "ok",
        ),
        case("by another key", manifest().sign(&keys::foreign()), 0, "untrusted"),
        case("altered", altered(&good), 0, "untrusted"),
        case("a statement of keys in its place", statement().sign(&keys::root()), 0, "untrusted"),
        case("no envelope", "{}".to_owned(), 0, "untrusted"),
        case("an older version than seen", good.clone(), 8, "rolled-back"),
        case("over", signed(&|m| m.not_after = "2027-01-15T08:00:00Z".to_owned()), 0, "stale"),
        case("of last year", signed(&|m| m.not_after = "2026-01-15T08:00:00Z".to_owned()), 0, "stale"),
        case("a time that is none", signed(&|m| m.not_after = "soon".to_owned()), 0, "time"),
        case("of another class", signed(&|m| m.class = "us_only".to_owned()), 0, "other-class"),
        case("of a later form", signed(&|m| m.form = 2), 0, "unknown-form"),
        case(
            "a cell's key that is none",
            signed(&|m| m.cells.iter_mut().for_each(|c| c.signing_key.clear())),
            0,
            "cell-key",
        ),
        case(
            "a coming key that is none",
            signed(&|m| m.cells.iter_mut().for_each(|c| c.next_signing_key = Some("{}".to_owned()))),
            0,
            "cell-key",
        ),
        case("not a manifest", payload("{}"), 0, "form"),
        case("a field nobody knows", payload(r#"{"form":1,"colour":"red"}"#), 0, "form"),
    ]
}

pub(crate) fn answer(case: &Value) -> String {
    let roots: Vec<VerifyingKey> = case
        .get("roots")
        .and_then(Value::as_array)
        .into_iter()
        .flatten()
        .filter_map(|jwk| VerifyingKey::from_jwk(jwk.as_str()?).ok())
        .collect();
    let seen = u64::try_from(number(case, "seen")).unwrap_or_default();
    let trust = Trust { roots: &roots, seen, now_s: NOW };
    match RouteManifest::open(text(case, "envelope"), text(case, "class"), trust) {
        Ok(_) => "ok",
        Err(RouteError::Untrusted(_)) => "untrusted",
        Err(RouteError::Form { .. }) => "form",
        Err(RouteError::UnknownForm(_)) => "unknown-form",
        Err(RouteError::Time(_)) => "time",
        Err(RouteError::Stale(_)) => "stale",
        Err(RouteError::RolledBack { .. }) => "rolled-back",
        Err(RouteError::OtherClass { .. }) => "other-class",
        Err(RouteError::CellKey(_)) => "cell-key",
    }
    .to_owned()
}

fn statement() -> KeyStatement {
    let config = SealingKey::from_seed(4, Kem::X25519, 0, [4; 32]).config().unwrap_or_default();
    KeyStatement::new("eu-a", &encode_list([&config[..]]), NOW - 60, NOW + 14_340)
}

pub(crate) fn make_keys() -> Vec<Value> {
    let case = |name: &str, envelope: String, expect: &str| {
        let key = keys::cell().verifying_key().to_jwk();
        json!({ "name": name, "envelope": envelope, "cell": "eu-a", "key": key, "expect": expect })
    };
    let signed = |change: &dyn Fn(&mut KeyStatement), key: &SigningKey| {
        let mut statement = statement();
        change(&mut statement);
        statement.sign(key)
    };
    let of = |change: &dyn Fn(&mut KeyStatement)| signed(change, &keys::cell());
    vec![
        case("by the cell", of(&|_| {}), "ok"),
        case("by an edge that made keys of its own", signed(&|_| {}, &keys::foreign()), "untrusted"),
        case("altered", altered(&of(&|_| {})), "untrusted"),
        case("a manifest in its place", manifest().sign(&keys::cell()), "untrusted"),
        case("of another cell", of(&|s| s.cell = "eu-b".to_owned()), "other-cell"),
        case("over", of(&|s| s.not_after = "2027-01-15T08:00:00Z".to_owned()), "stale"),
        case("a time that is none", of(&|s| s.issued = "today".to_owned()), "time"),
        case("of a later form", of(&|s| s.form = 2), "unknown-form"),
        case("a list that is not base64", of(&|s| s.configs = "&".to_owned()), "configs"),
        case("not a statement", Envelope::sign(KEYS_TYPE, b"[]", &keys::cell()).to_line(), "form"),
    ]
}

pub(crate) fn answer_keys(case: &Value) -> String {
    let Ok(key) = VerifyingKey::from_jwk(text(case, "key")) else { return "no key".to_owned() };
    match KeyStatement::open(text(case, "envelope"), text(case, "cell"), std::slice::from_ref(&key), NOW) {
        Ok(_) => "ok",
        Err(KeyStatementError::Untrusted(_)) => "untrusted",
        Err(KeyStatementError::Form { .. }) => "form",
        Err(KeyStatementError::UnknownForm(_)) => "unknown-form",
        Err(KeyStatementError::OtherCell { .. }) => "other-cell",
        Err(KeyStatementError::Time(_)) => "time",
        Err(KeyStatementError::Stale(_)) => "stale",
        Err(KeyStatementError::Configs) => "configs",
    }
    .to_owned()
}

/// An envelope with another payload under the same signature.
fn altered(envelope: &str) -> String {
    let mut value: Value = serde_json::from_str(envelope).unwrap_or_default();
    let payload = text(&value, "payload").to_owned();
    // In the middle: a letter of a text or a blank.
    let at = payload.len() / 2;
    let letter = if payload.get(at..=at) == Some("A") { "B" } else { "A" };
    let other =
        [payload.get(..at).unwrap_or_default(), letter, payload.get(at + 1..).unwrap_or_default()].concat();
    if let Some(payload) = value.get_mut("payload") {
        *payload = Value::String(other);
    }
    value.to_string()
}
