//! `edge release-modules`, and what a build takes of a release.

use std::path::PathBuf;

use serde_json::Value;

use crate::world::{World, domicile, ends, key, modules, refused, succeeds, with};

/// A world with a release in it and the secret key that signed it, which also serves as its public half.
fn released() -> (World, PathBuf) {
    let world = World::new();
    let secret = world.at("release.jwk");
    succeeds(domicile(&["key", "sign", "new", "--out"]).arg(&secret));
    let mut release = domicile(&["edge", "release-modules", "--source", "0123abc", "--modules"]);
    release.arg(modules()).arg("--key").arg(&secret).arg("--out").arg(world.at("release"));
    assert!(succeeds(&mut release).contains("source        0123abc"));
    (world, secret)
}

#[test]
fn a_build_takes_published_modules_and_says_whose_they_are() {
    let (world, secret) = released();
    let mut build = with(&world.build(), "--modules", &world.at("release"));
    let said = succeeds(&mut build);
    assert!(
        said.contains("modules       as modules.dsse.json says, whose signature was not checked"),
        "{said}"
    );
    let said = succeeds(build.arg("--modules-key").arg(key("pin")).arg("--modules-key").arg(&secret));
    assert!(said.contains("modules       published, signed by "), "{said}");

    let manifest: Value = serde_json::from_str(&succeeds(build.arg("--json"))).unwrap();
    let statement = std::fs::read(world.at("release/modules.dsse.json")).unwrap();
    assert_eq!(manifest["inputs"]["modules.dsse.json"], domicile_forge::sha256_hex(&statement));
    assert_eq!(manifest["tools"]["source"], "0123abc");
    assert!(manifest["tools"]["rustc"].is_string() && manifest["tools"]["wit-bindgen-rust"].is_string());
    let names: Vec<_> =
        std::fs::read_dir(world.at("release")).unwrap().map(|e| e.unwrap().file_name()).collect();
    assert_eq!(names.len(), 4, "{names:?}");

    let mut audit = world.audit(&key("edge"));
    audit.arg("--modules").arg(world.at("release")).arg("--modules-key").arg(&secret);
    assert!(succeeds(&mut audit).contains("modules       published, signed by "));
}

#[test]
fn a_tampered_module_is_refused_whether_or_not_a_key_is_given() {
    let (world, secret) = released();
    let relay = world.at("release/relay.wasm");
    let bytes = std::fs::read(&relay).unwrap();
    // An empty custom section: the same code, other bytes.
    std::fs::write(&relay, [bytes, vec![0, 2, 1, b'x']].concat()).unwrap();
    let mut build = with(&world.build(), "--modules", &world.at("release"));
    let says = ["modules.dsse.json", "relay.wasm is ", "was published", "take the modules anew"];
    refused(&mut build, &says);
    refused(build.arg("--modules-key").arg(&secret), &says);
    assert!(!world.at("edge.wasm").exists());
}

#[test]
fn a_statement_by_another_key_is_refused() {
    let (world, _) = released();
    let mut build = with(&world.build(), "--modules", &world.at("release"));
    refused(
        build.arg("--modules-key").arg(key("edge")),
        &["modules.dsse.json", "no signature by a trusted key"],
    );
    assert!(!world.at("edge.wasm").exists());
}

#[test]
fn modules_without_a_statement_are_used_and_said_to_be() {
    let world = World::new();
    let said = succeeds(&mut world.build());
    assert!(said.contains("modules       not checked: no modules.dsse.json"), "{said}");
    refused(
        world.build().arg("--modules-key").arg(key("edge")),
        &["no modules.dsse.json there", "take the modules from a release"],
    );
}

/// The key may lie where the release goes, but not under a name of the release.
#[test]
fn a_release_goes_over_no_key_and_no_module() {
    let (world, secret) = released();
    let out = world.at("release");
    let release = |key: &std::path::Path| {
        let mut release = domicile(&["edge", "release-modules", "--source", "0123abc", "--modules"]);
        release.arg(modules()).arg("--key").arg(key).arg("--out").arg(&out);
        release
    };
    for name in ["modules.dsse.json", "router.wasm"] {
        let place = out.join(name);
        std::fs::copy(&secret, &place).unwrap();
        std::os::unix::fs::symlink(&place, world.at("alias")).unwrap();
        for key in [place.clone(), world.at("alias")] {
            refused(&mut release(&key), &["--out", "would be written over --key", "name another place"]);
            assert_eq!(std::fs::read(&place).unwrap(), std::fs::read(&secret).unwrap());
        }
        std::fs::remove_file(world.at("alias")).unwrap();
        std::fs::remove_file(place).unwrap();
    }
    let relay = modules().join("relay.wasm");
    std::fs::remove_file(out.join("relay.wasm")).unwrap();
    std::os::unix::fs::symlink(&relay, out.join("relay.wasm")).unwrap();
    let before = std::fs::read(&relay).unwrap();
    refused(&mut release(&secret), &["--out", "would be written over --modules"]);
    assert_eq!(std::fs::read(&relay).unwrap(), before);
    std::fs::remove_file(out.join("relay.wasm")).unwrap();
    std::fs::copy(&secret, out.join("release.jwk")).unwrap();
    succeeds(&mut release(&out.join("release.jwk")));
}

#[test]
fn what_is_no_release_is_not_published() {
    let (world, secret) = released();
    let mut release = domicile(&["edge", "release-modules", "--source", "0123abc", "--modules"]);
    release.arg(modules()).arg("--key").arg(&secret).arg("--out").arg(world.at("other"));
    refused(&mut with(&release, "--source", " ".as_ref()), &["--source: empty"]);
    refused(&mut with(&release, "--out", &modules()), &["is the folder of --modules", "name another"]);
    let again = ["modules.dsse.json", "published already"];
    refused(&mut with(&release, "--modules", &world.at("release")), &again);
    let bare = world.at("bare");
    std::fs::create_dir(&bare).unwrap();
    for name in ["router.wasm", "popularity.wasm", "relay.wasm"] {
        std::fs::copy(modules().join(name), bare.join(name)).unwrap();
    }
    refused(&mut with(&release, "--modules", &bare), &["nothing names the compiler"]);
    ends(&mut with(&release, "--key", &world.at("none")), 1);
    assert!(!world.at("other/modules.dsse.json").exists());
}
