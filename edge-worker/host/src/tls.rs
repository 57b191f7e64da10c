//! TLS, both ways (`tls/` has what a cell shares).
//!
//! Towards shoppers it is one certificate, HTTP/2 or HTTP/1.1 by ALPN. Towards cells it is mutual: a cell is known by
//! an authority of the operator's own, never by a public one, and this host shows a certificate where it has one.

use std::sync::Arc;

use domicile_tls::{HTTP2, HTTP11, TlsError, VERSIONS, authorities, certificates, key, provider};
use tokio_rustls::rustls::{ClientConfig, ServerConfig};

use crate::settings::{CellTls, Identity};

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
    let Some(file) = &cells.authorities else { return Ok(None) };
    let roots = authorities(file)?;
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
