//! What is kept of one answer in one file: `{request_sha256, answer, receipt}`, for `domicile receipt verify`.

use std::path::Path;

use base64::Engine as _;
use base64::engine::general_purpose::{STANDARD, URL_SAFE_NO_PAD};
use domicile_client::Kept;
use domicile_envelope::sha256_hex;
use domicile_files::Access;
use serde_json::json;

/// Writes the file. It holds the shopper's answer, so it is its owner's alone.
pub(super) fn write(path: &Path, kept: &Kept) -> anyhow::Result<()> {
    let file = json!({
        "request_sha256": sha256_hex(&kept.request),
        "answer": STANDARD.encode(&kept.answer),
        "receipt": URL_SAFE_NO_PAD.encode(&kept.receipt),
    });
    Ok(domicile_files::write_whole(path, format!("{file:#}\n").as_bytes(), Access::Owner)?)
}
