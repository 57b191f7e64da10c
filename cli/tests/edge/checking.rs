//! `edge build --check`: each way in which an artefact is not what a build would make now has a name.

use serde_json::Value;

use crate::world::{World, domicile, ends, key, modules, refused, repository, succeeds, with, without};

fn built() -> World {
    let world = World::new();
    succeeds(world.build().arg("--spin-toml").arg(world.at("spin.toml")));
    world
}

/// The aspects that differ.
fn aspects(command: &mut std::process::Command) -> Vec<String> {
    let said: Value = serde_json::from_str(&ends(command.arg("--json"), 1)).unwrap();
    assert_eq!(said["current"], false);
    let differences = said["differences"].as_array().unwrap();
    differences.iter().map(|difference| difference["aspect"].as_str().unwrap().to_owned()).collect()
}

#[test]
fn what_was_just_built_is_current() {
    let world = built();
    let said =
        succeeds(world.check().arg("--modules").arg(modules()).arg("--spin-toml").arg(world.at("spin.toml")));
    assert!(said.contains("serves until  2027-") && said.contains("current"), "{said}");
}

#[test]
fn another_topology_is_named() {
    let world = built();
    let text = std::fs::read_to_string(world.at("topology.toml")).unwrap();
    world.sign(&text.replace("serial = 1", "serial = 2"));
    assert_eq!(aspects(&mut world.check()), ["topology", "routes", "routes", "routes"]);
    refused(&mut world.check(), &["topology: serial 1", "now serial 2", "STALE"]);
    world.sign(&text.replace("127.0.0.1:7102", "127.0.0.1:7109"));
    assert_eq!(
        aspects(world.check().arg("--spin-toml").arg(world.at("spin.toml"))),
        ["spin", "topology", "cells"]
    );
}

#[test]
fn other_route_manifests_are_named() {
    let world = built();
    let text = std::fs::read_to_string(world.at("topology.toml")).unwrap();
    // Signed for other days: the same words, and another end.
    let mut sign = domicile(&["topology", "sign", "--minute", "30000001", "--key"]);
    sign.arg(key("root")).arg("--out").arg(world.at("again.json")).arg(world.at("topology.toml"));
    succeeds(sign.arg("--routes").arg(world.at("routes")));
    refused(&mut world.check(), &["routes: route-eu_only.dsse.json ", "now ", "STALE"]);
    // 31 days after the signing, they are over, and so no build takes them.
    let over = aspects(&mut with(&world.check(), "--minute", "30044641".as_ref()));
    assert_eq!(over.iter().filter(|aspect| *aspect == "routes").count(), 1, "{over:?}");
    // Without the folder nothing is compared; an edge that was built with these is over with them.
    world.sign(&text);
    succeeds(world.build().args(["--pin-days", "400"]));
    let mut unnamed = without(&world.check(), "--routes");
    succeeds(&mut unnamed);
    assert_eq!(aspects(&mut with(&unnamed, "--minute", "30525600".as_ref())).last().unwrap(), "routes");
}

#[test]
fn what_is_over_is_named() {
    let world = built();
    // 32 days later, and after the lists: the overlay is one that no build takes any more.
    let later = |minute: &str| aspects(&mut with(&world.check(), "--minute", minute.as_ref()));
    assert_eq!(
        later("30046080"),
        ["pins", "pins", "pins", "pins"],
        "over, and none of the three classes' is there"
    );
    let stale = later("30504960");
    assert!(stale.contains(&"overlay".to_owned()) && stale.contains(&"lists".to_owned()), "{stale:?}");
}

#[test]
fn another_overlay_is_named() {
    let world = built();
    let (payload, signed) = (world.at("overlay.json"), world.at("overlay.dsse.json"));
    let text = succeeds(domicile(&["overlay", "show"]).arg(repository("lists/overlay.dsse.json")));
    let vocabulary = text.split("\"vocabulary\"").nth(1).and_then(|rest| rest.split('"').nth(1)).unwrap();
    std::fs::write(&payload, text.replace(vocabulary, "sha256:0")).unwrap();
    let mut sign = domicile(&["overlay", "sign", "--key"]);
    succeeds(sign.arg(key("overlay")).arg("--out").arg(&signed).arg(&payload));
    assert_eq!(aspects(&mut with(&world.check(), "--overlay", &signed)), ["overlay", "vocabulary"]);
}

#[test]
fn an_artefact_that_nothing_vouches_for_is_named() {
    let world = built();
    let artefact = std::fs::read(world.at("edge.wasm")).unwrap();
    // An empty custom section named "x": as good a component as before, and another one.
    std::fs::write(world.at("edge.wasm"), [artefact, vec![0, 2, 1, b'x']].concat()).unwrap();
    assert_eq!(aspects(&mut world.check()), ["artefact"]);
    std::fs::remove_file(world.at("edge.manifest.dsse.json")).unwrap();
    assert_eq!(aspects(&mut world.check()), ["manifest"]);
}

#[test]
fn what_cannot_be_read_is_neither() {
    let world = World::new();
    ends(&mut world.check(), 2);
    std::fs::write(world.at("edge.wasm"), "no component").unwrap();
    ends(&mut world.check(), 2);
    let world = built();
    ends(&mut with(&world.check(), "--topology", &world.at("topology.toml")), 2);
}
