//! What the forge makes of topology, overlay and pins.

use domicile_envelope::{Envelope, SigningKey};
use domicile_forge::{Rows, mint};
use domicile_overlay::{Overlay, PAYLOAD_TYPE};
use domicile_tables::{ListPage, Lists, RelayTable, RoutingTable};
use domicile_topology::Topology;
use serde_json::{Value, json};

const NOW: i64 = 1_800_000_000;

fn topology() -> Topology {
    Topology::parse(include_str!("../../../../deploy/demo/topology.toml")).unwrap()
}

pub(crate) fn overlay(topology: &Topology) -> Overlay {
    titled(topology, &["a \"quoted\" thing"])
}

/// An overlay whose items have these titles in turn.
fn titled(topology: &Topology, titles: &[&str]) -> Overlay {
    let item = |n: u16| json!({"id": n.to_string(), "title": titles[usize::from(n) % titles.len()], "category": "c", "image": "/i", "url": "/p"});
    let lists: serde_json::Map<_, _> =
        topology.slots.iter().map(|slot| (slot.name.clone(), (0..slot.items).map(item).collect())).collect();
    let slots: serde_json::Map<_, _> =
        topology.slots.iter().map(|slot| (slot.name.clone(), slot.items.into())).collect();
    let locales: serde_json::Map<_, _> =
        topology.locales.iter().map(|locale| (locale.name.clone(), json!({"lists": lists}))).collect();
    let payload = json!({
        "version": 1, "name": "test", "vocabulary": "sha256:0", "not_after": "2027-12-31T00:00:00Z",
        "slots": slots, "locales": locales,
    });
    let key = SigningKey::generate();
    let envelope = Envelope::sign(PAYLOAD_TYPE, payload.to_string().as_bytes(), &key).to_json();
    Overlay::open(&envelope, &[key.verifying_key()], topology, NOW).unwrap()
}

#[test]
fn a_complete_overlay_becomes_a_list_for_every_locale_and_slot() {
    let topology = topology();
    let overlay = overlay(&topology);
    let rows = Rows::new(&topology, &overlay, &[], &[]);
    let lists = Lists::decode(&rows.popularity[0]).unwrap();
    assert_eq!(lists.rows.len(), topology.locales.len() * topology.slots.len());
    for locale in &topology.locales {
        for slot in &topology.slots {
            let row = lists.row(locale.id.0, slot.id.0).unwrap();
            let page = ListPage::decode(&rows.popularity[usize::try_from(row).unwrap()]).unwrap();
            for stale in [false, true] {
                let body: Value =
                    serde_json::from_str(&format!("{}{stale}{}", page.head, page.tail)).unwrap();
                assert_eq!(body["locale"], locale.name.as_str());
                assert_eq!(body["slot"], slot.name.as_str());
                assert_eq!(body["rung"], "list");
                assert_eq!(body["stale"], stale);
                assert_eq!(body["overlay"], overlay.id());
                assert_eq!(body["items"].as_array().unwrap().len(), usize::from(slot.items));
            }
        }
    }
    let tags: std::collections::BTreeSet<_> =
        rows.popularity[1..].iter().map(|row| ListPage::decode(row).unwrap().etag).collect();
    assert_eq!(tags.len(), lists.rows.len(), "a tag of its own for every list");
}

#[test]
fn pins_cover_every_class_for_the_time_asked() {
    let (topology, key) = (topology(), SigningKey::generate());
    let (from, until) = (30_000_000, 30_000_000 + 3 * 1_440);
    let pins = mint(&topology, &key, from, until);
    for class in &topology.classes {
        for minute in [from, from + 1_440, until] {
            let live = pins.iter().filter(|pin| {
                pin.pin.stated_class() == class.id.0 && (pin.from..pin.until).contains(&minute)
            });
            assert!(live.count() >= 1, "class {} has a pin at {minute}", class.name);
        }
    }
    let overlay = overlay(&topology);
    let rows = Rows::new(&topology, &overlay, &pins, &[]);
    let routes = RoutingTable::decode(&rows.router[0]).unwrap();
    assert_eq!(routes.pins.len(), pins.len());
    assert!(routes.pins.iter().all(|pin| pin.text.len() == domicile_tables::PIN_TEXT));
    let relay = RelayTable::decode(&rows.relay[0]).unwrap();
    assert_eq!(relay.cells.len(), topology.cells.len());
    assert_eq!(relay.wait_ms(topology.slots[0].id.0), Some(topology.slots[0].relay_wait_ms));
}

/// What a browser reads out of a page is the title; what a parser of HTML sees of it ends no element.
#[test]
fn any_title_is_the_same_text_and_safe_to_embed() {
    let titles = [
        "plain",
        "a \"quoted\" \\ thing",
        "</script><script>alert(1)</script>",
        "<!-- & ]]>",
        "\u{1f9c0}\u{200d}\u{1f525} emoji",
        "\u{5d7}\u{5dc}\u{5d1} \u{202e}right to left",
        "line\u{2028}and\u{2029}paragraph",
    ];
    let topology = topology();
    let rows = Rows::new(&topology, &titled(&topology, &titles), &[], &[]);
    for row in &rows.popularity[1..] {
        let page = ListPage::decode(row).unwrap();
        let body = format!("{}true{}", page.head, page.tail);
        assert!(!body.contains(['<', '\u{2028}', '\u{2029}']), "{body}");
        let read: Value = serde_json::from_str(&body).unwrap();
        let items = read["items"].as_array().unwrap();
        for (item, title) in items.iter().zip(titles.iter().cycle()) {
            assert_eq!(item["title"], *title);
        }
    }
}

/// A large retailer. What is held is bounded by what goes in: the artefact is the modules and the rows, and nothing is
/// written twice.
#[test]
fn three_hundred_locales_of_fifty_slots_make_an_edge() {
    let small = include_str!("../../../../deploy/demo/topology.toml");
    let mut text = small.to_owned();
    for id in 100..395 {
        text += &format!("[[locale]]\nid = {id}\nname = \"l-{id}\"\nclass = \"eu_only\"\n");
    }
    for id in 100..147 {
        text += &format!("[[slot]]\nid = {id}\nname = \"s-{id}\"\nitems = 8\n");
    }
    let topology = Topology::parse(&text).unwrap();
    assert_eq!((topology.locales.len(), topology.slots.len()), (300, 50));
    let overlay = overlay(&topology);
    let pins = mint(&topology, &SigningKey::generate(), 30_000_000, 30_000_000 + 30 * 1_440);
    let rows = Rows::new(&topology, &overlay, &pins, &[]);
    let size: usize = [&rows.router, &rows.popularity, &rows.relay].into_iter().flatten().map(Vec::len).sum();
    assert_eq!(rows.popularity.len(), 1 + 300 * 50);
    let artefact = domicile_forge::forge(&crate::built::modules(), &rows).unwrap();
    // A directory entry of 8 bytes for each row, and what stands around the rows.
    assert!(artefact.bytes.len() <= size + 8 * rows.popularity.len() + 300_000, "{}", artefact.bytes.len());
    assert!(artefact.bytes_without_tables <= 300_000, "{} bytes", artefact.bytes_without_tables);
    let lists = Lists::decode(&rows.popularity[0]).unwrap();
    for (locale, slot) in [(1, 1), (1, 146), (394, 1), (394, 146)] {
        assert!(lists.row(locale, slot).is_some(), "{locale} {slot}");
    }
}
