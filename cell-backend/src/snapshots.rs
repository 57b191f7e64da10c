//! Snapshots: one immutable signed set of models, embeddings and item table, loaded whole or not at all.
//!
//! A snapshot's id is the SHA-256 of its manifest's bytes, and the manifest holds the SHA-256 of every file, so an id
//! names all of it and nothing can be mixed across ids. Everything that can be wrong with one is found here, before a
//! request sees it, and told in one line: the file, what was expected, what was found, what to do.

pub mod embeddings;
pub mod items;
pub mod manifest;

use std::path::Path;
use std::sync::Arc;

use domicile_envelope::{Envelope, VerifyingKey, sha256_hex};

use crate::failure::{Exit, Failure, length, read, read_text};
use embeddings::Embeddings;
use items::{ItemIndex, ItemTable};
use manifest::{File, Manifest};

/// The manifest's file name.
pub const MANIFEST: &str = "manifest.dsse.json";
/// The manifest's payload type.
pub const PAYLOAD_TYPE: &str = "application/vnd.domicile.snapshot+json";

const REMEDY: &str = "publish the snapshot again, or point --snapshot at a whole one";

/// A loaded snapshot.
pub struct Snapshot {
    /// `sha256:` and the hash of the manifest's bytes.
    pub id: String,
    /// The manifest.
    pub manifest: Manifest,
    /// The item table.
    pub items: ItemTable,
    /// The item embeddings.
    pub embeddings: Arc<Embeddings>,
    /// The manifest's popular items, best first.
    pub popular: Vec<ItemIndex>,
    /// The models.
    pub models: Models,
}

/// The three models, as ONNX bytes.
pub struct Models {
    /// The query tower.
    pub tower: Vec<u8>,
    /// The full ranker.
    pub full: Vec<u8>,
    /// The compact ranker.
    pub compact: Vec<u8>,
}

/// Loads and checks the snapshot in `directory`, signed by one of `trusted`.
///
/// # Errors
/// [`Failure`] with the first thing that is wrong.
pub fn load(directory: &Path, trusted: &[VerifyingKey]) -> Result<Snapshot, Failure> {
    let path = directory.join(MANIFEST);
    let fail =
        |found: String| Failure::file(Exit::Snapshot, &path, "a signed snapshot manifest", &found, REMEDY);
    let envelope =
        Envelope::parse(&read_text(Exit::Snapshot, &path, REMEDY)?).map_err(|e| fail(e.to_string()))?;
    let payload = envelope.verify(PAYLOAD_TYPE, trusted).map_err(|e| fail(e.to_string()))?;
    let manifest = Manifest::parse(&payload).map_err(fail)?;

    let item_bytes = part(directory, &manifest.files.items)?;
    let items = ItemTable::parse(&item_bytes, manifest.items).map_err(|(expected, found)| {
        Failure::file(Exit::Snapshot, &directory.join(&manifest.files.items.path), &expected, &found, REMEDY)
    })?;
    let embedding_bytes = part(directory, &manifest.files.embeddings)?;
    let embeddings =
        Embeddings::parse(&embedding_bytes, manifest.items, manifest.dim).map_err(|(expected, found)| {
            Failure::file(
                Exit::Snapshot,
                &directory.join(&manifest.files.embeddings.path),
                &expected,
                &found,
                REMEDY,
            )
        })?;
    let popular = popular(&manifest, &items).map_err(fail)?;
    let models = Models {
        tower: part(directory, &manifest.files.tower)?,
        full: part(directory, &manifest.files.full)?,
        compact: part(directory, &manifest.files.compact)?,
    };
    Ok(Snapshot {
        id: content_id(&payload),
        manifest,
        items,
        embeddings: Arc::new(embeddings),
        popular,
        models,
    })
}

/// `sha256:` and the hash of `bytes` in hexadecimal.
pub fn content_id(bytes: &[u8]) -> String {
    format!("sha256:{}", sha256_hex(bytes))
}

/// One listed file, whole and unaltered.
fn part(directory: &Path, file: &File) -> Result<Vec<u8>, Failure> {
    let path = directory.join(&file.path);
    // Before it is read: what is listed fits the memory, what lies there may be anything.
    let size = length(Exit::Snapshot, &path, REMEDY)?;
    if size != file.bytes {
        let (expected, found) = (format!("{} bytes", file.bytes), format!("{size}"));
        return Err(Failure::file(Exit::Snapshot, &path, &expected, &found, REMEDY));
    }
    let bytes = read(Exit::Snapshot, &path, file.bytes, REMEDY)?;
    let found = sha256_hex(&bytes);
    let expected = file.sha256.trim_start_matches("sha256:");
    if found != expected {
        let expected = format!("sha256 {expected}");
        return Err(Failure::file(Exit::Snapshot, &path, &expected, &found, REMEDY));
    }
    Ok(bytes)
}

fn popular(manifest: &Manifest, items: &ItemTable) -> Result<Vec<ItemIndex>, String> {
    let resolve = |(at, id): (usize, &String)| {
        items.index_of(id).ok_or_else(|| format!("popular[{at}] is not in the item table"))
    };
    manifest.popular.iter().enumerate().map(resolve).collect()
}

#[cfg(test)]
mod tests;
