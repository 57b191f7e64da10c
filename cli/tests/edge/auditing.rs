//! `edge audit`: a page for people, JSON for programs, and an exit code for both.

use serde_json::Value;

use crate::world::{World, domicile, ends, key, modules, refused, succeeds, with};

fn built() -> World {
    let world = World::new();
    succeeds(&mut world.build());
    world
}

#[test]
fn the_page_says_who_signed_and_what_each_part_can_do() {
    let page = succeeds(&mut built().audit(&key("edge")));
    for line in [
        "signed by     8e779b5c47d9eccc",
        "cells         eu-a at http://127.0.0.1:7101, eu-b at http://127.0.0.1:7102, us-a at http://127.0.0.1:7103",
        "serves until  2027-02-15T04:00:00Z",
        "Part router\n  can        nothing of this\n",
        "wit-bindgen-rust 0.57.1",
        "PASSED",
    ] {
        assert!(page.contains(line), "{line:?} in\n{page}");
    }
    let relay = page.split("Part relay").nth(1).unwrap().split("cannot").nth(1).unwrap();
    let cannot = relay.split("imports").next().unwrap().split_whitespace().collect::<Vec<_>>().join(" ");
    for power in ["write a body", "read a body", "read a header", "read a trailer", "hand trailers on"] {
        assert!(cannot.contains(power), "{cannot}");
    }
}

#[test]
fn programs_get_json() {
    let said: Value = serde_json::from_str(&succeeds(built().audit(&key("edge")).arg("--json"))).unwrap();
    assert_eq!(said["passed"], true);
    assert_eq!(said["vouched"]["signed_by"], "8e779b5c47d9eccc");
    assert_eq!(said["vouched"]["manifest"]["sha256"], said["audit"]["sha256"]);
    assert_eq!(said["audit"]["findings"], serde_json::json!([]));
}

#[test]
fn a_manifest_that_does_not_hold_fails_the_audit() {
    let world = built();
    refused(
        &mut world.audit(&key("root")),
        &["nobody trusted", "the manifest does not hold", "no signature"],
    );
    let artefact = std::fs::read(world.at("edge.wasm")).unwrap();
    std::fs::write(world.at("edge.wasm"), [artefact, vec![0, 2, 1, b'x']].concat()).unwrap();
    refused(&mut world.audit(&key("edge")), &["FAILED", "it describes another artefact"]);
}

#[test]
fn an_artefact_is_made_again_of_its_modules() {
    let world = built();
    succeeds(world.audit(&key("edge")).arg("--modules").arg(modules()));
    let artefact = std::fs::read(world.at("edge.wasm")).unwrap();
    std::fs::write(world.at("edge.wasm"), [artefact, vec![0, 2, 1, b'x']].concat()).unwrap();
    let mut audit = domicile(&["edge", "audit", "--modules"]);
    refused(audit.arg(modules()).arg(world.at("edge.wasm")), &["not what these modules make"]);
}

/// Without the modules to compare with, too: the page says that an edge is its three parts and nothing else.
#[test]
fn a_component_that_does_nothing_is_no_part_of_an_edge() {
    let world = built();
    let artefact = std::fs::read(world.at("edge.wasm")).unwrap();
    // Section 4 is a component: empty, and one with an empty one in it.
    let header = *b"\0asm\x0d\0\x01\0";
    let empty = [&[4, 8][..], &header].concat();
    let holder = [&[4, 18][..], &header, &empty].concat();
    for section in [empty, holder] {
        std::fs::write(world.at("edge.wasm"), [artefact.clone(), section].concat()).unwrap();
        refused(
            domicile(&["edge", "audit"]).arg(world.at("edge.wasm")),
            &[
                "FAILED",
                "not the three parts of an edge",
                "a component without code or exports",
                "beside the parts",
            ],
        );
    }
}

#[test]
fn without_a_manifest_the_page_says_so() {
    let world = built();
    let page = succeeds(domicile(&["edge", "audit"]).arg(world.at("edge.wasm")));
    assert!(page.contains("not looked at (--manifest "), "{page}");
}

/// Nobody asked for the manifest to be held against the file, so it is no finding; but it is no silence either.
#[test]
fn a_manifest_of_another_artefact_beside_the_file_is_told() {
    let world = built();
    let audit = || {
        let mut audit = domicile(&["edge", "audit"]);
        audit.arg(world.at("edge.wasm"));
        audit
    };
    let beside = || {
        let said: Value = serde_json::from_str(&succeeds(audit().arg("--json"))).unwrap();
        said["beside"].as_str().unwrap().to_owned()
    };
    assert_eq!(beside(), "its");
    let artefact = std::fs::read(world.at("edge.wasm")).unwrap();
    std::fs::write(world.at("edge.wasm"), [artefact, vec![0, 2, 1, b'x']].concat()).unwrap();
    let page = succeeds(&mut audit());
    assert!(page.contains("describes another artefact; take both from one build"), "{page}");
    assert_eq!(beside(), "another");
    std::fs::write(world.at("edge.manifest.dsse.json"), "{").unwrap();
    assert!(succeeds(&mut audit()).contains("is no manifest that can be read"));
    std::fs::remove_file(world.at("edge.manifest.dsse.json")).unwrap();
    assert!(succeeds(&mut audit()).contains("signed by     nobody: no manifest was given"));
    assert_eq!(beside(), "nothing");
}

/// Whoever signs a manifest writes its texts, and whoever makes a component its names.
#[test]
fn nothing_in_a_file_steers_the_terminal_it_is_printed_on() {
    let world = World::new();
    let steering = "\u{1b}[2J\u{9b}1A\nPASSED\u{202e}";
    let folder = world.at("modules");
    std::fs::create_dir(&folder).unwrap();
    for name in ["router.wasm", "popularity.wasm", "relay.wasm"] {
        std::fs::copy(modules().join(name), folder.join(name)).unwrap();
    }
    let tools = serde_json::json!({ "rustc": steering });
    std::fs::write(folder.join("tools.json"), tools.to_string()).unwrap();
    succeeds(&mut with(&world.build(), "--modules", &folder));
    for json in [false, true] {
        let mut audit = world.audit(&key("edge"));
        audit.args(json.then_some("--json"));
        let said = succeeds(&mut audit);
        let steers = |c: char| c != '\n' && (c.is_control() || c == '\u{202e}');
        assert!(!said.contains(steers) && said.contains(r"\u001b[2J\u009b1A"), "{said}");
        assert_eq!(said.lines().filter(|line| line.starts_with("PASSED")).count(), usize::from(!json));
    }
}

#[test]
fn what_cannot_be_read_has_a_code_of_its_own() {
    let world = built();
    ends(domicile(&["edge", "audit"]).arg(modules().join("relay.wasm")), 2);
    ends(domicile(&["edge", "audit"]).arg(world.at("nothing")), 2);
    ends(&mut with(&world.audit(&key("edge")), "--manifest", &world.at("nothing")), 2);
}
