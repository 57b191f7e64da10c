use domicile_envelope::{Envelope, EnvelopeError, SigningKey, VerifyingKey};
use proptest::prelude::*;
use serde_json::{Value, json};

use super::{Clocks, RouteCell, RouteError, RouteManifest, RouteSlot, Transport, Trust};
use crate::ROUTE_TYPE;

const NOW: i64 = 1_800_000_000;
const DAY: i64 = 86_400;

fn manifest() -> RouteManifest {
    let clocks = Clocks { page_limit_ms: 900, cell_budget_ms: 120 };
    let mut manifest = RouteManifest::new("eu_only", 7, clocks, NOW, NOW + DAY);
    manifest.cells = vec![RouteCell {
        name: "eu-a".into(),
        boundary: "eu".into(),
        weight: 3,
        transport: Transport::Relay,
        answer_bytes: 16_384,
        signing_key: SigningKey::generate().verifying_key().to_jwk(),
        next_signing_key: None,
    }];
    manifest.locales = vec!["de-DE".into()];
    manifest.slots = vec![RouteSlot { name: "home".into(), items: 24, relay_wait_ms: 350 }];
    manifest
}

fn open(envelope: &str, root: &SigningKey, seen: u64, now_s: i64) -> Result<RouteManifest, RouteError> {
    let roots = [root.verifying_key()];
    RouteManifest::open(envelope, "eu_only", Trust { roots: &roots, seen, now_s })
}

fn changed(change: impl FnOnce(&mut Value)) -> RouteError {
    let root = SigningKey::generate();
    let mut value = serde_json::to_value(manifest()).unwrap();
    change(&mut value);
    let envelope = Envelope::sign(ROUTE_TYPE, value.to_string().as_bytes(), &root).to_json();
    open(&envelope, &root, 0, NOW).unwrap_err()
}

#[test]
fn a_signed_manifest_is_read_back_until_its_end() {
    let (root, manifest) = (SigningKey::generate(), manifest());
    let signed = manifest.sign(&root);
    assert_eq!(open(&signed, &root, 7, NOW + DAY - 1), Ok(manifest.clone()));
    assert_eq!(open(&signed, &root, 0, NOW + DAY), Err(RouteError::Stale(manifest.not_after.clone())));
    assert!(manifest.cell("eu-a").and_then(RouteCell::keys).is_some() && manifest.cell("eu-b").is_none());
    assert_eq!(manifest.slot("home").map(|slot| slot.items), Some(24));
}

#[test]
fn an_older_version_than_was_seen_is_refused() {
    let root = SigningKey::generate();
    let rolled_back = RouteError::RolledBack { found: 7, seen: 8 };
    assert_eq!(open(&manifest().sign(&root), &root, 8, NOW), Err(rolled_back));
}

#[test]
fn the_successor_of_a_root_key_signs_as_well_and_nobody_else() {
    let (root, successor, other) = (SigningKey::generate(), SigningKey::generate(), SigningKey::generate());
    let carried = [root.verifying_key(), successor.verifying_key()];
    let open =
        |signed: &str| RouteManifest::open(signed, "eu_only", Trust { roots: &carried, seen: 0, now_s: NOW });
    assert!(open(&manifest().sign(&root)).is_ok());
    assert!(open(&manifest().sign(&successor)).is_ok());
    let untrusted = |verdict| matches!(verdict, Err(RouteError::Untrusted(EnvelopeError::Untrusted { .. })));
    assert!(untrusted(open(&manifest().sign(&other))));
    // Once the succession is done, the old root key is no longer carried, and what it signs is refused.
    let after = [successor.verifying_key()];
    let trust = Trust { roots: &after, seen: 0, now_s: NOW };
    assert!(untrusted(RouteManifest::open(&manifest().sign(&root), "eu_only", trust)));
}

#[test]
fn a_cell_that_changes_keys_has_two_and_both_have_to_be_keys() {
    let (root, next) = (SigningKey::generate(), SigningKey::generate().verifying_key());
    let mut changing = manifest();
    let used = VerifyingKey::from_jwk(&changing.cells[0].signing_key).unwrap();
    assert_eq!(changing.cells[0].keys(), Some(vec![used.clone()]));
    changing.cells[0].next_signing_key = Some(next.to_jwk());
    let open = open(&changing.sign(&root), &root, 0, NOW).unwrap();
    assert_eq!(open.cells[0].keys(), Some(vec![used, next]));
    assert_eq!(
        changed(|m| m["cells"][0]["next_signing_key"] = "{}".into()),
        RouteError::CellKey("eu-a".into())
    );
}

#[test]
fn what_a_client_cannot_use_is_refused_by_name() {
    assert!(matches!(changed(|m| m["form"] = 2.into()), RouteError::UnknownForm(2)));
    assert!(matches!(changed(|m| m["class"] = "us_only".into()), RouteError::OtherClass { .. }));
    assert_eq!(changed(|m| m["not_after"] = "soon".into()), RouteError::Time("not_after"));
    assert_eq!(changed(|m| m["issued"] = "once".into()), RouteError::Time("issued"));
    assert_eq!(changed(|m| m["cells"][0]["signing_key"] = "{}".into()), RouteError::CellKey("eu-a".into()));
    let unknown = changed(|m| m["cells"][0]["wieght"] = 1.into()).to_string();
    assert!(unknown.contains("unknown field `wieght`") && unknown.contains("line 1, column"), "{unknown}");
    assert!(matches!(changed(|m| *m = json!([])), RouteError::Form { .. }));
}

#[test]
fn a_way_is_a_word_or_an_origin() {
    let direct = Transport::Direct("https://cell.example".into());
    assert_eq!(serde_json::to_value(&direct).unwrap(), json!({ "direct": "https://cell.example" }));
    assert_eq!(serde_json::to_value(Transport::Relay).unwrap(), json!("relay"));
}

proptest! {
    #[test]
    fn any_text_is_opened_or_refused(text in "\\PC{0,200}") {
        prop_assert!(open(&text, &SigningKey::generate(), 0, NOW).is_err());
    }
}
