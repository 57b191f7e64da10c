//! A receipt: a cell's signed statement of where and how one request was answered.
//!
//! It travels inside the seal, beside the answer, and binds the hash of the sealed request to the hash of the answer's
//! content, the cell, its boundary, the snapshot and the rung. Whoever keeps the three (request, answer, receipt) can
//! show later what was answered and which cell said so.
//!
//! **What it proves and what not.** That the holder of the cell's signing key stated this. Not where the machine stood:
//! a cell's place is its operator's word. A receipt holds no personal value; its hashes are of bytes that only the
//! shopper's page and the cell have seen.
//!
//! Source of the envelope: DSSE (`policy/envelope`). Pure: the time is an argument.

pub use domicile_envelope::sha256_hex as hash;
use domicile_envelope::{Envelope, EnvelopeError, Sign, VerifyingKey};
use serde::{Deserialize, Serialize};

/// The payload type of a receipt's envelope.
pub const PAYLOAD_TYPE: &str = "application/vnd.domicile.receipt+json";
/// The version of the payload.
const VERSION: u32 = 1;

/// What a cell states of one answer.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Receipt {
    /// The version of this form.
    pub version: u32,
    /// SHA-256 of the request as it was sealed, in hex.
    pub request: String,
    /// SHA-256 of the answer's content as it was sent, in hex.
    pub answer: String,
    /// The cell.
    pub cell: String,
    /// Its boundary.
    pub boundary: String,
    /// The residency class under which it answered.
    pub class: String,
    /// The snapshot behind the answer; none when no model had a part in it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub snapshot: Option<String>,
    /// The rung, or what else was done: `events`, `export`, `erasure`.
    pub rung: String,
    /// When (RFC 3339).
    pub time: String,
}

/// Why a receipt does not hold. Each names the part that was altered, or that belongs to something else.
#[derive(Debug, PartialEq, Eq, thiserror::Error)]
pub enum ReceiptError {
    /// The envelope is not signed by the cell's key, was altered, or is none.
    #[error("the receipt itself: {0}")]
    Untrusted(EnvelopeError),
    /// The payload is not a receipt's.
    #[error("the receipt itself: line {line}, column {column}: not a receipt's form")]
    Form {
        /// The line, from 1.
        line: usize,
        /// The column, from 1.
        column: usize,
    },
    /// Of a version this build does not know.
    #[error("the receipt itself: version {0}, and this build reads version {VERSION}")]
    Version(u32),
    /// The answer is another one.
    #[error("the answer: its SHA-256 is {found}, and the receipt states {stated}")]
    Answer {
        /// What it is.
        found: String,
        /// What was signed.
        stated: String,
    },
    /// The request is another one.
    #[error("the request: its SHA-256 is {found}, and the receipt states {stated}")]
    Request {
        /// What it is.
        found: String,
        /// What was signed.
        stated: String,
    },
    /// By a cell other than the one asked.
    #[error("the cell: {found:?} signed, and {asked:?} was asked")]
    Cell {
        /// Who signed.
        found: String,
        /// Who was asked.
        asked: String,
    },
}

/// What a cell answers with, as far as a receipt states it.
#[derive(Debug, Clone, Copy)]
pub struct Stated<'a> {
    /// The cell.
    pub cell: &'a str,
    /// Its boundary.
    pub boundary: &'a str,
    /// The class.
    pub class: &'a str,
    /// The snapshot, if one had a part.
    pub snapshot: Option<&'a str>,
    /// The rung, or what was done.
    pub rung: &'a str,
    /// Seconds since 1970.
    pub time_s: i64,
}

impl Receipt {
    /// The receipt of an answer, whose sealed request has the hash `request`.
    #[must_use]
    pub fn new(request: String, answer: &[u8], stated: Stated<'_>) -> Self {
        Self {
            version: VERSION,
            request,
            answer: hash(answer),
            cell: stated.cell.to_owned(),
            boundary: stated.boundary.to_owned(),
            class: stated.class.to_owned(),
            snapshot: stated.snapshot.map(str::to_owned),
            rung: stated.rung.to_owned(),
            time: jiff::Timestamp::from_second(stated.time_s).unwrap_or_default().to_string(),
        }
    }

    /// Signs it with the cell's key: the envelope's JSON, on one line.
    #[must_use]
    pub fn sign(&self, key: &impl Sign) -> String {
        // Texts and a number always make JSON.
        Envelope::sign(PAYLOAD_TYPE, &serde_json::to_vec(self).unwrap_or_default(), key).to_line()
    }

    /// Opens an envelope that one of `keys` has to have signed.
    ///
    /// # Errors
    /// [`ReceiptError`], up to `Version`.
    pub fn open(envelope: &str, keys: &[VerifyingKey]) -> Result<Self, ReceiptError> {
        let payload = Envelope::parse(envelope)
            .and_then(|envelope| envelope.verify(PAYLOAD_TYPE, keys))
            .map_err(ReceiptError::Untrusted)?;
        let receipt: Self = serde_json::from_slice(&payload)
            .map_err(|error| ReceiptError::Form { line: error.line(), column: error.column() })?;
        if receipt.version == VERSION { Ok(receipt) } else { Err(ReceiptError::Version(receipt.version)) }
    }

    /// Whether it is the receipt of this answer to this request, from this cell; the request and the cell where they
    /// are known.
    ///
    /// # Errors
    /// The part that is another one than was signed.
    pub fn covers(
        &self,
        answer: &[u8],
        request: Option<&[u8]>,
        asked: Option<&str>,
    ) -> Result<(), ReceiptError> {
        if let Some(asked) = asked.filter(|asked| *asked != self.cell) {
            return Err(ReceiptError::Cell { found: self.cell.clone(), asked: asked.to_owned() });
        }
        if let Some(found) = request.map(hash).filter(|found| *found != self.request) {
            return Err(ReceiptError::Request { found, stated: self.request.clone() });
        }
        let found = hash(answer);
        if found == self.answer {
            Ok(())
        } else {
            Err(ReceiptError::Answer { found, stated: self.answer.clone() })
        }
    }
}

#[cfg(test)]
mod tests {
    use domicile_envelope::{Envelope, EnvelopeError, SigningKey};
    use proptest::prelude::*;

    use super::{PAYLOAD_TYPE, Receipt, ReceiptError, Stated, hash};

    const STATED: Stated<'_> = Stated {
        cell: "eu-a",
        boundary: "eu",
        class: "eu_only",
        snapshot: Some("sha256:00"),
        rung: "full",
        time_s: 1_800_000_000,
    };

    fn receipt() -> Receipt {
        Receipt::new(hash(b"sealed"), b"answer", STATED)
    }

    #[test]
    fn a_receipt_is_read_back_and_covers_what_it_was_made_for() {
        let key = SigningKey::generate();
        let read = Receipt::open(&receipt().sign(&key), &[key.verifying_key()]).unwrap();
        assert_eq!(read, receipt());
        assert_eq!(read.time, "2027-01-15T08:00:00Z");
        assert_eq!(read.covers(b"answer", Some(b"sealed"), Some("eu-a")), Ok(()));
        assert_eq!(read.covers(b"answer", None, None), Ok(()));
    }

    #[test]
    fn what_was_altered_is_named() {
        let receipt = receipt();
        let said = |verdict: Result<(), ReceiptError>| verdict.unwrap_err().to_string();
        assert!(
            said(receipt.covers(b"answes", Some(b"sealed"), None)).starts_with("the answer: its SHA-256")
        );
        assert!(
            said(receipt.covers(b"answer", Some(b"sealee"), None)).starts_with("the request: its SHA-256")
        );
        assert_eq!(
            said(receipt.covers(b"answer", None, Some("eu-b"))),
            "the cell: \"eu-a\" signed, and \"eu-b\" was asked"
        );
    }

    #[test]
    fn only_the_cell_s_own_signature_over_a_receipt_counts() {
        let (key, other) = (SigningKey::generate(), SigningKey::generate());
        let signed = receipt().sign(&key);
        let refusal = |text: &str| Receipt::open(text, &[key.verifying_key()]).unwrap_err();
        assert!(matches!(
            Receipt::open(&signed, &[other.verifying_key()]),
            Err(ReceiptError::Untrusted(EnvelopeError::Untrusted { .. }))
        ));
        let manifest = Envelope::sign("application/json", b"{}", &key).to_json();
        assert!(matches!(refusal(&manifest), ReceiptError::Untrusted(EnvelopeError::Type { .. })));
        let form = Envelope::sign(PAYLOAD_TYPE, b"{}", &key).to_json();
        assert!(matches!(refusal(&form), ReceiptError::Form { line: 1, .. }));
        let later = Receipt { version: 2, ..receipt() };
        assert_eq!(refusal(&later.sign(&key)), ReceiptError::Version(2));
    }

    proptest! {
        #[test]
        fn any_text_is_opened_or_refused(text in "\\PC{0,200}") {
            prop_assert!(Receipt::open(&text, &[]).is_err());
        }

        #[test]
        fn any_altered_byte_of_an_answer_is_noticed(answer in prop::collection::vec(any::<u8>(), 1..200), at in any::<prop::sample::Index>(), bit in 0u8..8) {
            let receipt = Receipt::new(hash(b"sealed"), &answer, STATED);
            let mut altered = answer.clone();
            let at = at.index(altered.len());
            altered[at] ^= 1 << bit;
            let noticed = matches!(receipt.covers(&altered, None, None), Err(ReceiptError::Answer { .. }));
            prop_assert!(noticed);
        }
    }
}
