//! Whether a receipt holds, and if not, which part was altered or belongs to something else.

use domicile_envelope::{Envelope, VerifyingKey};
use domicile_receipt::{Receipt, ReceiptError};
use domicile_route::{RouteError, RouteManifest, Trust};

use super::input::{Evidence, Signer};

/// Why a receipt does not hold.
#[derive(Debug, thiserror::Error)]
pub(super) enum Fault {
    /// Receipt, answer, request or cell.
    #[error(transparent)]
    Receipt(#[from] ReceiptError),
    /// The manifest that was to name the cell's key.
    #[error(transparent)]
    Manifest(#[from] RouteError),
    /// The manifest has no such cell.
    #[error("the route manifest has no cell {0:?}, which the receipt names")]
    UnknownCell(String),
    /// The receipt states another boundary than the manifest.
    #[error("the boundary: the receipt states {stated:?}, and the route manifest has the cell in {found:?}")]
    Boundary {
        /// What was signed.
        stated: String,
        /// Where the manifest has the cell.
        found: String,
    },
}

impl Fault {
    /// The part, as scripts are told.
    pub(super) const fn part(&self) -> &'static str {
        match self {
            Self::Receipt(error) => match error {
                ReceiptError::Untrusted(_) | ReceiptError::Form { .. } | ReceiptError::Version(_) => {
                    "receipt"
                }
                ReceiptError::Answer { .. } => "answer",
                ReceiptError::Request { .. } => "request",
                ReceiptError::Cell { .. } => "cell",
            },
            Self::Manifest(_) | Self::UnknownCell(_) => "manifest",
            Self::Boundary { .. } => "boundary",
        }
    }
}

/// The receipt, if it holds.
///
/// # Errors
/// The first [`Fault`] met: manifest, signature, cell, request, answer.
pub(super) fn judge(evidence: &Evidence, asked: Option<&str>) -> Result<Receipt, Fault> {
    let (keys, boundary) = match &evidence.signer {
        Signer::Key(key) => (vec![key.clone()], None),
        Signer::Manifest { text, roots } => {
            let (keys, boundary) = keys_of(&evidence.envelope, text, roots)?;
            (keys, Some(boundary))
        }
    };
    let receipt = Receipt::open(&evidence.envelope, &keys)?;
    if let Some(found) = boundary.filter(|found| *found != receipt.boundary) {
        return Err(Fault::Boundary { stated: receipt.boundary, found });
    }
    if let Some(asked) = asked.filter(|asked| *asked != receipt.cell) {
        return Err(ReceiptError::Cell { found: receipt.cell, asked: asked.to_owned() }.into());
    }
    if evidence.request != receipt.request {
        let (found, stated) = (evidence.request.clone(), receipt.request);
        return Err(ReceiptError::Request { found, stated }.into());
    }
    receipt.covers(&evidence.answer, None, None)?;
    Ok(receipt)
}

/// The keys that the manifest names for the receipt's cell, and the boundary it has the cell in.
///
/// The manifest is judged at the time that the receipt states: a receipt outlives the manifest of its day. That time and
/// the cell are believed only as far as the signature, which is looked at next, bears them out.
fn keys_of(
    envelope: &str,
    manifest: &str,
    roots: &[VerifyingKey],
) -> Result<(Vec<VerifyingKey>, String), Fault> {
    let payload = Envelope::parse(envelope).and_then(|envelope| envelope.unverified_payload());
    let payload = payload.map_err(ReceiptError::Untrusted)?;
    let stated: Receipt = serde_json::from_slice(&payload)
        .map_err(|error| ReceiptError::Form { line: error.line(), column: error.column() })?;
    let now_s = stated.time.parse::<jiff::Timestamp>().map_or(0, jiff::Timestamp::as_second);
    let trust = Trust { roots, seen: 0, now_s };
    let manifest = RouteManifest::open(manifest, &stated.class, trust)?;
    let found = manifest.cell(&stated.cell).and_then(|cell| Some((cell.keys()?, cell.boundary.clone())));
    found.ok_or(Fault::UnknownCell(stated.cell))
}
