use domicile_envelope::{Envelope, SigningKey};
use serde_json::{Value, json};

use super::*;
use crate::testing;

const NOW_S: i64 = 1_800_000_000;

fn document() -> Value {
    let entry = |id: &str| json!({"id": id, "title": id, "category": "food", "image": "i", "url": "u"});
    let locale = |deny_items: Value| {
        json!({
            "deny_categories": ["wine"], "deny_items": deny_items,
            "lists": {"home": [entry("a"), entry("d"), entry("e")]},
        })
    };
    json!({
        "version": 1, "name": "made-up", "vocabulary": "v1", "not_after": "2030-01-01T00:00:00Z",
        "slots": {"home": 3}, "locales": {"de-DE": locale(json!(["b"])), "en-GB": locale(json!([]))},
    })
}

fn load_changed(change: impl FnOnce(&mut Value)) -> Result<Overlay, Failure> {
    let (directory, key) = (tempfile::tempdir().unwrap(), SigningKey::generate());
    let mut document = document();
    change(&mut document);
    let path = directory.path().join("overlay.dsse.json");
    let envelope = Envelope::sign(PAYLOAD_TYPE, document.to_string().as_bytes(), &key);
    std::fs::write(&path, envelope.to_json()).unwrap();
    let topology = Topology::parse(&testing::topology(&key)).unwrap();
    load(
        &path,
        &topology.keys_for(domicile_topology::KeyUse::Overlay),
        &testing::snapshot(),
        &topology,
        NOW_S,
    )
}

#[test]
fn what_a_locale_denies_is_out_of_its_table_alone() {
    let overlay = load_changed(|_| {}).ok().unwrap();
    let allowed = |locale: &str| -> Vec<u32> {
        (1..8).filter(|&n| overlay.rules(locale).unwrap().allows(testing::item(n))).collect()
    };
    assert_eq!(allowed("de-DE"), [1, 4, 5, 6], "an index outside the table is not allowed either");
    assert_eq!(allowed("en-GB"), [1, 2, 4, 5, 6]);
    assert!(overlay.rules("fr-FR").is_none());
}

#[test]
fn lists_keep_their_order_and_say_where_they_come_from() {
    let overlay = load_changed(|_| {}).ok().unwrap();
    let list = overlay.rules("de-DE").unwrap().list("home");
    assert_eq!(list.iter().map(|item| item.id.as_str()).collect::<Vec<_>>(), ["a", "d", "e"]);
    assert!(list.iter().all(|item| item.source == Source::Popular && item.score.is_none()));
}

#[test]
fn a_refusal_names_the_file_and_the_cause() {
    let refused = |change: fn(&mut Value)| load_changed(change).err().unwrap();
    let foreign = refused(|d| d["vocabulary"] = "v2".into());
    assert!(foreign.to_string().contains("expected vocabulary \"v1\", the snapshot's, found \"v2\""));
    let denied = refused(|d| d["locales"]["en-GB"]["deny_items"] = json!(["bb"]));
    assert!(denied.to_string().contains("locale \"en-GB\", deny_items, found \"bb\""), "{denied}");
    let listed = refused(|d| d["locales"]["de-DE"]["lists"]["home"][0]["id"] = "aa".into());
    assert!(
        listed.to_string().contains("locale \"de-DE\", the list of slot \"home\", found \"aa\""),
        "{listed}"
    );
    let long = refused(|d| {
        for at in 0..2 {
            for field in ["url", "image"] {
                d["locales"]["de-DE"]["lists"]["home"][at][field] = format!("/{}", "x".repeat(2_000)).into();
            }
        }
    });
    let place = "in locale \"de-DE\", slot \"home\", found ";
    assert!(long.to_string().contains(place) && long.to_string().contains("shorten its titles"), "{long}");
    assert_eq!((foreign.exit, long.exit), (Exit::Overlay, Exit::Overlay));
}

#[test]
fn what_is_over_is_applied_all_the_same() {
    let late = load_changed(|d| d["not_after"] = "2020-01-01T00:00:00Z".into()).ok().unwrap();
    assert_eq!(late.not_after_s, 1_577_836_800);
    assert!(!late.rules("de-DE").unwrap().list("home").is_empty());
}
