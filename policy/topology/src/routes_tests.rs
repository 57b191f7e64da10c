use domicile_envelope::SigningKey;
use domicile_route::{RouteError, RouteManifest, Transport, Trust};

use super::RoutesError;
use crate::Topology;

const DEMO: &str = include_str!("../../../deploy/demo/topology.toml");
const NOW: i64 = 1_800_000_000;

fn demo() -> Topology {
    Topology::parse(DEMO).unwrap()
}

fn without_key(cell: &str) -> Topology {
    let mut topology = demo();
    topology.cells.iter_mut().filter(|c| c.name == cell).for_each(|c| c.signing_key = None);
    topology
}

#[test]
fn a_class_s_manifest_says_what_the_topology_says() {
    let mut topology = demo();
    topology.cells[1].transport = Transport::Direct("https://eu-b.example".into());
    let [eu, us, uk] = topology.routes(NOW, NOW + 60).unwrap().try_into().unwrap();
    let of = |manifest: &RouteManifest| {
        manifest.cells.iter().map(|c| (c.name.clone(), c.weight)).collect::<Vec<_>>()
    };
    assert_eq!(
        (eu.version, eu.class.as_str(), eu.not_after_s()),
        (topology.serial, "eu_only", Some(NOW + 60))
    );
    assert_eq!(of(&eu), [("eu-a".into(), 3), ("eu-b".into(), 2)]);
    assert_eq!(of(&us), [("us-a".into(), 1)]);
    assert!(uk.cells.is_empty(), "list only");
    assert_eq!(eu.locales, ["de-DE", "fr-FR", "sv-SE"]);
    assert_eq!(eu.slot("home").map(|slot| (slot.items, slot.relay_wait_ms)), Some((24, 350)));
    assert_eq!((eu.clocks.page_limit_ms, eu.clocks.cell_budget_ms), (900, 120));
    assert!(eu.cells.iter().all(|cell| cell.answer_bytes == 14_336));
    assert_eq!(eu.cells[0].transport, Transport::Relay);
    assert_eq!(eu.cells[1].transport, Transport::Direct("https://eu-b.example".into()));
    assert_eq!(eu.cells[0].keys(), topology.cells[0].signing_key.clone().map(|key| vec![key]));
}

#[test]
fn a_cell_without_a_signing_key_is_named() {
    let refused = without_key("us-a").routes(NOW, NOW + 60).unwrap_err();
    assert_eq!(refused, RoutesError::NoSigningKey { class: "us_only".into(), cell: "us-a".into() });
    assert!(refused.to_string().contains("`domicile key sign new`"), "{refused}");
}

#[test]
fn a_manifest_of_another_topology_is_named_by_what_differs() {
    let manifest = demo().routes(NOW, NOW + 60).unwrap().remove(0);
    assert_eq!(demo().agrees(&manifest), Ok(()));
    let differs = |change: fn(&mut Topology)| {
        let mut other = demo();
        change(&mut other);
        other.agrees(&manifest).unwrap_err().what
    };
    assert_eq!(differs(|t| t.serial += 1), "versions");
    assert_eq!(differs(|t| t.classes[0].name = "eu".into()), "classes");
    assert_eq!(differs(|t| t.cells[1].signing_key = None), "signing keys");
    assert_eq!(differs(|t| t.classes[0].cells[0].weight += 1), "cells");
    assert_eq!(differs(|t| t.cells[0].signing_key = Some(SigningKey::generate().verifying_key())), "cells");
    assert_eq!(differs(|t| t.cells[0].transport = Transport::Direct("https://a".into())), "cells");
    assert_eq!(differs(|t| t.slots[0].items += 40), "cells", "answers are larger");
    assert_eq!(differs(|t| t.slots[1].relay_wait_ms += 1), "slots");
    assert_eq!(differs(|t| t.locales[0].class = t.classes[1].id), "locales");
    assert_eq!(differs(|t| t.clocks.page_limit_ms += 1), "clocks");
}

#[test]
fn a_successor_of_the_root_key_signs_topology_and_manifests() {
    let (root, successor) = (SigningKey::generate(), SigningKey::generate());
    let open = |signer: &SigningKey, trusted: &[&SigningKey]| {
        let roots: Vec<_> = trusted.iter().map(|key| key.verifying_key()).collect();
        let topology = Topology::open(&Topology::sign(DEMO, signer).unwrap(), &roots);
        let manifest = demo().routes(NOW, NOW + 60).unwrap().remove(0).sign(signer);
        let trust = Trust { roots: &roots, seen: 1, now_s: NOW };
        (topology.is_ok(), RouteManifest::open(&manifest, "eu_only", trust))
    };
    for signer in [&root, &successor] {
        let (topology, manifest) = open(signer, &[&root, &successor]);
        assert!(topology && manifest.is_ok(), "while both are carried, either signs");
    }
    let (topology, manifest) = open(&root, &[&successor]);
    assert!(!topology && matches!(manifest, Err(RouteError::Untrusted(_))), "after it, the old one does not");
}
