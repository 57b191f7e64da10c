//! TLS for the direct API: rustls with ring, versions 1.2 and 1.3, and no connection without a client certificate.
//!
//! A caller is known by an authority of the operator's own, never by a public one. Files are read at the start.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use domicile_files::{ReadError, limit, read};
use tokio_rustls::rustls::crypto::ring;
use tokio_rustls::rustls::pki_types::pem::{self, PemObject};
use tokio_rustls::rustls::pki_types::{CertificateDer, PrivateKeyDer};
use tokio_rustls::rustls::server::{VerifierBuilderError, WebPkiClientVerifier};
use tokio_rustls::rustls::version::{TLS12, TLS13};
use tokio_rustls::rustls::{self, RootCertStore, ServerConfig, SupportedProtocolVersion};
use zeroize::Zeroizing;

use crate::config::Direct;

static VERSIONS: [&SupportedProtocolVersion; 2] = [&TLS13, &TLS12];

/// Why the direct API's certificates or key cannot be used.
#[derive(Debug, thiserror::Error)]
pub enum TlsError {
    /// A file cannot be read.
    #[error("{}: {source}", path.display())]
    Unreadable {
        /// The file.
        path: PathBuf,
        /// What was found instead, and what to do.
        source: ReadError,
    },
    /// A file holds no PEM.
    #[error("{}: {source}; give a PEM file", path.display())]
    Pem {
        /// The file.
        path: PathBuf,
        /// What is wrong with it.
        source: pem::Error,
    },
    /// A file holds no certificate.
    #[error("{}: no certificate in it; give a PEM file with one", path.display())]
    NoCertificate {
        /// The file.
        path: PathBuf,
    },
    /// Certificate and key cannot be used, or not together.
    #[error("{}: {source}; give a certificate with its chain, and the key that it was issued for", path.display())]
    Unusable {
        /// The certificates' file.
        path: PathBuf,
        /// What rustls says.
        source: rustls::Error,
    },
    /// A certificate is none of an authority.
    #[error("{}: {source}; give the certificates of those who sign the callers' certificates", path.display())]
    Authority {
        /// The authorities' file.
        path: PathBuf,
        /// What rustls says.
        source: rustls::Error,
    },
    /// No client certificate can be verified with the authorities there are.
    #[error("{}: {source}; give the certificates of those who sign the callers' certificates", path.display())]
    Authorities {
        /// The authorities' file.
        path: PathBuf,
        /// What rustls says.
        source: VerifierBuilderError,
    },
}

/// What callers of the direct API meet.
///
/// # Errors
/// [`TlsError`].
pub fn server(direct: &Direct) -> Result<Arc<ServerConfig>, TlsError> {
    let provider = Arc::new(ring::default_provider());
    let path = &direct.client_ca;
    let mut roots = RootCertStore::empty();
    for certificate in certificates(path)? {
        roots.add(certificate).map_err(|source| TlsError::Authority { path: path.clone(), source })?;
    }
    let callers = WebPkiClientVerifier::builder_with_provider(Arc::new(roots), Arc::clone(&provider))
        .build()
        .map_err(|source| TlsError::Authorities { path: path.clone(), source })?;
    let unusable = |source| TlsError::Unusable { path: direct.certificate.clone(), source };
    let mut config = ServerConfig::builder_with_provider(provider)
        .with_protocol_versions(&VERSIONS)
        .map_err(unusable)?
        .with_client_cert_verifier(callers)
        .with_single_cert(certificates(&direct.certificate)?, key(&direct.key)?)
        .map_err(unusable)?;
    config.alpn_protocols = vec![b"http/1.1".to_vec()];
    Ok(Arc::new(config))
}

fn certificates(path: &Path) -> Result<Vec<CertificateDer<'static>>, TlsError> {
    let failed = |source| TlsError::Pem { path: path.to_owned(), source };
    let pem = bytes(path, limit::CERTIFICATES)?;
    let found = CertificateDer::pem_slice_iter(&pem).collect::<Result<Vec<_>, _>>().map_err(failed)?;
    if found.is_empty() { Err(TlsError::NoCertificate { path: path.to_owned() }) } else { Ok(found) }
}

fn key(path: &Path) -> Result<PrivateKeyDer<'static>, TlsError> {
    let pem = bytes(path, limit::KEY).map(Zeroizing::new)?;
    PrivateKeyDer::from_pem_slice(&pem).map_err(|source| TlsError::Pem { path: path.to_owned(), source })
}

fn bytes(path: &Path, most: u64) -> Result<Vec<u8>, TlsError> {
    read(path, most).map_err(|source| TlsError::Unreadable { path: path.to_owned(), source })
}
