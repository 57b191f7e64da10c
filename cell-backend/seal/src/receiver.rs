//! The receiving half of HPKE in base mode (RFC 9180), for the suites of [`crate::Kem`].
//!
//! A cell opens a request for every shelf, and opening decides what noise costs it too. With the HPKE below the `ohttp`
//! crate that is 0.17 ms with X25519 and 0.69 ms with P-256, most of it in the curve, a third of it for a public key
//! that does not change; the bar is 0.3 ms (decision 0014). So the curves, HMAC and AES-GCM are AWS-LC's here, and what
//! depends on the key alone is computed once. Only the RFC's labels are ours: no arithmetic is.
//!
//! A client seals with the `ohttp` crate and its HPKE, so that whatever opens here was sealed by another implementation.

use aws_lc_rs::aead::{AES_128_GCM, Aad, LessSafeKey, Nonce, UnboundKey};
use aws_lc_rs::agreement::{self, Algorithm, PrivateKey, UnparsedPublicKey};
use aws_lc_rs::error::Unspecified;
use zeroize::Zeroizing;

use crate::kdf::{HASH, Labels};
use crate::suite::{AEAD_ID, KDF_ID, KEY, Kem, NONCE};

/// How an uncompressed point begins (SEC 1, section 2.3.3).
const UNCOMPRESSED: u8 = 4;

/// A private key, ready to open.
pub(crate) struct Receiver {
    kem: Kem,
    private: PrivateKey,
    public: Vec<u8>,
    of_kem: Labels,
    of_suite: Labels,
}

/// What sender and receiver share (section 5.1), for one message.
pub(crate) struct Context {
    key: Zeroizing<[u8; KEY]>,
    /// The nonce of the first message is the base nonce itself.
    nonce: [u8; NONCE],
    exporter: Exporter,
}

/// What sender and receiver share once a request was opened; of its secrets only the exporter's is still needed.
pub(crate) struct Exporter {
    labels: Labels,
    secret: Zeroizing<[u8; HASH]>,
}

impl Receiver {
    /// The key pair that a seed stands for (`DeriveKeyPair`, section 7.1.3). None when there is none, which for P-256
    /// has a probability below 2⁻³².
    pub(crate) fn derive(kem: Kem, seed: &[u8]) -> Option<Self> {
        let of_kem = Labels::new(&[b"KEM", &kem.id().to_be_bytes()]);
        let prk = of_kem.extract(&[], b"dkp_prk", seed);
        let candidate = |label: &[u8], info: &[u8]| {
            let mut secret = Zeroizing::new([0; HASH]);
            of_kem.expand(&prk, label, &[info], secret.as_mut_slice()).ok()?;
            PrivateKey::from_private_key(curve(kem), secret.as_slice()).ok()
        };
        let private = match kem {
            Kem::X25519 => candidate(b"sk", &[])?,
            // The first candidate below the order of the group is it; the bit mask of P-256 leaves all bits.
            Kem::P256 => (0..=u8::MAX).find_map(|counter| candidate(b"candidate", &[counter]))?,
        };
        Self::of(kem, private)
    }

    fn of(kem: Kem, private: PrivateKey) -> Option<Self> {
        let public = private.compute_public_key().ok()?.as_ref().to_vec();
        let [id, kdf, aead] = [kem.id(), KDF_ID, AEAD_ID].map(u16::to_be_bytes);
        let of_kem = Labels::new(&[b"KEM", &id]);
        Some(Self { kem, private, public, of_kem, of_suite: Labels::new(&[b"HPKE", &id, &kdf, &aead]) })
    }

    pub(crate) const fn kem(&self) -> Kem {
        self.kem
    }

    /// The public key (`SerializePublicKey`, section 7.1.1).
    pub(crate) fn public(&self) -> &[u8] {
        &self.public
    }

    /// What the key schedule says of `info` (`key_schedule_context`, section 5.1): the same for every request to a key.
    pub(crate) fn context(&self, info: &[u8]) -> Vec<u8> {
        const BASE_MODE: u8 = 0;
        let id = self.of_suite.extract(&[], b"psk_id_hash", &[]);
        let info = self.of_suite.extract(&[], b"info_hash", info);
        [&[BASE_MODE], id.as_slice(), info.as_slice()].concat()
    }

    /// `SetupBaseR` (section 5.1.1).
    ///
    /// # Errors
    /// [`Unspecified`]: `enc` is no public key.
    pub(crate) fn setup(&self, enc: &[u8], context: &[u8]) -> Result<Context, Unspecified> {
        let shared = self.decapsulate(enc)?;
        let secret = self.of_suite.extract(shared.as_slice(), b"secret", &[]);
        let expand = |label: &[u8], out: &mut [u8]| self.of_suite.expand(&secret, label, &[context], out);
        let (mut key, mut nonce) = (Zeroizing::new([0; KEY]), [0; NONCE]);
        let mut exporter = Zeroizing::new([0; HASH]);
        expand(b"key", key.as_mut_slice())?;
        expand(b"base_nonce", &mut nonce)?;
        expand(b"exp", exporter.as_mut_slice())?;
        Ok(Context { key, nonce, exporter: Exporter { labels: self.of_suite.clone(), secret: exporter } })
    }

    /// `Decap` (section 4.1).
    fn decapsulate(&self, enc: &[u8]) -> Result<Zeroizing<[u8; HASH]>, Unspecified> {
        // AWS-LC takes the hybrid form of a point too; HPKE has the uncompressed one alone (section 7.1.1).
        if self.kem == Kem::P256 && enc.first() != Some(&UNCOMPRESSED) {
            return Err(Unspecified);
        }
        let peer = UnparsedPublicKey::new(curve(self.kem), enc);
        agreement::agree(&self.private, peer, Unspecified, |shared| {
            let prk = self.of_kem.extract(&[], b"eae_prk", shared);
            let mut secret = Zeroizing::new([0; HASH]);
            self.of_kem.expand(&prk, b"shared_secret", &[enc, &self.public], secret.as_mut_slice())?;
            Ok(secret)
        })
    }
}

impl std::fmt::Debug for Receiver {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "Receiver({}, secret)", self.kem)
    }
}

impl Context {
    /// Opens the first and only message (section 5.2) in its place: the bytes that are left are the plain text.
    ///
    /// # Errors
    /// [`Unspecified`]: it was altered, or sealed to another key.
    pub(crate) fn open(self, message: &mut Vec<u8>) -> Result<Exporter, Unspecified> {
        let key = LessSafeKey::new(UnboundKey::new(&AES_128_GCM, self.key.as_slice())?);
        let length =
            key.open_in_place(Nonce::assume_unique_for_key(self.nonce), Aad::empty(), message)?.len();
        message.truncate(length);
        Ok(self.exporter)
    }
}

impl Exporter {
    /// `Export` (section 5.3) of as many bytes as `out` has.
    ///
    /// # Errors
    /// [`Unspecified`] beyond 8,160 bytes.
    pub(crate) fn export(&self, context: &[u8], out: &mut [u8]) -> Result<(), Unspecified> {
        self.labels.expand(&self.secret, b"sec", &[context], out)
    }
}

fn curve(kem: Kem) -> &'static Algorithm {
    match kem {
        Kem::X25519 => &agreement::X25519,
        Kem::P256 => &agreement::ECDH_P256,
    }
}

#[cfg(test)]
pub(crate) mod tests;
