//! TLS for the direct API: no connection without a client certificate (`tls/` has what the edge's host shares).
//!
//! A caller is known by an authority of the operator's own, never by a public one. Files are read at the start.

use std::path::PathBuf;
use std::sync::Arc;

use domicile_tls::{HTTP11, VERSIONS, authorities, certificates, key, provider};
use tokio_rustls::rustls::ServerConfig;
use tokio_rustls::rustls::server::{VerifierBuilderError, WebPkiClientVerifier};

use crate::config::Direct;

/// Why the direct API's certificates or key cannot be used.
#[derive(Debug, thiserror::Error)]
pub enum TlsError {
    /// A file is not what it should be.
    #[error(transparent)]
    File(#[from] domicile_tls::TlsError),
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
    let provider = provider();
    let path = &direct.client_ca;
    let roots = authorities(path)?;
    let callers = WebPkiClientVerifier::builder_with_provider(Arc::new(roots), Arc::clone(&provider))
        .build()
        .map_err(|source| TlsError::Authorities { path: path.clone(), source })?;
    let unusable = |source| domicile_tls::TlsError::Unusable { path: direct.certificate.clone(), source };
    let mut config = ServerConfig::builder_with_provider(provider)
        .with_protocol_versions(&VERSIONS)
        .map_err(domicile_tls::TlsError::Engine)?
        .with_client_cert_verifier(callers)
        .with_single_cert(certificates(&direct.certificate)?, key(&direct.key)?)
        .map_err(unusable)?;
    config.alpn_protocols = vec![HTTP11.to_vec()];
    Ok(Arc::new(config))
}
