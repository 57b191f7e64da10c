//! What is kept of one answer in one file: `{request_sha256, answer, receipt}`.

use base64::Engine as _;
use base64::engine::general_purpose::{STANDARD, URL_SAFE_NO_PAD};
use serde::Deserialize;

/// Answer, receipt and the request's hash, as `domicile rank --receipt FILE` writes them.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct File {
    /// SHA-256 of the request as it was sealed, in hex.
    request_sha256: String,
    /// The answer's content, base64.
    answer: String,
    /// The receipt as in its header: the envelope's JSON, base64url.
    receipt: String,
}

/// The same, decoded.
pub(super) struct Kept {
    pub(super) request: String,
    pub(super) answer: Vec<u8>,
    pub(super) receipt: String,
}

impl Kept {
    /// Reads the text of such a file; none when it is another kind of text.
    ///
    /// # Errors
    /// The member that cannot be decoded.
    pub(super) fn parse(text: &str) -> Option<Result<Self, &'static str>> {
        let file: File = serde_json::from_str(text).ok()?;
        Some(Self::decode(file))
    }

    fn decode(file: File) -> Result<Self, &'static str> {
        let answer = STANDARD.decode(&file.answer).map_err(|_error| "answer is no base64")?;
        let receipt = envelope(&file.receipt).ok_or("receipt is no base64url of a text")?;
        Ok(Self { request: file.request_sha256.to_ascii_lowercase(), answer, receipt })
    }
}

/// The envelope's JSON from a receipt's text: either of its two forms.
pub(super) fn envelope(text: &str) -> Option<String> {
    let text = text.trim();
    if text.starts_with('{') {
        return Some(text.to_owned());
    }
    String::from_utf8(URL_SAFE_NO_PAD.decode(text).ok()?).ok()
}
