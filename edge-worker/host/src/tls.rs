//! TLS, both ways: rustls with ring, versions 1.2 and 1.3, certificates from PEM files.
//!
//! Towards shoppers it is one certificate, HTTP/2 or HTTP/1.1 by ALPN. Towards cells it is mutual: a cell is known by
//! an authority of the operator's own, never by a public one, and this host shows a certificate where it has one.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use tokio_rustls::rustls::crypto::{CryptoProvider, ring};
use tokio_rustls::rustls::pki_types::pem::{self, PemObject};
use tokio_rustls::rustls::pki_types::{CertificateDer, PrivateKeyDer};
use tokio_rustls::rustls::version::{TLS12, TLS13};
use tokio_rustls::rustls::{self, ClientConfig, RootCertStore, ServerConfig, SupportedProtocolVersion};

use crate::settings::{CellTls, Identity};

/// HTTP/2's name in ALPN (RFC 9113 §3.1).
pub(crate) const HTTP2: &[u8] = b"h2";
const HTTP11: &[u8] = b"http/1.1";

static VERSIONS: [&SupportedProtocolVersion; 2] = [&TLS13, &TLS12];

/// Why certificates or keys cannot be used.
#[derive(Debug, thiserror::Error)]
pub enum TlsError {
    /// A file cannot be read, or holds no PEM.
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
    #[error("{}: {source}", path.display())]
    Unusable {
        /// The certificates' file.
        path: PathBuf,
        /// What rustls says.
        source: rustls::Error,
    },
    /// No client certificate or cell can be verified with what there is.
    #[error("tls: {0}")]
    Engine(rustls::Error),
}

/// What shoppers get to see.
pub(crate) fn server(identity: &Identity) -> Result<Arc<ServerConfig>, TlsError> {
    let builder = ServerConfig::builder_with_provider(provider())
        .with_protocol_versions(&VERSIONS)
        .map_err(TlsError::Engine)?
        .with_no_client_auth();
    let mut config = builder
        .with_single_cert(certificates(&identity.certificates)?, key(&identity.key)?)
        .map_err(|source| TlsError::Unusable { path: identity.certificates.clone(), source })?;
    config.alpn_protocols = vec![HTTP2.to_vec(), HTTP11.to_vec()];
    Ok(Arc::new(config))
}

/// How cells are spoken to; `None` where no authority is given, and so no https cell can be.
pub(crate) fn client(cells: &CellTls) -> Result<Option<Arc<ClientConfig>>, TlsError> {
    let Some(authorities) = &cells.authorities else { return Ok(None) };
    let mut roots = RootCertStore::empty();
    for certificate in certificates(authorities)? {
        roots.add(certificate).map_err(|source| TlsError::Unusable { path: authorities.clone(), source })?;
    }
    let builder = ClientConfig::builder_with_provider(provider())
        .with_protocol_versions(&VERSIONS)
        .map_err(TlsError::Engine)?
        .with_root_certificates(roots);
    let mut config = match &cells.identity {
        None => builder.with_no_client_auth(),
        Some(identity) => builder
            .with_client_auth_cert(certificates(&identity.certificates)?, key(&identity.key)?)
            .map_err(|source| TlsError::Unusable { path: identity.certificates.clone(), source })?,
    };
    config.alpn_protocols = vec![HTTP11.to_vec()];
    Ok(Some(Arc::new(config)))
}

fn provider() -> Arc<CryptoProvider> {
    Arc::new(ring::default_provider())
}

fn certificates(path: &Path) -> Result<Vec<CertificateDer<'static>>, TlsError> {
    let failed = |source| TlsError::Pem { path: path.to_owned(), source };
    let read: Result<Vec<_>, _> = CertificateDer::pem_file_iter(path).map_err(failed)?.collect();
    let read = read.map_err(failed)?;
    if read.is_empty() { Err(TlsError::NoCertificate { path: path.to_owned() }) } else { Ok(read) }
}

fn key(path: &Path) -> Result<PrivateKeyDer<'static>, TlsError> {
    PrivateKeyDer::from_pem_file(path).map_err(|source| TlsError::Pem { path: path.to_owned(), source })
}
