//! The artefact's bytes, and whose word they are taken on.

use std::net::SocketAddr;
use std::path::{Path, PathBuf};

use domicile_edge_manifest::{Manifest, ManifestError, sha256_hex};
use domicile_envelope::{KeyError, VerifyingKey, is_published};
use domicile_files::{ReadError, limit, read, read_text};

use crate::outbound::{Origin, is_loopback};
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
        /// What was found instead, and what to do.
        source: ReadError,
    },
    /// A file of `--manifest-key` is no public key.
    #[error("{}: {source}; give the public half of a key that the topology lists with use \"edge\"", path.display())]
    Key {
        /// The file.
        path: PathBuf,
        /// What is wrong with it.
        source: KeyError,
    },
    /// A key that everybody can sign with would vouch for an artefact that other machines reach.
    #[error("{}: its secret half is published with the demo; sign with a key of your own, or listen on loopback", path.display())]
    Published {
        /// The file.
        path: PathBuf,
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
    /// What its manifest says; an artefact without one says nothing.
    pub(crate) stated: Option<Stated>,
}

/// What a manifest says that is worth watching.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Stated {
    /// Seconds since 1970 when its lists are stale.
    pub(crate) lists_until: i64,
    /// When its route manifests end; none where it has none.
    pub(crate) routes_until: Option<i64>,
    /// Seconds since 1970 when it knows no pin any more.
    pub(crate) pins_until: i64,
    pub(crate) topology_serial: u64,
}

impl Stated {
    /// Whether lists or pins have ended.
    pub(crate) fn is_over(&self, now: i64) -> bool {
        self.lists_until.min(self.pins_until) <= now
    }
}

impl Artefact {
    /// Reads it, and its manifest where somebody has to vouch for it.
    pub(crate) fn read(settings: &Settings) -> Result<Self, StartError> {
        let path = &settings.artefact;
        let bytes = read(path, limit::ARTEFACT)
            .map_err(|source| StartError::Unreadable { path: path.clone(), source })?;
        let sha256 = sha256_hex(&bytes);
        let Trust::Keys(keys) = &settings.trust else {
            let about = About { sha256, stated: None };
            return Ok(Self { bytes, about, cells: settings.outbound.clone() });
        };
        let beside = path.with_extension("manifest.dsse.json");
        let keys = trusted(keys, settings.listen)?;
        let manifest = vouched(&bytes, &beside, &keys)?;
        let stated = Stated {
            lists_until: manifest.lists_not_after.as_second(),
            routes_until: manifest.routes_not_after.map(|until| until.as_second()),
            pins_until: i64::from(manifest.pins_until_minute) * 60,
            topology_serial: manifest.topology_serial,
        };
        let cells =
            if settings.outbound.is_empty() { cells(&manifest, &beside)? } else { settings.outbound.clone() };
        Ok(Self { bytes, about: About { sha256, stated: Some(stated) }, cells })
    }
}

/// The manifest, signed by one of these keys and of these bytes.
fn vouched(artefact: &[u8], path: &Path, keys: &[VerifyingKey]) -> Result<Manifest, TrustError> {
    let text =
        read(path, limit::TEXT).map_err(|source| TrustError::Unreadable { path: path.to_owned(), source })?;
    let refused = |source| TrustError::Manifest { path: path.to_owned(), source };
    let manifest = Manifest::open(&text, keys).map_err(refused)?;
    manifest.ensure_describes(artefact).map_err(refused)?;
    Ok(manifest)
}

fn trusted(paths: &[PathBuf], listen: SocketAddr) -> Result<Vec<VerifyingKey>, TrustError> {
    let key_of = |path: &PathBuf| {
        let text = read_text(path, limit::KEY)
            .map_err(|source| TrustError::Unreadable { path: path.clone(), source })?;
        let key =
            VerifyingKey::from_jwk(&text).map_err(|source| TrustError::Key { path: path.clone(), source })?;
        if is_published(key.id()) && !is_loopback(listen) {
            return Err(TrustError::Published { path: path.clone() });
        }
        Ok(key)
    };
    paths.iter().map(key_of).collect()
}

fn cells(manifest: &Manifest, path: &Path) -> Result<Vec<Origin>, TrustError> {
    let origin = |cell: &domicile_edge_manifest::CellOrigin| {
        let text = cell.to_string();
        text.parse().map_err(|_not_one| TrustError::Cell { path: path.to_owned(), cell: text })
    };
    manifest.cells.iter().map(origin).collect()
}
