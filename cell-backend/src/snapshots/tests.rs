use std::path::Path;

use domicile_envelope::{Envelope, SigningKey};

use super::*;
use crate::testing;

/// Writes a whole snapshot of made-up files into `directory`, its manifest changed by `change`, then signed.
fn publish(directory: &Path, key: &SigningKey, change: impl FnOnce(&mut serde_json::Value)) {
    let embeddings = vec![0u8; 6 * 2 * 2];
    let files: [(&str, &str, &[u8]); 5] = [
        ("tower", "tower.onnx", b"t"),
        ("full", "full.onnx", b"f"),
        ("compact", "compact.onnx", b"c"),
        ("embeddings", "embeddings.f16", &embeddings),
        ("items", "items.csv", testing::ITEMS.as_bytes()),
    ];
    let mut manifest = testing::manifest();
    for (name, path, content) in files {
        std::fs::write(directory.join(path), content).unwrap();
        manifest["files"][name] =
            serde_json::json!({"path": path, "sha256": sha256_hex(content), "bytes": content.len()});
    }
    change(&mut manifest);
    sign(directory, key, PAYLOAD_TYPE, &manifest);
}

fn sign(directory: &Path, key: &SigningKey, kind: &str, manifest: &serde_json::Value) {
    let envelope = Envelope::sign(kind, manifest.to_string().as_bytes(), key);
    std::fs::write(directory.join(MANIFEST), envelope.to_json()).unwrap();
}

fn refused(break_it: impl FnOnce(&Path, &SigningKey)) -> String {
    let (directory, key) = (tempfile::tempdir().unwrap(), SigningKey::generate());
    publish(directory.path(), &key, |_| {});
    break_it(directory.path(), &key);
    let failure = load(directory.path(), &[key.verifying_key()]).err().unwrap();
    assert_eq!(failure.exit, Exit::Snapshot);
    let line = failure.to_string();
    assert!(!line.contains('\n') && line.contains("expected") && line.contains("found"), "{line}");
    line
}

#[test]
fn a_whole_snapshot_is_loaded_under_the_hash_of_its_manifest() {
    let (directory, key) = (tempfile::tempdir().unwrap(), SigningKey::generate());
    publish(directory.path(), &key, |_| {});
    let snapshot = load(directory.path(), &[key.verifying_key()]).ok().unwrap();
    assert_eq!(snapshot.items.len(), 6);
    assert_eq!(snapshot.id.len(), "sha256:".len() + 64);
    assert_eq!(snapshot.popular, [testing::item(5), testing::item(4)]);
}

#[test]
fn each_wrong_thing_is_named_with_its_file() {
    let write = |name: &'static str, content: &'static [u8]| {
        move |directory: &Path, _: &SigningKey| std::fs::write(directory.join(name), content).unwrap()
    };
    let changed = |change: fn(&mut serde_json::Value)| {
        move |directory: &Path, key: &SigningKey| publish(directory, key, change)
    };

    assert!(refused(|d, _| std::fs::remove_file(d.join("full.onnx")).unwrap()).contains("full.onnx"));
    assert!(refused(|d, _| std::fs::remove_file(d.join(MANIFEST)).unwrap()).contains(MANIFEST));
    assert!(refused(write(MANIFEST, b"{")).contains(MANIFEST));
    assert!(refused(write("tower.onnx", b"x")).contains("tower.onnx: expected sha256"));
    assert!(
        refused(write("embeddings.f16", b"short")).contains("embeddings.f16: expected 24 bytes, found 5")
    );
    assert!(refused(changed(|m| m["version"] = 9.into())).contains("version 9"));
    assert!(refused(changed(|m| m["dim"] = 3.into())).contains("embeddings.f16: expected 36 bytes"));
    assert!(refused(changed(|m| m["items"] = 7.into())).contains("items.csv: expected 7 items, found 6"));
    assert!(refused(changed(|m| m["items"] = u64::MAX.into())).contains("items.csv: expected"));
    assert!(refused(changed(|m| m["dim"] = u64::MAX.into())).contains("dim = "));
    assert!(refused(changed(|m| m["limits"]["history"] = u64::MAX.into())).contains("limits.history = "));
    assert!(refused(changed(|m| m["candidates"]["own"] = u64::MAX.into())).contains("candidates of"));
    assert!(refused(changed(|m| m["popular"][1] = "z".into())).contains("popular[1]"));
    assert!(refused(changed(|m| m["limits"]["cross"] = 11.into())).contains("limits.cross"));
    assert!(
        refused(changed(|m| m["files"]["full"]["path"] = "../full.onnx".into())).contains("plain file name")
    );
    assert!(refused(|d, k| sign(d, k, "text/plain", &testing::manifest())).contains("text/plain"));
    let other = |d: &Path, _: &SigningKey| publish(d, &SigningKey::generate(), |_| {});
    assert!(refused(other).contains("no signature by a trusted key"));
}

#[test]
fn a_manifest_that_means_something_else_is_refused_with_the_first_difference() {
    let changed = |change: fn(&mut serde_json::Value)| {
        refused(move |directory: &Path, key: &SigningKey| publish(directory, key, change))
    };
    let line = changed(|m| m["features"]["cross"].as_array_mut().unwrap().swap(3, 8));
    assert!(
        line.contains("features.cross[3] = \"ann_score\" where this build makes \"own_mean_gap_days\""),
        "{line}"
    );
    let line = changed(|m| m["features"]["context"][0]["name"] = "slot_search".into());
    assert!(line.contains("features.context[0] = \"slot_search\""), "{line}");
    let line = changed(|m| drop(m["features"]["shopper"].as_array_mut().unwrap().pop()));
    assert!(line.contains("no features.shopper[4] where this build makes \"median_item_price\""), "{line}");
    let line = changed(|m| {
        let again = m["features"]["history"][0].clone();
        m["features"]["history"].as_array_mut().unwrap().push(again);
    });
    assert!(line.contains("features.history[4] = \"history\" where this build makes none"), "{line}");
    assert!(
        changed(|m| drop(m.as_object_mut().unwrap().remove("features"))).contains("missing field `features`")
    );

    assert!(
        changed(|m| m["half_life_dais"] = 1.into())
            .contains("unknown key `half_life_dais`; the nearest known one is `half_life_days`")
    );
    assert!(changed(|m| m["limits"]["crosss"] = 1.into()).contains("the nearest known one is `cross`"));
    assert!(
        changed(|m| m["files"]["full"]["sha266"] = "".into()).contains("the nearest known one is `sha256`")
    );
    let line = changed(|m| m["candidates"] = serde_json::json!({"own": 0, "ann": 0, "popular": 0}));
    assert!(line.contains("candidates of 0 together"), "{line}");
    assert!(changed(|m| m["recent_events_per_item"] = 17.into()).contains("recent_events_per_item = 17"));
}

#[test]
fn what_is_no_regular_file_is_refused_unread() {
    for name in ["full.onnx", "items.csv", MANIFEST] {
        let folder = refused(|d, _| {
            std::fs::remove_file(d.join(name)).unwrap();
            std::fs::create_dir(d.join(name)).unwrap();
        });
        let pipe = refused(|d, _| {
            std::fs::remove_file(d.join(name)).unwrap();
            assert!(std::process::Command::new("mkfifo").arg(d.join(name)).status().unwrap().success());
        });
        let socket = refused(|d, _| {
            std::fs::remove_file(d.join(name)).unwrap();
            drop(std::os::unix::net::UnixListener::bind(d.join(name)).unwrap());
        });
        let device = refused(|d, _| {
            std::fs::remove_file(d.join(name)).unwrap();
            std::os::unix::fs::symlink("/dev/zero", d.join(name)).unwrap();
        });
        for (line, kind) in [(folder, "folder"), (pipe, "pipe"), (socket, "socket"), (device, "device")] {
            let said = format!("{name}: expected a readable file, found a {kind}, no regular file");
            assert!(line.contains(&said), "{line}");
        }
    }
}
