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
            serde_json::json!({"path": path, "sha256": hex(content), "bytes": content.len()});
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
