//! Receipts, good and altered.

use std::path::PathBuf;
use std::process::Output;

use base64::Engine as _;
use base64::engine::general_purpose::{STANDARD, URL_SAFE_NO_PAD};
use domicile_envelope::SigningKey;
use domicile_receipt::{Receipt, Stated, hash};
use domicile_route::{Clocks, RouteCell, RouteManifest, Transport};

use crate::world::{World, complaint, domicile, json, said};

const REQUEST: &[u8] = b"the sealed request";
const ANSWER: &[u8] = b"{\"items\":[]}";
/// 2027-01-15.
const TIME: i64 = 1_800_000_000;

struct Kept {
    world: World,
    cell: SigningKey,
    root: SigningKey,
    receipt: String,
}

impl Kept {
    fn new() -> Self {
        let (cell, root) = (SigningKey::generate(), SigningKey::generate());
        let stated = Stated {
            cell: "eu-a",
            boundary: "eu",
            class: "eu_only",
            snapshot: Some("sha256:00"),
            rung: "full",
            time_s: TIME,
        };
        let receipt = Receipt::new(hash(REQUEST), ANSWER, stated).sign(&cell);
        let world = World::new();
        world.write("receipt", URL_SAFE_NO_PAD.encode(&receipt));
        world.write("answer", ANSWER);
        world.write("request", REQUEST);
        world.write("cell.jwk", cell.verifying_key().to_jwk());
        world.write("root.jwk", root.verifying_key().to_jwk());
        Self { world, cell, root, receipt }
    }

    fn path(&self, name: &str) -> PathBuf {
        self.world.path(name)
    }

    /// Verifies with the files by their names, and what else is said.
    fn verify(&self, more: &[&str]) -> Output {
        let mut command = domicile();
        command.args(["receipt", "verify", "--receipt"]).arg(self.path("receipt"));
        command.args(more).current_dir(self.path("")).output().unwrap()
    }

    fn whole(&self) -> Output {
        self.verify(&["--answer", "answer", "--request", "request", "--key", "cell.jwk", "--json"])
    }

    fn manifest(&self, class: &str, version_ends_s: i64, key: &SigningKey, cell: &str) -> PathBuf {
        let clocks = Clocks { page_limit_ms: 900, cell_budget_ms: 120 };
        let mut manifest = RouteManifest::new(class, 1, clocks, TIME - 9, version_ends_s);
        manifest.cells.push(RouteCell {
            name: cell.into(),
            boundary: "eu".into(),
            weight: 1,
            transport: Transport::Relay,
            answer_bytes: 8_192,
            signing_key: key.verifying_key().to_jwk(),
            next_signing_key: None,
        });
        self.world.write("route.dsse.json", manifest.sign(&self.root))
    }

    fn by_manifest(&self) -> Output {
        let files = ["--manifest", "route.dsse.json", "--root-key", "root.jwk", "--json"];
        self.verify(&[&["--answer", "answer", "--request", "request"], &files[..]].concat())
    }
}

/// Flips one bit of a file's byte.
fn flip(path: &PathBuf, at: usize) {
    let mut bytes = std::fs::read(path).unwrap();
    bytes[at] ^= 1;
    std::fs::write(path, bytes).unwrap();
}

fn altered(output: &Output) -> String {
    assert_eq!(output.status.code(), Some(1), "{}", complaint(output));
    let verdict = json(output);
    assert_eq!(verdict["holds"], false);
    verdict["part"].as_str().unwrap().to_owned()
}

fn unread(output: &Output) -> String {
    assert_eq!(output.status.code(), Some(2), "{}", complaint(output));
    complaint(output)
}

#[test]
fn a_receipt_holds_in_each_of_its_forms() {
    let kept = Kept::new();
    let whole = kept.whole();
    assert_eq!((whole.status.code(), json(&whole)["holds"].clone()), (Some(0), true.into()));
    assert_eq!(json(&whole)["receipt"]["cell"], "eu-a");
    let hash = hash(REQUEST);
    let by_hash = ["--answer", "answer", "--request-hash", &hash, "--key", "cell.jwk", "--cell", "eu-a"];
    kept.world.write("receipt", &kept.receipt);
    let words = said(kept.verify(&by_hash));
    assert!(words.contains("holds: cell eu-a (eu) stated it at 2027-01-15T08:00:00Z"), "{words}");

    let answer = STANDARD.encode(ANSWER);
    let text = URL_SAFE_NO_PAD.encode(&kept.receipt);
    let file = format!("{{\"request_sha256\":\"{hash}\",\"answer\":\"{answer}\",\"receipt\":\"{text}\"}}");
    kept.world.write("receipt", file);
    assert!(said(kept.verify(&["--key", "cell.jwk"])).contains("rung full"));
    assert_eq!(altered(&kept.verify(&["--key", "cell.jwk", "--request", "answer", "--json"])), "request");
}

#[test]
fn one_altered_byte_is_named() {
    let kept = Kept::new();
    // Names, payload, key id, signature: every seventh byte meets each of them.
    for at in (1..kept.receipt.len()).step_by(7) {
        let mut bytes = kept.receipt.clone().into_bytes();
        bytes[at] ^= 1;
        kept.world.write("receipt", bytes);
        assert_eq!(altered(&kept.whole()), "receipt", "byte {at}");
    }
    let kept = Kept::new();
    flip(&kept.path("answer"), 3);
    assert_eq!(altered(&kept.whole()), "answer");
    let kept = Kept::new();
    flip(&kept.path("request"), 0);
    assert_eq!(altered(&kept.whole()), "request");
    let first = if hash(REQUEST).starts_with('0') { "1" } else { "0" };
    let one_off = hash(REQUEST).replacen(|_: char| true, first, 1);
    let one_off = ["--answer", "answer", "--request-hash", &one_off, "--key", "cell.jwk", "--json"];
    let kept = Kept::new();
    assert_eq!(altered(&kept.verify(&one_off)), "request");
    let other_cell = kept.verify(&[&one_off[..], &["--cell", "eu-b"]].concat());
    assert_eq!(altered(&other_cell), "cell", "who answered comes first");
    kept.world.write("cell.jwk", SigningKey::generate().verifying_key().to_jwk());
    assert_eq!(altered(&kept.whole()), "receipt", "signed by another key");

    let kept = Kept::new();
    let jwk = kept.cell.verifying_key().to_jwk();
    flip(&kept.path("cell.jwk"), jwk.find("\"x\":\"").unwrap() + 9);
    let output = kept.verify(&["--answer", "answer", "--request", "request", "--key", "cell.jwk"]);
    assert!(unread(&output).contains("cell.jwk: the key's"), "{}", complaint(&output));
}

#[test]
fn the_key_may_come_from_a_manifest_of_the_receipt_s_day() {
    let kept = Kept::new();
    kept.manifest("eu_only", TIME + 1, &kept.cell, "eu-a");
    assert_eq!(json(&kept.by_manifest())["holds"], true, "whatever day it is now");
    kept.manifest("eu_only", TIME, &kept.cell, "eu-a");
    let stale = kept.by_manifest();
    assert_eq!(altered(&stale), "manifest");
    assert!(json(&stale)["reason"].as_str().unwrap().contains("held until"));
    kept.manifest("eu_only", TIME + 1, &kept.cell, "eu-b");
    assert_eq!(altered(&kept.by_manifest()), "manifest");
    kept.manifest("us_only", TIME + 1, &kept.cell, "eu-a");
    assert_eq!(altered(&kept.by_manifest()), "manifest");
    kept.manifest("eu_only", TIME + 1, &SigningKey::generate(), "eu-a");
    assert_eq!(altered(&kept.by_manifest()), "receipt");
    kept.world.write("root.jwk", SigningKey::generate().verifying_key().to_jwk());
    assert_eq!(altered(&kept.by_manifest()), "manifest");
    kept.world.write("receipt", "{}");
    assert_eq!(altered(&kept.by_manifest()), "receipt");
}

#[test]
fn what_cannot_be_read_is_no_verdict() {
    let kept = Kept::new();
    let key = ["--key", "cell.jwk"];
    assert!(unread(&kept.verify(&key)).contains("--request"));
    assert!(unread(&kept.verify(&[&key[..], &["--request", "request"]].concat())).contains("--answer"));
    let none = kept.verify(&[&key[..], &["--request", "request", "--answer", "none"]].concat());
    assert!(unread(&none).contains("cannot read none"));
    let short = kept.verify(&[&key[..], &["--request-hash", "00", "--answer", "answer"]].concat());
    assert!(unread(&short).contains("64 hexadecimal digits"));
    kept.world.write("receipt", "no receipt");
    assert!(unread(&kept.verify(&[&key[..], &["--request", "request"]].concat())).contains("neither"));
    assert_eq!(kept.verify(&["--answer", "answer"]).status.code(), Some(2), "usage");
}
