//! Receipts.

use domicile_envelope::{Envelope, VerifyingKey};
use domicile_receipt::{PAYLOAD_TYPE, Receipt, ReceiptError, Stated, hash};
use serde_json::{Value, json};

use crate::{NOW, keys, text};

pub(crate) const ABOUT: &str = "Receipts: `envelope` (DSSE) is opened under `key` (the cell's signing key, public JWK) \
and held against `request`, `answer` (both UTF-8 here) and `cell`. `expect` is `ok`, or which part is another one: \
`untrusted` (the receipt itself), `form`, `version`, `answer`, `request`, `cell`.";

const REQUEST: &str = "the sealed request";
const ANSWER: &str = r#"{"items":[]}"#;

fn receipt() -> Receipt {
    let stated = Stated {
        cell: "eu-a",
        boundary: "eu",
        class: "eu_only",
        snapshot: Some("sha256:00"),
        rung: "full",
        time_s: NOW,
    };
    Receipt::new(hash(REQUEST.as_bytes()), ANSWER.as_bytes(), stated)
}

pub(crate) fn make() -> Vec<Value> {
    let case = |name: &str, envelope: &str, request: &str, answer: &str, cell: &str, expect: &str| {
        let key = keys::cell().verifying_key().to_jwk();
        json!({
            "name": name, "envelope": envelope, "key": key, "request": request, "answer": answer, "cell": cell,
            "expect": expect,
        })
    };
    let good = receipt().sign(&keys::cell());
    let erasure = Receipt { snapshot: None, rung: "erasure".to_owned(), ..receipt() }.sign(&keys::cell());
    let later = Receipt { version: 2, ..receipt() }.sign(&keys::cell());
    let foreign = receipt().sign(&keys::foreign());
    let other = Envelope::sign(PAYLOAD_TYPE, b"{}", &keys::cell()).to_line();
    vec![
        case("of this answer", &good, REQUEST, ANSWER, "eu-a", "ok"),
        case("of an erasure", &erasure, REQUEST, ANSWER, "eu-a", "ok"),
        case("a byte of the answer changed", &good, REQUEST, r#"{"items":[ ]}"#, "eu-a", "answer"),
        case("a byte of the request changed", &good, "the sealed Request", ANSWER, "eu-a", "request"),
        case("another cell was asked", &good, REQUEST, ANSWER, "eu-b", "cell"),
        case("signed by another key", &foreign, REQUEST, ANSWER, "eu-a", "untrusted"),
        case("no envelope", "receipt", REQUEST, ANSWER, "eu-a", "untrusted"),
        case("not a receipt", &other, REQUEST, ANSWER, "eu-a", "form"),
        case("of a later version", &later, REQUEST, ANSWER, "eu-a", "version"),
    ]
}

pub(crate) fn answer(case: &Value) -> String {
    let keys: Vec<VerifyingKey> = VerifyingKey::from_jwk(text(case, "key")).into_iter().collect();
    let (request, answer) = (text(case, "request").as_bytes(), text(case, "answer").as_bytes());
    let verdict = Receipt::open(text(case, "envelope"), &keys)
        .and_then(|receipt| receipt.covers(answer, Some(request), Some(text(case, "cell"))));
    match verdict {
        Ok(()) => "ok",
        Err(ReceiptError::Untrusted(_)) => "untrusted",
        Err(ReceiptError::Form { .. }) => "form",
        Err(ReceiptError::Version(_)) => "version",
        Err(ReceiptError::Answer { .. }) => "answer",
        Err(ReceiptError::Request { .. }) => "request",
        Err(ReceiptError::Cell { .. }) => "cell",
    }
    .to_owned()
}
