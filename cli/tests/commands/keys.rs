//! Keys as files.

use domicile_jwt::KeySet;

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
