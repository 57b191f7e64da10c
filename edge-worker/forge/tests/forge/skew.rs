//! Edge and cells of different topology serials: the edge may let through or refuse what it likes, and nothing is
//! answered but what the cell's own topology allows (docs/decisions/0007-topology-skew.md).

use domicile_envelope::SigningKey;
use domicile_forge::{MintedPin, Rows, mint};
use domicile_pin::Pin;
use domicile_router::{Method, Outcome, Refusal, decide};
use domicile_tables::{RelayTable, RoutingTable};
use domicile_topology::{ClassId, KeyUse, Topology};

use domicile_route::is_answer_size;

use crate::rows::overlay;

const DAY: u32 = 1_440;
/// Four hours into an epoch: the one before it is over as well.
const NOW: u32 = 20_833 * DAY + 241;

fn pin_key() -> SigningKey {
    SigningKey::from_jwk(include_str!("../../../../deploy/demo/keys/pin.jwk")).unwrap()
}

/// The demo's topology of some serial, after these changes to its text.
fn serial(serial: u64, changes: &[(&str, &str)]) -> Topology {
    let mut text = include_str!("../../../../deploy/demo/topology.toml").to_owned();
    text = text.replace("serial = 1", &format!("serial = {serial}"));
    for (from, to) in changes {
        assert!(text.contains(from), "{from}");
        text = text.replace(from, to);
    }
    Topology::parse(&text).unwrap()
}

/// An edge, as far as it decides.
struct Edge {
    routes: RoutingTable,
    relay: RelayTable,
    pins: Vec<MintedPin>,
}

impl Edge {
    fn of(topology: &Topology, from: u32, until: u32) -> Self {
        let pins = mint(topology, &pin_key(), from, until);
        let rows = Rows::new(topology, &overlay(topology), &pins, &[]);
        Self {
            routes: RoutingTable::decode(&rows.router[0]).unwrap(),
            relay: RelayTable::decode(&rows.relay[0]).unwrap(),
            pins,
        }
    }

    fn asked(&self, pin: &Pin, cell: &str, minute: u32) -> Outcome {
        decide(&self.routes, Method::Post, &format!("/v1/sealed/{pin}/{cell}/de-DE/home"), minute)
    }

    /// The pin of a class that holds at this minute.
    fn pin(&self, class: u16, minute: u32) -> Pin {
        let holds =
            |pin: &&MintedPin| pin.pin.stated_class() == class && (pin.from..pin.until).contains(&minute);
        self.pins.iter().find(holds).unwrap().pin
    }
}

/// Whether a cell of this name takes the pin, by its own topology: as `cell-backend` judges it.
fn taken(topology: &Topology, cell: &str, pin: &Pin, minute: u32) -> bool {
    let class = pin.verify(&topology.keys_for(KeyUse::Pin), topology.pin, minute).ok();
    let class = class.and_then(|id| topology.class(ClassId(id)));
    class.zip(topology.cell_named(cell)).is_some_and(|(class, cell)| class.allows(cell.id))
}

fn relayed(outcome: &Outcome) -> bool {
    matches!(outcome, Outcome::Relay(_))
}

#[test]
fn serials_that_agree_on_a_class_serve_it_through_every_change_of_epoch() {
    let (older, newer) = (serial(1, &[]), serial(2, &[("items = 24", "items = 20")]));
    for (edge, cell) in [(&older, &newer), (&newer, &older)] {
        // The edge was built a day before the client got its pin, and serves on for two.
        let edge = Edge::of(edge, NOW - DAY, NOW + 2 * DAY);
        for minute in (NOW..NOW + 2 * DAY).step_by(60) {
            let pin = edge.pin(1, minute);
            assert!(relayed(&edge.asked(&pin, "eu-a", minute)), "minute {minute}");
            assert!(taken(cell, "eu-a", &pin, minute), "minute {minute}");
        }
    }
}

#[test]
fn a_pin_outlives_its_epoch_by_the_overlap_at_both() {
    let edge = Edge::of(&serial(1, &[]), NOW, NOW + DAY);
    let (cell, pin) = (serial(2, &[]), edge.pin(1, NOW));
    let last = 20_834 * DAY + 240 - 1;
    assert!(relayed(&edge.asked(&pin, "eu-a", last)) && taken(&cell, "eu-a", &pin, last));
    assert_eq!(edge.asked(&pin, "eu-a", last + 1), Outcome::Refuse(Refusal::PinExpired));
    assert!(!taken(&cell, "eu-a", &pin, last + 1));
}

#[test]
fn a_class_that_is_gone_is_refused_by_whichever_knows() {
    let gone = [
        ("[[class]]\nid = 2\nname = \"us_only\"", "[[class]]\nid = 9\nname = \"us_other\""),
        ("class = \"us_only\"", "class = \"us_other\""),
    ];
    let (older, newer) = (serial(1, &[]), serial(2, &gone));
    let behind = Edge::of(&older, NOW, NOW + DAY);
    let pin = behind.pin(2, NOW);
    assert!(relayed(&behind.asked(&pin, "us-a", NOW)), "the edge does not know yet");
    assert!(!taken(&newer, "us-a", &pin, NOW), "the cell does, and it decides");
    let ahead = Edge::of(&newer, NOW, NOW + DAY);
    assert_eq!(ahead.asked(&pin, "us-a", NOW), Outcome::Refuse(Refusal::UnknownClass));
    assert!(taken(&older, "us-a", &pin, NOW), "and so the cell is never asked");
}

#[test]
fn a_cell_that_left_its_class_answers_nobody_of_it() {
    let moved = [(
        "cells = [{ cell = \"eu-a\", weight = 3 }, { cell = \"eu-b\", weight = 2 }]",
        "cells = [{ cell = \"eu-b\" }]",
    )];
    let (older, newer) = (serial(1, &[]), serial(2, &moved));
    let behind = Edge::of(&older, NOW, NOW + DAY);
    let pin = behind.pin(1, NOW);
    assert!(relayed(&behind.asked(&pin, "eu-a", NOW)));
    assert!(!taken(&newer, "eu-a", &pin, NOW), "the cell that left refuses");
    assert!(taken(&newer, "eu-b", &pin, NOW), "the one that stayed does not");
    let ahead = Edge::of(&newer, NOW, NOW + DAY);
    assert_eq!(ahead.asked(&pin, "eu-a", NOW), Outcome::Refuse(Refusal::CellNotInClass));
}

#[test]
fn a_cell_that_moved_is_reached_where_the_edge_s_own_topology_says() {
    let newer = serial(2, &[("127.0.0.1:7101", "127.0.0.1:7901")]);
    let (behind, ahead) = (Edge::of(&serial(1, &[]), NOW, NOW + DAY), Edge::of(&newer, NOW, NOW + DAY));
    let authority = |edge: &Edge| edge.relay.cell(1).unwrap().authority.clone();
    assert_eq!((authority(&behind), authority(&ahead)), ("127.0.0.1:7101".into(), "127.0.0.1:7901".into()));
    let pin = behind.pin(1, NOW);
    assert!(relayed(&ahead.asked(&pin, "eu-a", NOW)), "a pin says nothing of places");
    assert!(taken(&newer, "eu-a", &pin, NOW));
}

#[test]
fn a_pin_key_has_to_be_known_to_the_cells_first() {
    let fresh = SigningKey::generate();
    let jwk = fresh.verifying_key().to_jwk();
    let more = format!("[[key]]\nuse = \"pin\"\njwk = '{jwk}'\n\n[[key]]\nuse = \"edge\"");
    let (older, newer) = (serial(1, &[]), serial(2, &[("[[key]]\nuse = \"edge\"", more.as_str())]));
    let by_fresh = mint(&newer, &fresh, NOW, NOW)[0].pin;
    assert!(taken(&newer, "eu-a", &by_fresh, NOW) && !taken(&older, "eu-a", &by_fresh, NOW));
    assert!(taken(&newer, "eu-a", &mint(&older, &pin_key(), NOW, NOW)[0].pin, NOW), "the old one holds on");
}

#[test]
fn a_changed_size_of_answers_is_taken_by_clients_of_either_manifest() {
    let (older, newer) = (serial(1, &[]), serial(2, &[("items = 24", "items = 48")]));
    let sizes = [older.answer_bytes(), newer.answer_bytes()];
    assert_ne!(sizes[0], sizes[1]);
    assert!(sizes.into_iter().all(is_answer_size));
}

#[test]
fn a_signing_key_changes_in_three_serials_and_neighbours_always_share_the_one_in_use() {
    let next = SigningKey::generate().verifying_key();
    let plain = serial(1, &[]);
    let used = plain.cell_named("eu-a").and_then(|cell| cell.signing_key.clone()).unwrap();
    let (used_line, next_line) = (used.to_jwk(), next.to_jwk());
    let both = format!("'{used_line}'\nnext_signing_key = '{next_line}'");
    let turning = serial(2, &[(&format!("'{used_line}'"), &both)]);
    let turned = serial(3, &[(&used_line, &next_line)]);
    let named = |topology: &Topology| topology.routes(0, 86_400).unwrap()[0].cells[0].keys().unwrap();
    assert_eq!(named(&plain), std::slice::from_ref(&used));
    assert_eq!(named(&turning), [used.clone(), next.clone()]);
    assert_eq!(named(&turned), std::slice::from_ref(&next));
    // While edges have serial 1 or 2, the cell signs with the first key; from when all have 2 or 3, with the second.
    for (manifests, signs) in [([&plain, &turning], &used), ([&turning, &turned], &next)] {
        assert!(manifests.into_iter().all(|manifest| named(manifest).contains(signs)));
    }
}
