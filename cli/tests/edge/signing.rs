//! Signing topologies with their route manifests.

use std::process::Command;

use crate::world::{World, domicile, key, refused, repository, succeeds};

fn sign(world: &World) -> Command {
    let mut sign = domicile(&["topology", "sign", "--key"]);
    sign.arg(key("root")).arg("--out").arg(world.at("signed.json")).arg(world.at("mine.toml"));
    sign.arg("--routes").arg(world.at("manifests"));
    sign
}

fn demo() -> String {
    std::fs::read_to_string(repository("deploy/demo/topology.toml")).unwrap()
}

#[test]
fn each_class_gets_a_manifest_of_the_topology_s_serial() {
    let world = World::new();
    std::fs::write(world.at("mine.toml"), demo().replace("serial = 1", "serial = 7")).unwrap();
    succeeds(&mut sign(&world));
    let mut files: Vec<_> =
        std::fs::read_dir(world.at("manifests")).unwrap().map(|entry| entry.unwrap().file_name()).collect();
    files.sort();
    assert_eq!(
        files,
        ["route-eu_only.dsse.json", "route-uk_only.dsse.json", "route-us_only.dsse.json"]
            .map(std::ffi::OsString::from)
    );
    let shown = |class: &str| {
        let file = world.at("manifests").join(format!("route-{class}.dsse.json"));
        succeeds(domicile(&["overlay", "show"]).arg(file))
    };
    assert!(shown("eu_only").contains("\"version\": 7") && shown("eu_only").contains("\"eu-b\""));
    assert!(shown("uk_only").contains("\"cells\": []"));
}

#[test]
fn a_cell_without_a_signing_key_is_refused_and_nothing_is_written() {
    let world = World::new();
    let mut lines: Vec<_> = demo().lines().map(str::to_owned).collect();
    let at = lines.iter().rposition(|line| line.starts_with("signing_key")).unwrap();
    lines.remove(at);
    std::fs::write(world.at("mine.toml"), lines.join("\n")).unwrap();
    refused(
        &mut sign(&world),
        &["class \"us_only\"", "cell \"us-a\" has no signing_key", "`domicile key sign new`"],
    );
    assert!(!world.at("signed.json").exists() && !world.at("manifests").exists());
    // The topology alone may be signed: its cells take no sealed requests yet.
    let mut alone = domicile(&["topology", "sign", "--key"]);
    succeeds(alone.arg(key("root")).arg("--out").arg(world.at("signed.json")).arg(world.at("mine.toml")));
}

#[test]
fn nothing_is_written_over_what_is_signed_or_over_the_key() {
    let world = World::new();
    std::fs::write(world.at("mine.toml"), demo()).unwrap();
    std::fs::copy(key("root"), world.at("root.jwk")).unwrap();
    for (out, over) in [("mine.toml", "the topology"), ("root.jwk", "--key")] {
        let before = std::fs::read(world.at(out)).unwrap();
        let mut sign = domicile(&["topology", "sign", "--key"]);
        sign.arg(world.at("root.jwk")).arg("--out").arg(world.at(out)).arg(world.at("mine.toml"));
        refused(&mut sign, &["--out", "would be written over", over]);
        assert_eq!(std::fs::read(world.at(out)).unwrap(), before);
    }
}
