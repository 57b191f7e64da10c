//! TLS, both ways: rustls with ring, versions 1.2 and 1.3, certificates from PEM files.
//!
//! Towards shoppers it is one certificate, HTTP/2 or HTTP/1.1 by ALPN. Towards cells it is mutual: a cell is known by
//! an authority of the operator's own, never by a public one, and this host shows a certificate where it has one.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use domicile_files::{ReadError, limit, read};
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
    #[error("{}: {source}; give the certificates of those who sign the cells' certificates", path.display())]
    Authority {
        /// The certificates' file.
        path: PathBuf,
        /// What rustls says.
        source: rustls::Error,
    },
    /// The library has none of the versions meant: a fault of the build.
    #[error("{0}; use another build of this host")]
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
        roots.add(certificate).map_err(|source| TlsError::Authority { path: authorities.clone(), source })?;
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
    let pem = bytes(path, limit::CERTIFICATES)?;
    let found = CertificateDer::pem_slice_iter(&pem).collect::<Result<Vec<_>, _>>().map_err(failed)?;
    if found.is_empty() { Err(TlsError::NoCertificate { path: path.to_owned() }) } else { Ok(found) }
}

fn key(path: &Path) -> Result<PrivateKeyDer<'static>, TlsError> {
    PrivateKeyDer::from_pem_slice(&bytes(path, limit::KEY)?)
        .map_err(|source| TlsError::Pem { path: path.to_owned(), source })
}

fn bytes(path: &Path, most: u64) -> Result<Vec<u8>, TlsError> {
    read(path, most).map_err(|source| TlsError::Unreadable { path: path.to_owned(), source })
}

#[cfg(test)]
mod tests {
    use std::path::PathBuf;

    use super::server;
    use crate::settings::Identity;

    /// Returns at all: nobody writes to the pipe.
    #[test]
    fn what_is_no_file_of_certificates_is_refused_with_its_remedy() {
        let folder = std::env::temp_dir().join(format!("domicile-edge-tls-{}", std::process::id()));
        std::fs::create_dir_all(&folder).unwrap();
        let (pipe, text) = (folder.join("pipe"), folder.join("text"));
        // Left by a run of this number that was cut off.
        let _ = std::fs::remove_file(&pipe);
        assert!(std::process::Command::new("mkfifo").arg(&pipe).status().unwrap().success());
        std::fs::write(&text, "no PEM").unwrap();
        let refusal = |certificates: PathBuf| {
            server(&Identity { certificates, key: pipe.clone() }).unwrap_err().to_string()
        };
        let of_pipe = refusal(pipe.clone());
        assert!(of_pipe.ends_with("pipe: a pipe, no regular file; put the file itself there"), "{of_pipe}");
        let of_text = refusal(text.clone());
        assert!(of_text.ends_with("text: no certificate in it; give a PEM file with one"), "{of_text}");
        let of_none = refusal(folder.join("none"));
        assert!(of_none.ends_with("name a file that is there"), "{of_none}");
        std::fs::remove_dir_all(folder).unwrap();
    }
}
