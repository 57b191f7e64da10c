use domicile_envelope::SigningKey;
use serde_json::{Value, json};

use super::*;
use crate::testing;

const NOW_S: i64 = 1_800_000_000;

fn document() -> Value {
    let entry = |id: &str, category: &str| json!({"id": id, "title": id, "category": category, "image": "i", "url": "u"});
    json!({
        "version": 1, "name": "made-up", "vocabulary": "v1", "not_after": "2030-01-01T00:00:00Z",
        "slots": {"home": 3},
        "locales": {"de-DE": {
            "deny_categories": ["wine"], "deny_items": ["b"],
            "lists": {"home": [entry("a", "food"), entry("b", "food"), entry("c", "wine")]},
        }},
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
fn what_is_denied_is_out_of_tables_and_lists() {
    let overlay = load_changed(|_| {}).ok().unwrap();
    let rules = overlay.rules("de-DE").unwrap();
    let allowed: Vec<u32> = (1..8).filter(|&n| rules.allows(testing::item(n))).collect();
    assert_eq!(allowed, [1, 4, 5, 6], "an index outside the table is not allowed either");
    assert_eq!(rules.list("home").iter().map(|item| item.id.as_str()).collect::<Vec<_>>(), ["a"]);
    assert!(overlay.rules("en-GB").is_none());
}

#[test]
fn stale_foreign_and_incomplete_overlays_are_refused_with_the_cause() {
    let refused = |change: fn(&mut Value)| load_changed(change).err().unwrap().to_string();
    assert!(refused(|d| d["not_after"] = "2020-01-01T00:00:00Z".into()).contains("not_after to come"));
    assert!(refused(|d| d["not_after"] = "tomorrow".into()).contains("not_after as"));
    assert!(refused(|d| d["vocabulary"] = "v2".into()).contains("vocabulary \"v1\""));
    assert!(refused(|d| d["version"] = 2.into()).contains("version 2"));
    assert!(refused(|d| d["slots"]["home"] = 4.into()).contains("of 3 items, as in the topology, found 4"));
    assert!(refused(|d| d["locales"] = json!({})).contains("locale \"de-DE\""));
    assert!(refused(|d| d["locales"]["de-DE"]["lists"] = json!({})).contains("a list for \"home\""));
}
