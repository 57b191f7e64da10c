//! The two algorithms, as `jsonwebtoken` wants them.

use std::sync::Once;

use aws_lc_rs::signature::{ECDSA_P256_SHA256_FIXED, UnparsedPublicKey};
use jsonwebtoken::crypto::{CryptoProvider, JwtSigner, JwtVerifier, KeyUtils};
use jsonwebtoken::errors::{Error, ErrorKind};
use jsonwebtoken::{Algorithm, DecodingKey, EncodingKey};
use p256::ecdsa::signature::{Error as SignatureError, Signer, Verifier};

static PROVIDER: CryptoProvider = CryptoProvider {
    signer_factory: signer,
    verifier_factory: verifier,
    // Key sets are read by `keyset`, and nothing here asks the crate for a thumbprint.
    key_utils: KeyUtils::new_unimplemented(),
};

/// Makes the crate use these two. Once for a process; who is second finds the same.
pub(crate) fn install() {
    static ONCE: Once = Once::new();
    ONCE.call_once(|| {
        let _ = PROVIDER.install_default();
    });
}

fn verifier(algorithm: &Algorithm, key: &DecodingKey) -> Result<Box<dyn JwtVerifier>, Error> {
    match algorithm {
        Algorithm::ES256 => {
            // `keyset` has seen to it that the bytes are a point.
            let point = key.try_get_as_bytes()?.to_vec();
            Ok(Box::new(Es256(UnparsedPublicKey::new(&ECDSA_P256_SHA256_FIXED, point))))
        }
        Algorithm::EdDSA => {
            let bytes = key.try_get_as_bytes()?.try_into().map_err(|_error| ErrorKind::InvalidEddsaKey)?;
            let key = ed25519_dalek::VerifyingKey::from_bytes(bytes);
            Ok(Box::new(Ed25519(key.map_err(|_error| ErrorKind::InvalidEddsaKey)?)))
        }
        _ => Err(ErrorKind::InvalidAlgorithm.into()),
    }
}

/// The bytes of an encoding key are the secret scalar or seed itself, as `mint` puts them there.
fn signer(algorithm: &Algorithm, key: &EncodingKey) -> Result<Box<dyn JwtSigner>, Error> {
    match algorithm {
        Algorithm::ES256 => {
            let key = p256::ecdsa::SigningKey::from_slice(key.as_bytes());
            Ok(Box::new(Es256Signer(key.map_err(|_error| ErrorKind::InvalidEcdsaKey)?)))
        }
        Algorithm::EdDSA => {
            let seed = key.as_bytes().try_into().map_err(|_error| ErrorKind::InvalidEddsaKey)?;
            Ok(Box::new(Ed25519Signer(ed25519_dalek::SigningKey::from_bytes(seed))))
        }
        _ => Err(ErrorKind::InvalidAlgorithm.into()),
    }
}

/// By AWS-LC: several times as fast as `p256`, and a token is verified with every request.
struct Es256(UnparsedPublicKey<Vec<u8>>);

impl Verifier<Vec<u8>> for Es256 {
    fn verify(&self, message: &[u8], signature: &Vec<u8>) -> Result<(), SignatureError> {
        self.0.verify(message, signature).map_err(|_unspecified| SignatureError::new())
    }
}

impl JwtVerifier for Es256 {
    fn algorithm(&self) -> Algorithm {
        Algorithm::ES256
    }
}

struct Es256Signer(p256::ecdsa::SigningKey);

impl Signer<Vec<u8>> for Es256Signer {
    fn try_sign(&self, message: &[u8]) -> Result<Vec<u8>, SignatureError> {
        let signature: p256::ecdsa::Signature = self.0.try_sign(message)?;
        Ok(signature.to_vec())
    }
}

impl JwtSigner for Es256Signer {
    fn algorithm(&self) -> Algorithm {
        Algorithm::ES256
    }
}

struct Ed25519(ed25519_dalek::VerifyingKey);

impl Verifier<Vec<u8>> for Ed25519 {
    fn verify(&self, message: &[u8], signature: &Vec<u8>) -> Result<(), SignatureError> {
        // Strict: no key of small order, one encoding of a signature (RFC 8032, section 8.4).
        self.0.verify_strict(message, &ed25519_dalek::Signature::from_slice(signature)?)
    }
}

impl JwtVerifier for Ed25519 {
    fn algorithm(&self) -> Algorithm {
        Algorithm::EdDSA
    }
}

struct Ed25519Signer(ed25519_dalek::SigningKey);

impl Signer<Vec<u8>> for Ed25519Signer {
    fn try_sign(&self, message: &[u8]) -> Result<Vec<u8>, SignatureError> {
        Ok(self.0.try_sign(message)?.to_vec())
    }
}

impl JwtSigner for Ed25519Signer {
    fn algorithm(&self) -> Algorithm {
        Algorithm::EdDSA
    }
}
