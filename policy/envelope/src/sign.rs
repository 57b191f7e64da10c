//! Who can sign: a key, deterministically; or a key made ready for many signatures.

use crate::{KeyId, SigningKey};

/// Signs, under a key's name.
pub trait Sign {
    /// The key's fingerprint.
    fn id(&self) -> KeyId;

    /// ECDSA P-256 over the SHA-256 of `message`: r ‖ s, 64 bytes.
    fn sign(&self, message: &[u8]) -> [u8; 64];
}

impl Sign for SigningKey {
    fn id(&self) -> KeyId {
        self.verifying_key().id()
    }

    fn sign(&self, message: &[u8]) -> [u8; 64] {
        Self::sign(self, message)
    }
}

#[cfg(not(target_family = "wasm"))]
pub use randomized::RandomizedSigner;

#[cfg(not(target_family = "wasm"))]
mod randomized {
    use std::fmt;

    use aws_lc_rs::rand::SystemRandom;
    use aws_lc_rs::signature::{ECDSA_P256_SHA256_FIXED_SIGNING, EcdsaKeyPair};

    use super::Sign;
    use crate::{KeyId, SigningKey};

    /// A key made ready for many signatures, each another one even over the same message (FIPS 186-5, section 6.4.1).
    ///
    /// A cell signs a receipt for every answer: there the time of a signature counts, and nobody needs two runs to give
    /// the same bytes. What has to, pins and documents, is signed by [`SigningKey`] itself.
    pub struct RandomizedSigner {
        // `None` and a failing generator both leave the deterministic way, which is as good and slower.
        ready: Option<EcdsaKeyPair>,
        random: SystemRandom,
        key: SigningKey,
        id: KeyId,
    }

    impl RandomizedSigner {
        /// Makes `key` ready.
        #[must_use]
        pub fn new(key: SigningKey) -> Self {
            let (random, id) = (SystemRandom::new(), key.verifying_key().id());
            let (secret, public) = key.halves();
            let algorithm = &ECDSA_P256_SHA256_FIXED_SIGNING;
            let ready = EcdsaKeyPair::from_private_key_and_public_key(algorithm, &secret[..], &public).ok();
            Self { ready, random, key, id }
        }

        /// The public half.
        #[must_use]
        pub fn verifying_key(&self) -> crate::VerifyingKey {
            self.key.verifying_key()
        }
    }

    impl Sign for RandomizedSigner {
        fn id(&self) -> KeyId {
            self.id
        }

        fn sign(&self, message: &[u8]) -> [u8; 64] {
            let signed = self.ready.as_ref().and_then(|ready| ready.sign(&self.random, message).ok());
            signed.and_then(|s| s.as_ref().try_into().ok()).unwrap_or_else(|| self.key.sign(message))
        }
    }

    impl fmt::Debug for RandomizedSigner {
        fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
            write!(f, "RandomizedSigner({}, secret)", self.id)
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_key_made_ready_signs_as_the_key_and_never_twice_alike() {
        let key = SigningKey::generate();
        let ready = RandomizedSigner::new(key.clone());
        let (one, two) = (ready.sign(b"domicile"), ready.sign(b"domicile"));
        assert_ne!(one, two);
        assert!(
            key.verifying_key().verifies(b"domicile", &one)
                && key.verifying_key().verifies(b"domicile", &two)
        );
        assert!(!key.verifying_key().verifies(b"domicilf", &one));
        assert_eq!((ready.id(), ready.verifying_key()), (key.verifying_key().id(), key.verifying_key()));
        assert_eq!(format!("{ready:?}"), format!("RandomizedSigner({}, secret)", ready.id()));
    }
}
