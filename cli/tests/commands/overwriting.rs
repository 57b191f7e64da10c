//! No result goes over what it is made from: a secret would be gone for good, and the command would say that all is well.

use std::path::{Path, PathBuf};
use std::process::{Command, Output};

use crate::run;
use crate::world::{World, complaint, demo, domicile, said};

/// A place of each kind that leads to this file: its own name, one through a link, one with a detour.
fn ways_to(world: &World, file: &Path) -> [PathBuf; 3] {
    let alias = world.path("alias");
    let _ = std::fs::remove_file(&alias);
    std::os::unix::fs::symlink(file, &alias).unwrap();
    let folder = world.path("detour");
    std::fs::create_dir_all(&folder).unwrap();
    [file.to_owned(), alias, folder.join("..").join(file.file_name().unwrap())]
}

/// Runs a command once for each way to a file that it reads, with that way as `flag`: it has to refuse, and leave the
/// file as it is.
fn never_over(world: &World, file: &Path, flag: &str, named: &str, command: impl Fn() -> Command) {
    let before = std::fs::read(file).unwrap();
    for way in ways_to(world, file) {
        let output: Output = command().arg(flag).arg(&way).output().unwrap();
        let words = complaint(&output);
        assert_eq!(output.status.code(), Some(1), "{flag} {}: {words}", way.display());
        for part in [flag, "would be written over", named, "name another place"] {
            assert!(words.contains(part), "{part:?} in {words}");
        }
        assert_eq!(std::fs::read(file).unwrap(), before, "{flag} {}", way.display());
    }
}

#[test]
fn a_set_of_token_keys_goes_over_none_of_them() {
    let world = World::new();
    let (first, second) = (world.path("first.jwk"), world.path("second.jwk"));
    for key in [&first, &second] {
        said(run!("key", "token", "new", "--out", key));
    }
    for key in [&first, &second] {
        never_over(&world, key, "--out", "the key", || {
            let mut set = domicile();
            set.args(["key", "token", "set"]).args([&first, &second]);
            set
        });
    }
    said(run!("key", "token", "set", &first, &second, "--out", world.path("set.json")));
}

#[test]
fn a_receipt_goes_over_no_root_key() {
    let world = World::new();
    let root = world.write("root.jwk", std::fs::read(demo("keys/root.jwk")).unwrap());
    never_over(&world, &root, "--receipt", "--root-key", || {
        let mut rank = domicile();
        // Nobody is asked: nothing listens there.
        rank.args(["rank", "--edge", "http://127.0.0.1:1", "--identity", "http://127.0.0.1:1"]);
        rank.args(["--locale", "de-DE", "--root-key"]).arg(demo("keys/pin.jwk")).arg("--root-key").arg(&root);
        rank
    });
}

#[test]
fn a_signed_document_goes_over_neither_its_payload_nor_its_key() {
    let world = World::new();
    let key = world.write("key.jwk", std::fs::read(demo("keys/overlay.jwk")).unwrap());
    let payload = world.write("payload.json", "{}");
    for kind in ["overlay", "snapshot"] {
        let sign = || {
            let mut sign = domicile();
            sign.args([kind, "sign"]).arg(&payload).arg("--key").arg(&key);
            sign
        };
        never_over(&world, &key, "--out", "--key", sign);
        never_over(&world, &payload, "--out", "the payload", sign);
    }
}
