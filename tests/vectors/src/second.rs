//! Sealing and opening written a second time, on HPKE's own crate and RFC 9458's text: what the vectors are made with,
//! so that they are not this implementation talking to itself.

use aes_gcm::aead::{Aead as _, KeyInit as _};
use aes_gcm::{Aes128Gcm, Nonce};
use domicile_seal::Kem as Named;
use hkdf::Hkdf;
use hpke::aead::AesGcm128;
use hpke::kdf::HkdfSha256;
use hpke::kem::{DhP256HkdfSha256, Kem, X25519HkdfSha256};
use hpke::rand_core::{TryCryptoRng, TryRng};
use hpke::{Deserializable as _, OpModeS, Serializable as _, setup_sender_with_rng};

/// A sealed request, and what its answer is sealed and opened with.
pub(crate) struct Sealed {
    pub(crate) request: Vec<u8>,
    /// The encapsulated key.
    enc: Vec<u8>,
    /// What both sides export under `message/bhttp response` (RFC 9458, section 4.4).
    pub(crate) secret: [u8; 16],
}

/// Seals `message` to the configuration `config` (RFC 9458, section 4.3).
pub(crate) fn seal(kem: Named, config: &[u8], message: &[u8]) -> Option<Sealed> {
    match kem {
        Named::X25519 => seal_with::<X25519HkdfSha256>(kem, config, message),
        Named::P256 => seal_with::<DhP256HkdfSha256>(kem, config, message),
    }
}

fn seal_with<K: Kem>(kem: Named, config: &[u8], message: &[u8]) -> Option<Sealed> {
    let (&id, rest) = config.split_first()?;
    let public = K::PublicKey::from_bytes(rest.get(2..2 + kem.public_bytes())?).ok()?;
    let mut header = vec![id];
    header.extend(kem.id().to_be_bytes());
    header.extend([0, 1, 0, 1]);
    let info = [b"message/bhttp request\0", &header[..]].concat();
    let (enc, mut context) =
        setup_sender_with_rng::<AesGcm128, HkdfSha256, K>(&OpModeS::Base, &public, &info, &mut Counting(1))
            .ok()?;
    let sealed = context.seal(message, b"").ok()?;
    let mut secret = [0; 16];
    context.export(b"message/bhttp response", &mut secret).ok()?;
    let enc = enc.to_bytes().to_vec();
    Some(Sealed { request: [&header[..], &enc, &sealed].concat(), enc, secret })
}

impl Sealed {
    /// Seals an answer with this nonce (RFC 9458, section 4.4).
    pub(crate) fn answer(&self, nonce: [u8; 16], message: &[u8]) -> Option<Vec<u8>> {
        let (cipher, iv) = cipher(&self.enc, &self.secret, &nonce)?;
        Some([&nonce[..], &cipher.encrypt(&Nonce::from(iv), message).ok()?].concat())
    }
}

/// Opens an answer to the request whose encapsulated key is `enc`.
pub(crate) fn open(enc: &[u8], secret: &[u8], answer: &[u8]) -> Option<Vec<u8>> {
    let (nonce, sealed) = answer.split_first_chunk::<16>()?;
    let (cipher, iv) = cipher(enc, secret, nonce)?;
    cipher.decrypt(&Nonce::from(iv), sealed).ok()
}

fn cipher(enc: &[u8], secret: &[u8], nonce: &[u8; 16]) -> Option<(Aes128Gcm, [u8; 12])> {
    let salt = [enc, &nonce[..]].concat();
    let expander = Hkdf::<sha2::Sha256>::new(Some(&salt), secret);
    let (mut key, mut iv) = ([0; 16], [0; 12]);
    expander.expand(b"key", &mut key).ok()?;
    expander.expand(b"nonce", &mut iv).ok()?;
    Some((Aes128Gcm::new(&key.into()), iv))
}

/// Bytes that are the same each time: these keys protect nothing.
struct Counting(u8);

impl TryRng for Counting {
    type Error = std::convert::Infallible;

    fn try_next_u32(&mut self) -> Result<u32, Self::Error> {
        let mut bytes = [0; 4];
        self.try_fill_bytes(&mut bytes)?;
        Ok(u32::from_le_bytes(bytes))
    }

    fn try_next_u64(&mut self) -> Result<u64, Self::Error> {
        let mut bytes = [0; 8];
        self.try_fill_bytes(&mut bytes)?;
        Ok(u64::from_le_bytes(bytes))
    }

    fn try_fill_bytes(&mut self, bytes: &mut [u8]) -> Result<(), Self::Error> {
        for byte in bytes {
            *byte = self.0;
            self.0 = self.0.wrapping_add(1);
        }
        Ok(())
    }
}

impl TryCryptoRng for Counting {}
