//! What every TLS listener and client of the project shares: rustls with AWS-LC, versions 1.2 and 1.3, certificates, keys
//! and authorities from PEM files (RFC 7468), and why one of them cannot be used.
//!
//! Edge and cell know each other by an authority of the operator's own, never by a public one, so there are no public
//! roots here. Files are read without waiting and up to a limit (`files/`).

use std::path::{Path, PathBuf};
use std::sync::Arc;

use domicile_files::{ReadError, limit, read};
use tokio_rustls::rustls::crypto::{CryptoProvider, aws_lc_rs};
use tokio_rustls::rustls::pki_types::pem::{self, PemObject};
use tokio_rustls::rustls::pki_types::{CertificateDer, PrivateKeyDer};
use tokio_rustls::rustls::version::{TLS12, TLS13};
use tokio_rustls::rustls::{self, RootCertStore, SupportedProtocolVersion};
use zeroize::Zeroizing;

/// The versions spoken, the preferred one first.
pub static VERSIONS: [&SupportedProtocolVersion; 2] = [&TLS13, &TLS12];
/// HTTP/2's name in ALPN (RFC 9113, section 3.1).
pub const HTTP2: &[u8] = b"h2";
/// HTTP/1.1's name in ALPN (RFC 7301, section 6).
pub const HTTP11: &[u8] = b"http/1.1";

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
    #[error("{}: {source}; give the certificates of those who sign the other side's", path.display())]
    Authority {
        /// The authorities' file.
        path: PathBuf,
        /// What rustls says.
        source: rustls::Error,
    },
    /// The library has none of the versions meant: a fault of the build.
    #[error("{0}; use another build of this program")]
    Engine(rustls::Error),
}

/// The cryptography.
#[must_use]
pub fn provider() -> Arc<CryptoProvider> {
    Arc::new(aws_lc_rs::default_provider())
}

/// A certificate with its chain; at least one.
///
/// # Errors
/// [`TlsError`], naming the file.
pub fn certificates(path: &Path) -> Result<Vec<CertificateDer<'static>>, TlsError> {
    let failed = |source| TlsError::Pem { path: path.to_owned(), source };
    let pem = bytes(path, limit::CERTIFICATES)?;
    let found = CertificateDer::pem_slice_iter(&pem).collect::<Result<Vec<_>, _>>().map_err(failed)?;
    if found.is_empty() { Err(TlsError::NoCertificate { path: path.to_owned() }) } else { Ok(found) }
}

/// A private key.
///
/// # Errors
/// [`TlsError`], naming the file.
pub fn key(path: &Path) -> Result<PrivateKeyDer<'static>, TlsError> {
    let pem = bytes(path, limit::KEY).map(Zeroizing::new)?;
    PrivateKeyDer::from_pem_slice(&pem).map_err(|source| TlsError::Pem { path: path.to_owned(), source })
}

/// The authorities that the other side's certificates are signed by.
///
/// # Errors
/// [`TlsError`], naming the file.
pub fn authorities(path: &Path) -> Result<RootCertStore, TlsError> {
    let mut roots = RootCertStore::empty();
    for certificate in certificates(path)? {
        roots.add(certificate).map_err(|source| TlsError::Authority { path: path.to_owned(), source })?;
    }
    Ok(roots)
}

fn bytes(path: &Path, most: u64) -> Result<Vec<u8>, TlsError> {
    read(path, most).map_err(|source| TlsError::Unreadable { path: path.to_owned(), source })
}

#[cfg(test)]
mod tests {
    use std::path::Path;

    use super::{authorities, certificates, key};

    /// Returns at all: nobody writes to the pipe.
    #[test]
    fn what_is_no_pem_file_is_refused_with_its_remedy() {
        let folder = tempfile::tempdir().unwrap();
        let at = |name: &str| folder.path().join(name);
        assert!(std::process::Command::new("mkfifo").arg(at("pipe")).status().unwrap().success());
        std::fs::write(at("text"), "no PEM").unwrap();
        let refusal = |path: &Path| certificates(path).unwrap_err().to_string();
        let of_pipe = refusal(&at("pipe"));
        assert!(of_pipe.ends_with("pipe: a pipe, no regular file; put the file itself there"), "{of_pipe}");
        let of_text = refusal(&at("text"));
        assert!(of_text.ends_with("text: no certificate in it; give a PEM file with one"), "{of_text}");
        assert_eq!(authorities(&at("text")).unwrap_err().to_string(), of_text);
        let of_none = refusal(&at("none"));
        assert!(of_none.ends_with("name a file that is there"), "{of_none}");
        let of_key = key(&at("text")).unwrap_err().to_string();
        assert!(of_key.ends_with("; give a PEM file"), "{of_key}");
    }
}
