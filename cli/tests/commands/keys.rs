//! Keys as files.

use domicile_jwt::KeySet;

use domicile_seal::SealingKey;

use crate::run;
use crate::world::{World, complaint, json, said};

#[test]
fn a_token_key_is_its_owner_s_alone_and_is_never_written_over() {
    let world = World::new();
    for (alg, name) in [("EdDSA", "ed.jwk"), ("ES256", "ec.jwk")] {
        let public = said(run!("key", "token", "new", "--out", world.path(name), "--alg", alg));
        assert!(!public.contains("\"d\"") && public.contains(alg));
        let mode = std::fs::metadata(world.path(name)).unwrap().permissions();
        assert_eq!(std::os::unix::fs::PermissionsExt::mode(&mode) & 0o777, 0o600);
        let again = run!("key", "token", "new", "--out", world.path(name));
        assert!(!again.status.success() && complaint(&again).contains("never overwritten"));
        let shown = run!("key", "token", "show", world.path(name), "--json");
        assert_eq!(json(&shown)["jwk"], public.trim());
    }
    let set = world.path("set.json");
    let both = [world.path("ed.jwk"), world.path("ec.jwk")];
    said(run!("key", "token", "set", &both[0], &both[1], "--out", &set));
    let text = std::fs::read_to_string(&set).unwrap();
    assert_eq!(KeySet::parse(&text).unwrap().names().count(), 2);
    assert!(!text.contains("\"d\""));
    assert_eq!(said(run!("key", "token", "set", &both[0], &both[1])), text);

    let twice = run!("key", "token", "set", &both[0], &both[0], "--out", &set);
    assert!(!twice.status.success() && complaint(&twice).contains("two keys have the kid"));
    assert_eq!(std::fs::read_to_string(&set).unwrap(), text, "a set that is none changes nothing");
}

#[test]
fn a_file_that_is_no_token_key_is_named_and_not_quoted() {
    let world = World::new();
    let file = world.write("wrong.jwk", "{\"kty\":\"oct\",\"k\":\"c2VjcmV0\"}");
    for command in ["set", "show"] {
        let output = run!("key", "token", command, &file);
        let said = complaint(&output);
        assert!(!output.status.success() && said.contains("wrong.jwk") && said.contains("line 1"), "{said}");
        assert!(!said.contains("c2Vj"));
    }
    let unknown = run!("key", "token", "new", "--out", world.path("x"), "--alg", "RS256");
    assert_eq!((unknown.status.code(), world.path("x").exists()), (Some(2), false));
}

#[test]
fn a_directory_that_holds_no_sealing_keys_is_told_by_its_path() {
    let world = World::new();
    let refused = |command: &[&str], directory: &std::path::Path, remedy: &str| {
        let mut seal = crate::world::domicile();
        let output = seal.args(["key", "seal"]).args(command).arg("--dir").arg(directory).output().unwrap();
        let said = complaint(&output);
        assert_eq!((output.status.code(), output.stdout.len()), (Some(1), 0), "{command:?}: {said}");
        assert!(said.contains(&format!("{}: ", directory.display())) && said.contains(remedy), "{said}");
    };
    let typo = world.path("typo");
    for command in [&["list"][..], &["list", "--json"], &["rotate"]] {
        refused(command, &typo, "`domicile key seal new` or the cell makes it");
    }
    let file = world.write("file", "");
    for command in [&["list"][..], &["rotate"], &["new"], &["new", "--id", "3"]] {
        for directory in [file.as_path(), std::path::Path::new("/dev/null")] {
            refused(command, directory, "name the directory that the cell has as `seal.key_dir`");
        }
    }
    assert!(!typo.exists());

    let empty = world.path("empty");
    std::fs::create_dir(&empty).unwrap();
    refused(&["rotate"], &empty, "no sealing key there to rotate");
    assert!(said(run!("key", "seal", "list", "--dir", &empty)).starts_with("no sealing key in "));
    assert_eq!(json(&run!("key", "seal", "list", "--json", "--dir", &empty))["keys"], serde_json::json!([]));
}

/// Ids, KEMs and uses.
fn listed(directory: &std::path::Path, more: &[&str]) -> Vec<(u64, String, String)> {
    let mut command = crate::world::domicile();
    command.args(["key", "seal", "list", "--json", "--dir"]).arg(directory).args(more);
    let listed = json(&command.output().unwrap());
    let text = |key: &serde_json::Value, name: &str| key[name].as_str().unwrap().to_owned();
    let keys = listed["keys"].as_array().unwrap().iter();
    keys.map(|key| (key["id"].as_u64().unwrap(), text(key, "kem"), text(key, "use"))).collect()
}

#[test]
fn sealing_keys_are_made_listed_and_rotated_and_none_is_written_over() {
    let world = World::new();
    let directory = world.path("keys");
    said(run!("key", "seal", "new", "--dir", &directory));
    said(run!("key", "seal", "new", "--dir", &directory, "--kem", "p256", "--id", "7"));
    let file = directory.join("seal-007.json");
    let text = std::fs::read_to_string(&file).unwrap();
    assert_eq!(SealingKey::from_json(&text).unwrap().id(), 7, "the cell's own form");
    let mode = |path: &std::path::Path| {
        std::os::unix::fs::PermissionsExt::mode(&std::fs::metadata(path).unwrap().permissions()) & 0o777
    };
    assert_eq!((mode(&directory), mode(&file)), (0o700, 0o600));
    let again = run!("key", "seal", "new", "--dir", &directory, "--id", "7");
    assert!(!again.status.success() && complaint(&again).contains("seal-007.json is there already"));
    assert_eq!(std::fs::read_to_string(&file).unwrap(), text);

    let key = |id: u64, kem: &str, does: &str| (id, kem.to_owned(), does.to_owned());
    assert_eq!(listed(&directory, &[]), [key(0, "x25519", "offered"), key(7, "p256", "offered")]);
    said(run!("key", "seal", "rotate", "--dir", &directory));
    let rotated = listed(&directory, &[]);
    assert_eq!(rotated.len(), 4);
    let offered: Vec<u64> = rotated.iter().filter(|key| key.2 == "offered").map(|key| key.0).collect();
    assert_eq!(offered, [1, 8], "the one after the newest of its kind");
    assert!(rotated.iter().filter(|key| key.0 != 1 && key.0 != 8).all(|key| key.2 == "accepted"));

    let old = SealingKey::from_seed(20, domicile_seal::Kem::P256, 1_000, [3; 32]).to_json();
    std::fs::write(directory.join("seal-020.json"), old.as_bytes()).unwrap();
    std::fs::write(directory.join("seal-021.json"), "{}").unwrap();
    assert!(listed(&directory, &[]).contains(&key(20, "p256", "retired")));
    // Made when this machine's clock stood a century ahead: no cell deletes it.
    let ahead = SealingKey::from_seed(22, domicile_seal::Kem::P256, 5_000_000_000, [4; 32]).to_json();
    std::fs::write(directory.join("seal-022.json"), ahead.as_bytes()).unwrap();
    assert!(listed(&directory, &[]).contains(&key(22, "p256", "ahead")));
    std::fs::remove_file(directory.join("seal-022.json")).unwrap();
    let words = said(run!("key", "seal", "list", "--dir", &directory));
    assert!(words.contains("retired") && words.contains("not read: key 21"), "{words}");
    assert!(!words.contains("AwMD"), "no secret is shown");
    said(run!("key", "seal", "rotate", "--dir", &directory, "--kem", "p256"));
    assert_eq!(std::fs::read_to_string(directory.join("seal-021.json")).unwrap(), "{}");
}
