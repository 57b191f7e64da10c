//! The artefact's bytes, and whose word they are taken on.

use std::fs;
use std::path::{Path, PathBuf};

use domicile_edge_manifest::{Manifest, ManifestError, sha256_hex};
use domicile_envelope::{KeyError, VerifyingKey};

use crate::outbound::Origin;
use crate::settings::{Settings, Trust};
use crate::start_error::StartError;

/// Why an artefact's manifest does not vouch for it.
#[derive(Debug, thiserror::Error)]
pub enum TrustError {
    /// A file cannot be read.
    #[error("{}: {source}", path.display())]
    Unreadable {
        /// The file.
        path: PathBuf,
        /// What the system said.
        source: std::io::Error,
    },
    /// A file of `--manifest-key` is no public key.
    #[error("{}: {source}", path.display())]
    Key {
        /// The file.
        path: PathBuf,
        /// What is wrong with it.
        source: KeyError,
    },
    /// The manifest is refused.
    #[error("{}: {source}", path.display())]
    Manifest {
        /// The manifest's file.
        path: PathBuf,
        /// What is wrong with it.
        source: ManifestError,
    },
    /// The manifest names a cell by what is no scheme, host and port.
    #[error("{}: cell {cell}: not host:port; build the edge anew", path.display())]
    Cell {
        /// The manifest's file.
        path: PathBuf,
        /// The cell.
        cell: String,
    },
}

/// An artefact that may be compiled.
pub(crate) struct Artefact {
    pub(crate) bytes: Vec<u8>,
    pub(crate) about: About,
    /// The cells it may reach.
    pub(crate) cells: Vec<Origin>,
}

/// What is known of an artefact.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct About {
    /// In lower-case hex.
    pub(crate) sha256: String,
    /// Seconds since 1970 when its lists and its pins end; an artefact without a manifest does not say.
    pub(crate) until: Option<[i64; 2]>,
}

impl Artefact {
    /// Reads it, and its manifest where somebody has to vouch for it.
    pub(crate) fn read(settings: &Settings) -> Result<Self, StartError> {
        let path = &settings.artefact;
        let bytes = fs::read(path).map_err(|source| StartError::Unreadable { path: path.clone(), source })?;
        let sha256 = sha256_hex(&bytes);
        let Trust::Keys(keys) = &settings.trust else {
            let about = About { sha256, until: None };
            return Ok(Self { bytes, about, cells: settings.outbound.clone() });
        };
        let beside = path.with_extension("manifest.dsse.json");
        let manifest = vouched(&bytes, &beside, keys)?;
        let until = [manifest.lists_not_after.as_second(), i64::from(manifest.pins_until_minute) * 60];
        let cells = if settings.outbound.is_empty() {
            stated(&manifest, &beside)?
        } else {
            settings.outbound.clone()
        };
        Ok(Self { bytes, about: About { sha256, until: Some(until) }, cells })
    }
}

/// The manifest, signed by one of these keys and of these bytes.
fn vouched(artefact: &[u8], path: &Path, keys: &[PathBuf]) -> Result<Manifest, TrustError> {
    let keys: Vec<_> = keys.iter().map(|key| trusted(key)).collect::<Result<_, _>>()?;
    let text = fs::read(path).map_err(|source| TrustError::Unreadable { path: path.to_owned(), source })?;
    let refused = |source| TrustError::Manifest { path: path.to_owned(), source };
    let manifest = Manifest::open(&text, &keys).map_err(refused)?;
    manifest.ensure_describes(artefact).map_err(refused)?;
    Ok(manifest)
}

fn trusted(path: &Path) -> Result<VerifyingKey, TrustError> {
    let text = fs::read_to_string(path)
        .map_err(|source| TrustError::Unreadable { path: path.to_owned(), source })?;
    VerifyingKey::from_jwk(&text).map_err(|source| TrustError::Key { path: path.to_owned(), source })
}

fn stated(manifest: &Manifest, path: &Path) -> Result<Vec<Origin>, TrustError> {
    let origin = |cell: &domicile_edge_manifest::CellOrigin| {
        let text = cell.to_string();
        text.parse().map_err(|_not_one| TrustError::Cell { path: path.to_owned(), cell: text })
    };
    manifest.cells.iter().map(origin).collect()
}
