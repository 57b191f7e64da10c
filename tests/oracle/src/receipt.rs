//! Receipts, once more.

use domicile_receipt::{PAYLOAD_TYPE, Receipt, ReceiptError};
use serde_json::Value;

use crate::json::{number, text};
use crate::signed::{Input, trusted};
use crate::{Disagreement, agree};

/// Every field a receipt may have.
const FIELDS: [&str; 9] =
    ["version", "request", "answer", "cell", "boundary", "class", "snapshot", "rung", "time"];

/// Opens the receipt of an input and holds it against an answer. Whether it was accepted.
///
/// # Errors
/// When receipt and reference part.
pub fn check(input: &[u8]) -> Result<bool, Disagreement> {
    let Some(input) = Input::read(input) else { return Ok(false) };
    let said = Receipt::open(&input.envelope(PAYLOAD_TYPE), &trusted().1);
    let Some(payload) = input.signed() else {
        // A text that holds could only come from the key; the samples of it are vectors, not inputs.
        let untrusted = matches!(said, Err(ReceiptError::Untrusted(_)));
        return agree(untrusted, || format!("{said:?} of what nobody signed")).map(|()| false);
    };
    let expected = serde_json::from_slice::<Value>(payload).ok().filter(is_one);
    match (&said, &expected) {
        (Ok(receipt), Some(value)) => {
            let same = text(value, "cell") == Some(&receipt.cell)
                && text(value, "rung") == Some(&receipt.rung)
                && text(value, "snapshot") == receipt.snapshot.as_deref();
            agree(same, || "read otherwise than it is written".to_owned())?;
            let covered = text(value, "answer") == Some(&domicile_receipt::hash(b"answer"));
            agree(receipt.covers(b"answer", None, None).is_ok() == covered, || {
                "covers another answer".to_owned()
            })?;
            Ok(true)
        }
        (Ok(_), None) => Err(Disagreement("accepted, and it is no receipt".to_owned())),
        (Err(ReceiptError::Form { .. } | ReceiptError::Version(_)), None) => Ok(false),
        // A field that stands twice: the reference's reader takes the last.
        (Err(ReceiptError::Form { .. }), Some(_)) if twice(payload) => Ok(false),
        (Err(error), _) => Err(Disagreement(format!("refused: {error}"))),
    }
}

fn is_one(value: &Value) -> bool {
    let texts = ["request", "answer", "cell", "boundary", "class", "rung", "time"];
    let snapshot = value.get("snapshot").is_none_or(|snapshot| snapshot.is_string() || snapshot.is_null());
    number(value, "version") == Some(1)
        && texts.iter().all(|name| text(value, name).is_some())
        && snapshot
        && value.as_object().is_some_and(|object| object.keys().all(|key| FIELDS.contains(&key.as_str())))
}

/// Whether some field may stand twice: more quoted names than there are fields.
fn twice(payload: &[u8]) -> bool {
    let colons = payload.iter().filter(|&&byte| byte == b':').count();
    let fields = serde_json::from_slice::<Value>(payload).ok();
    fields.and_then(|value| value.as_object().map(|object| object.len() < colons)).unwrap_or(true)
}
