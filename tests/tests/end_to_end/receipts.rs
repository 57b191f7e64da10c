//! `domicile rank --receipt` and `domicile receipt verify`: what was answered, shown later and by anyone.

use std::path::Path;
use std::process::Command;

use domicile_cluster::cluster::demo_file;
use domicile_cluster::{paths, process};
use domicile_tests::world::World;
use serde_json::Value;

pub(crate) fn a_receipt_is_kept_and_verified_and_an_altered_one_is_named(world: &World) {
    let (shopper, folder) = (world.shopper("de-DE", "eu-a").unwrap(), &world.cluster.setup().folder);
    let kept = folder.join("kept.json");
    let mut rank = Command::new(paths::binary("domicile"));
    rank.args([
        "rank",
        "--json",
        "--edge",
        world.cluster.edge_url(),
        "--identity",
        world.cluster.identity_url(),
    ]);
    rank.args(["--locale", "de-DE", "--shopper", shopper, "--receipt"]).arg(&kept);
    let said = process::capture(rank.arg("--root-key").arg(demo_file("keys/root.jwk"))).unwrap();
    let said: Value = serde_json::from_str(&said).unwrap();
    assert_eq!((&said["outcome"], &said["receipt"]["cell"]), (&Value::from("relayed"), &Value::from("eu-a")));

    let (code, text) = verify(folder, &kept);
    assert_eq!(code, Some(0), "{text}");
    assert!(text.starts_with("holds: cell eu-a (eu) stated it at "), "{text}");
    let mut altered: Value = serde_json::from_str(&std::fs::read_to_string(&kept).unwrap()).unwrap();
    // The first bytes of an answer are those of its JSON: `{"`, as base64.
    altered["answer"] = Value::from(altered["answer"].as_str().unwrap().replacen("eyJ", "eyK", 1));
    std::fs::write(&kept, altered.to_string()).unwrap();
    let (code, text) = verify(folder, &kept);
    assert_eq!(code, Some(1));
    assert!(text.starts_with("does not hold: the answer"), "{text}");
}

fn verify(folder: &Path, kept: &Path) -> (Option<i32>, String) {
    let mut verify = Command::new(paths::binary("domicile"));
    verify.args(["receipt", "verify", "--cell", "eu-a", "--receipt"]).arg(kept);
    verify.arg("--manifest").arg(folder.join("edge.routes/route-eu_only.dsse.json"));
    let output = verify.arg("--root-key").arg(demo_file("keys/root.jwk")).output().unwrap();
    (output.status.code(), String::from_utf8(output.stdout).unwrap())
}
