//! Reading what a receipt is held against.

use std::path::{Path, PathBuf};

use domicile_envelope::VerifyingKey;
use domicile_files::{ReadError, limit, read_text};
use domicile_receipt::hash;

use super::Verify;
use super::kept::{Kept, envelope};

/// What cannot be read, so that there is no verdict.
#[derive(Debug, thiserror::Error)]
pub(super) enum Unread {
    /// A file cannot be read.
    #[error("cannot read {}: {source}", path.display())]
    File { path: PathBuf, source: ReadError },
    /// It can, and it is not what it was given as.
    #[error("{}: {problem}", path.display())]
    Form { path: PathBuf, problem: String },
    /// A part is in no file.
    #[error("{0}")]
    Missing(&'static str),
}

/// Everything a verdict needs.
pub(super) struct Evidence {
    /// The receipt's envelope, JSON.
    pub(super) envelope: String,
    /// The answer's content.
    pub(super) answer: Vec<u8>,
    /// SHA-256 of the request, hex.
    pub(super) request: String,
    /// Who has to have signed the receipt.
    pub(super) signer: Signer,
}

/// Where the cell's key comes from.
pub(super) enum Signer {
    /// It was given.
    Key(VerifyingKey),
    /// A manifest names it, which one of the roots has to have signed.
    Manifest { text: String, roots: Vec<VerifyingKey> },
}

impl Evidence {
    /// Reads it. What is given by an option of its own counts, whatever the receipt's file holds.
    pub(super) fn read(verify: &Verify) -> Result<Self, Unread> {
        let text = text(&verify.receipt)?;
        let kept = Kept::parse(&text).transpose().map_err(|problem| form(&verify.receipt, problem))?;
        let mut answer = verify.answer.as_deref().map(bytes).transpose()?;
        let mut request = match (&verify.request, &verify.request_hash) {
            (Some(path), _) => Some(hash(&bytes(path)?)),
            (None, Some(hex)) => Some(hex.to_ascii_lowercase()),
            (None, None) => None,
        };
        let envelope = match kept {
            Some(kept) => {
                answer = answer.or(Some(kept.answer));
                request = request.or(Some(kept.request));
                kept.receipt
            }
            None => envelope(&text).ok_or_else(|| {
                form(&verify.receipt, "neither an envelope, nor its base64url, nor a file of rank --receipt")
            })?,
        };
        let request = request.ok_or(Unread::Missing("give the request: --request or --request-hash"))?;
        if request.len() != 64 || !request.bytes().all(|byte| byte.is_ascii_hexdigit()) {
            return Err(Unread::Missing("the request's hash is a SHA-256, 64 hexadecimal digits"));
        }
        Ok(Self {
            envelope,
            answer: answer.ok_or(Unread::Missing("give the answer's content: --answer"))?,
            request,
            signer: signer(verify)?,
        })
    }
}

fn signer(verify: &Verify) -> Result<Signer, Unread> {
    if let Some(path) = &verify.key {
        return Ok(Signer::Key(key(path)?));
    }
    let path = verify.manifest.as_deref().ok_or(Unread::Missing("give --key or --manifest"))?;
    let roots = verify.root_key.iter().map(|path| key(path)).collect::<Result<_, _>>()?;
    Ok(Signer::Manifest { text: text(path)?, roots })
}

fn key(path: &Path) -> Result<VerifyingKey, Unread> {
    VerifyingKey::from_jwk(&text(path)?).map_err(|error| form(path, error))
}

fn bytes(path: &Path) -> Result<Vec<u8>, Unread> {
    domicile_files::read(path, limit::DOCUMENT)
        .map_err(|source| Unread::File { path: path.to_owned(), source })
}

fn text(path: &Path) -> Result<String, Unread> {
    read_text(path, limit::DOCUMENT).map_err(|source| Unread::File { path: path.to_owned(), source })
}

fn form(path: &Path, problem: impl ToString) -> Unread {
    Unread::Form { path: path.to_owned(), problem: problem.to_string() }
}
