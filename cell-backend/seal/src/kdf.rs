//! HKDF-SHA256 (RFC 5869), and with the labels of HPKE (RFC 9180, section 4).

use aws_lc_rs::error::Unspecified;
use aws_lc_rs::hkdf::{HKDF_SHA256, KeyType, Prk};
use aws_lc_rs::hmac::{self, HMAC_SHA256};
use zeroize::Zeroizing;

/// Bytes of a hash, and of what is extracted (Nh).
pub(crate) const HASH: usize = 32;

const VERSION: &[u8] = b"HPKE-v1";

/// HKDF-Extract.
pub(crate) fn extract(salt: &[u8], of: &[&[u8]]) -> Zeroizing<[u8; HASH]> {
    let mut mac = hmac::Context::with_key(&hmac::Key::new(HMAC_SHA256, salt));
    of.iter().for_each(|part| mac.update(part));
    let mut prk = Zeroizing::new([0; HASH]);
    prk.iter_mut().zip(mac.sign().as_ref()).for_each(|(to, from)| *to = *from);
    prk
}

/// HKDF-Expand to as many bytes as `out` has.
///
/// # Errors
/// [`Unspecified`] beyond 255 hashes.
pub(crate) fn expand(prk: &[u8; HASH], info: &[&[u8]], out: &mut [u8]) -> Result<(), Unspecified> {
    Prk::new_less_safe(HKDF_SHA256, prk).expand(info, Length(out.len()))?.fill(out)
}

struct Length(usize);

impl KeyType for Length {
    fn len(&self) -> usize {
        self.0
    }
}

/// The labels of a KEM or of a suite.
#[derive(Clone)]
pub(crate) struct Labels {
    /// `suite_id`.
    suite: Box<[u8]>,
}

impl Labels {
    pub(crate) fn new(suite: &[&[u8]]) -> Self {
        Self { suite: suite.concat().into() }
    }

    /// `LabeledExtract`.
    pub(crate) fn extract(&self, salt: &[u8], label: &[u8], of: &[u8]) -> Zeroizing<[u8; HASH]> {
        extract(salt, &[VERSION, &self.suite, label, of])
    }

    /// `LabeledExpand` to as many bytes as `out` has.
    ///
    /// # Errors
    /// [`Unspecified`] beyond 255 hashes.
    pub(crate) fn expand(
        &self,
        prk: &[u8; HASH],
        label: &[u8],
        info: &[&[u8]],
        out: &mut [u8],
    ) -> Result<(), Unspecified> {
        let length = u16::try_from(out.len()).map_err(|_error| Unspecified)?.to_be_bytes();
        let parts: Vec<&[u8]> =
            [&length, VERSION, &self.suite, label].into_iter().chain(info.iter().copied()).collect();
        expand(prk, &parts, out)
    }
}
