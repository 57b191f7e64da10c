use domicile_envelope::SigningKey;
use proptest::prelude::*;
use serde_json::{Value, json};

use super::*;

const NOW: i64 = 1_800_000_000;

/// Two locales, a slot of three and a slot of one.
fn topology() -> Topology {
    let jwk = SigningKey::generate().verifying_key().to_jwk();
    let text = format!(
        r#"
version = 1
serial = 1
boundary = [{{ name = "eu", countries = ["DE"] }}]
class = [{{ id = 1, name = "list_only", boundaries = ["eu"], cells = [], on_exhaustion = "shed" }}]
locale = [{{ id = 1, name = "de-DE", class = "list_only" }}, {{ id = 2, name = "en-GB", class = "list_only" }}]
slot = [{{ id = 1, name = "home", items = 3 }}, {{ id = 2, name = "basket", items = 1 }}]
key = [{{ use = "pin", jwk = '{jwk}' }}]
"#
    );
    Topology::parse(&text).unwrap()
}

fn item(id: &str) -> Value {
    json!({"id": id, "title": id, "category": "food", "image": "i", "url": "u"})
}

fn document() -> Value {
    let locale = json!({
        "deny_categories": ["wine"], "deny_items": ["z"],
        "lists": {"home": [item("a"), item("b"), item("c")], "basket": [item("a")]},
    });
    json!({
        "version": 1, "name": "made-up", "vocabulary": "v1", "not_after": "2030-01-01T00:00:00Z",
        "slots": {"home": 3, "basket": 1}, "locales": {"de-DE": locale.clone(), "en-GB": locale},
    })
}

fn read(document: &Value) -> Result<Overlay, OverlayError> {
    Overlay::read(document.to_string().as_bytes(), &topology(), NOW)
}

fn changed(change: impl FnOnce(&mut Value)) -> Result<Overlay, OverlayError> {
    let mut document = document();
    change(&mut document);
    read(&document)
}

fn refusal(change: impl FnOnce(&mut Value)) -> String {
    changed(change).unwrap_err().to_string()
}

#[test]
fn a_sound_overlay_says_what_its_document_says() {
    let overlay = changed(|_| {}).unwrap();
    assert_eq!((overlay.vocabulary(), overlay.not_after()), ("v1", "2030-01-01T00:00:00Z"));
    assert_eq!(overlay.not_after_seconds(), 1_893_456_000);
    assert_eq!(overlay.id().len(), "sha256:".len() + 64);
    assert_eq!(overlay.locales().map(|(name, _)| name).collect::<Vec<_>>(), ["de-DE", "en-GB"]);
    let rules = overlay.rules("de-DE").unwrap();
    let ids: Vec<_> = rules.list("home").unwrap().iter().map(|item| item.id.as_str()).collect();
    assert_eq!(ids, ["a", "b", "c"]);
    assert_eq!(rules.denies("z", "food"), Some(Denial::Item));
    assert_eq!(rules.denies("a", "wine"), Some(Denial::Category));
    assert_eq!(rules.denies("a", "food"), None);
    assert!(overlay.rules("fr-FR").is_none() && rules.list("product").is_none());
}

#[test]
fn only_a_trusted_signature_over_an_overlay_opens() {
    let (key, other) = (SigningKey::generate(), SigningKey::generate());
    let payload = document().to_string();
    let open = |kind: &str, keys: &[VerifyingKey]| {
        let envelope = Envelope::sign(kind, payload.as_bytes(), &key).to_json();
        Overlay::open(&envelope, keys, &topology(), NOW)
    };
    assert_eq!(open(PAYLOAD_TYPE, &[key.verifying_key()]), read(&document()));
    let untrusted = |verdict| matches!(verdict, Err(OverlayError::Untrusted(_)));
    assert!(untrusted(open(PAYLOAD_TYPE, &[other.verifying_key()])));
    assert!(untrusted(open(PAYLOAD_TYPE, &[])));
    assert!(untrusted(open("application/json", &[key.verifying_key()])));
    assert!(untrusted(Overlay::open("{}", &[key.verifying_key()], &topology(), NOW)));
}

#[test]
fn it_holds_up_to_its_time_and_no_second_longer() {
    let bytes = document().to_string();
    let at = |now| Overlay::read(bytes.as_bytes(), &topology(), now);
    assert!(at(1_893_455_999).is_ok());
    assert_eq!(at(1_893_456_000), Err(OverlayError::Stale("2030-01-01T00:00:00Z".into())));
    // Any offset of RFC 3339 is a time.
    let east = changed(|d| d["not_after"] = "2030-01-01T02:00:00.5+02:00".into()).unwrap();
    assert_eq!(east.not_after_seconds(), 1_893_456_000);
    for wrong in ["tomorrow", "", "2030-02-30T00:00:00Z", "2030-01-01", "2030-01-01T00:00:00"] {
        let verdict = changed(|d| d["not_after"] = wrong.into());
        assert_eq!(verdict, Err(OverlayError::Time(wrong.into())));
    }
}

#[test]
fn unknown_fields_are_refused_with_the_nearest_known_one() {
    let text = refusal(|d| d["locales"]["de-DE"]["deny_item"] = json!(["a"]));
    assert!(text.contains("unknown key `deny_item`; the nearest known one is `deny_items`"), "{text}");
    assert!(text.starts_with("payload, line 1, column "), "{text}");
    assert!(refusal(|d| d["vocabulry"] = "v1".into()).contains("is `vocabulary`"));
    assert!(refusal(|d| d["locales"]["de-DE"]["lists"]["home"][0]["price"] = 1.into()).contains("`price`"));
    assert!(refusal(|d| d["x` y`, expected `"] = 1.into()).contains("unknown key"));
    assert!(refusal(|d| d["slots"] = json!([])).contains("expected a map"));
}

#[test]
fn nothing_is_given_twice() {
    let text = document().to_string();
    for key in ["\"de-DE\":", "\"home\":3", "\"home\":["] {
        let again = match key {
            "\"de-DE\":" => r#""de-DE":{"lists":{}},"de-DE":"#,
            "\"home\":3" => r#""home":4,"home":3"#,
            _ => r#""home":[],"home":["#,
        };
        let doubled = text.replacen(key, again, 1);
        assert_ne!(doubled, text);
        let refusal = Overlay::read(doubled.as_bytes(), &topology(), NOW).unwrap_err().to_string();
        assert!(refusal.contains("is given twice"), "{refusal}");
    }
}

#[test]
fn another_version_is_not_mistaken_for_typing_errors() {
    let verdict = changed(|d| {
        d["version"] = 2.into();
        d["prices"] = json!({});
    });
    assert_eq!(verdict, Err(OverlayError::Version(2)));
}

#[test]
fn slots_are_the_topology_s() {
    assert!(
        refusal(|d| d["slots"]["home"] = 4.into()).contains("\"home\" holds 4 items and the topology says 3")
    );
    assert!(refusal(|d| d["slots"] = json!({"home": 3})).contains("\"basket\" holds nothing"));
}

#[test]
fn every_locale_has_a_list_for_every_slot() {
    assert_eq!(changed(|d| d["locales"] = json!({})), Err(OverlayError::Locale("de-DE".into())));
    let text = refusal(|d| d["locales"]["en-GB"]["lists"] = json!({"basket": [item("a")]}));
    assert_eq!(text, "locale \"en-GB\", slot \"home\": no list; add one");
    let ahead = changed(|d| {
        d["slots"]["product"] = 1.into();
        d["locales"]["fr-FR"] = json!({"lists": {"product": [item("a")]}});
    });
    assert!(ahead.is_ok(), "the topology may follow: {ahead:?}");
    let undeclared = refusal(|d| d["locales"]["en-GB"]["lists"]["hom"] = json!([]));
    assert!(undeclared.contains("slot \"hom\": the slot is not in the overlay's slots"), "{undeclared}");
}

#[test]
fn a_list_is_exactly_as_long_as_its_slot_and_names_nothing_twice() {
    let with = |list: Value| refusal(|d| d["locales"]["de-DE"]["lists"]["home"] = list);
    assert!(with(json!([item("a")])).contains("slot \"home\": 1 items, and the slot holds 3"));
    assert!(with(json!([item("a"), item("b"), item("c"), item("d")])).contains("4 items"));
    assert!(with(json!([item("a"), item("b"), item("a")])).contains("item \"a\" is listed twice"));
}

#[test]
fn a_list_names_nothing_that_its_locale_denies() {
    let text = refusal(|d| d["locales"]["de-DE"]["deny_items"] = json!(["b"]));
    assert_eq!(
        text,
        "locale \"de-DE\", slot \"home\": item \"b\" is denied here by its id; list another one, or allow it"
    );
    let text = refusal(|d| d["locales"]["en-GB"]["deny_categories"] = json!(["food"]));
    assert!(text.contains("locale \"en-GB\"") && text.contains("item \"a\" is denied here by its category"));
}

#[test]
fn a_list_says_nothing_that_a_page_could_not_show() {
    let with = |field: &str, value: &str| {
        refusal(|d| d["locales"]["de-DE"]["lists"]["home"][1][field] = value.into())
    };
    let text = with("url", "javascript:alert(1)");
    assert_eq!(
        text,
        "locale \"de-DE\", slot \"home\": item \"b\": its url is neither a path nor an https address; correct it"
    );
    assert!(with("title", "nul\0").contains("item \"b\": its title holds a control character"));
    assert!(with("title", &"x".repeat(2_000_000)).contains("title is longer than 300 characters"));
    assert!(with("id", &"x".repeat(2_000_000)).len() < 400, "an error is no copy of what is wrong");
    assert!(with("category", "").contains("category is empty"));
}

#[test]
fn what_is_no_object_is_named_in_words_of_the_document() {
    let refused = |payload: &[u8]| Overlay::read(payload, &topology(), NOW).unwrap_err().to_string();
    assert!(refused(b"[]").contains("expected an overlay, an object with"), "{}", refused(b"[]"));
    assert!(refused(b"7").contains("expected an overlay, an object with"));
}

/// JSON of any shape, with the words of the form among its keys so that some of it gets far.
fn json_value() -> impl Strategy<Value = Value> {
    let text = prop_oneof![
        "[a-z`\", ]{0,12}",
        prop::sample::select(vec![
            "version",
            "vocabulary",
            "not_after",
            "slots",
            "locales",
            "lists",
            "home",
            "basket",
            "de-DE",
            "2030-01-01T00:00:00Z",
        ])
        .prop_map(str::to_owned),
    ];
    let leaf = prop_oneof![
        Just(Value::Null),
        any::<bool>().prop_map(Value::from),
        prop_oneof![Just(1), any::<i64>()].prop_map(Value::from),
        any::<f64>().prop_map(Value::from),
        text.clone().prop_map(Value::from),
    ];
    leaf.prop_recursive(4, 24, 4, move |inner| {
        prop_oneof![
            prop::collection::vec(inner.clone(), 0..4).prop_map(Value::from),
            prop::collection::vec((text.clone(), inner), 0..4)
                .prop_map(|fields| Value::Object(fields.into_iter().collect())),
        ]
    })
}

const PLACES: [&str; 12] = [
    "/version",
    "/vocabulary",
    "/not_after",
    "/slots",
    "/slots/home",
    "/locales",
    "/locales/de-DE",
    "/locales/de-DE/deny_items",
    "/locales/de-DE/lists",
    "/locales/de-DE/lists/home",
    "/locales/de-DE/lists/home/1",
    "/locales/de-DE/lists/home/1/id",
];

proptest! {
    #[test]
    fn any_text_is_opened_or_refused(text in "\\PC{0,200}") {
        prop_assert!(Overlay::open(&text, &[], &topology(), NOW).is_err());
    }

    #[test]
    fn any_json_is_read_or_refused(value in json_value(), now in any::<i64>()) {
        let verdict = Overlay::read(value.to_string().as_bytes(), &topology(), now);
        prop_assert!(!verdict.unwrap_err().to_string().is_empty());
    }

    #[test]
    fn any_damage_is_read_or_refused(place in prop::sample::select(&PLACES[..]), value in json_value()) {
        let _ = changed(|d| *d.pointer_mut(place).unwrap() = value);
    }

    #[test]
    fn what_is_read_lists_nothing_denied(denied in prop::collection::btree_set("[a-f]", 0..3)) {
        let listed = ["a", "b", "c"].iter().any(|id| denied.contains(*id));
        let verdict = changed(|d| d["locales"]["de-DE"]["deny_items"] = json!(denied));
        prop_assert_eq!(verdict.is_err(), listed);
    }
}
