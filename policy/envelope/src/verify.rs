//! Whether a signature holds. A client verifies one with every answer, so where there is AWS-LC it is AWS-LC that does; a
//! component has no C and no assembly, and takes `p256`. Both take what FIPS 186-5 section 6.4.2 does.

use p256::ecdsa::VerifyingKey;

#[cfg(not(target_family = "wasm"))]
pub(crate) fn verifies(key: &VerifyingKey, message: &[u8], signature: &[u8; 64]) -> bool {
    use aws_lc_rs::signature::{ECDSA_P256_SHA256_FIXED, UnparsedPublicKey};
    UnparsedPublicKey::new(&ECDSA_P256_SHA256_FIXED, uncompressed(key)).verify(message, signature).is_ok()
}

#[cfg(target_family = "wasm")]
pub(crate) fn verifies(key: &VerifyingKey, message: &[u8], signature: &[u8; 64]) -> bool {
    portable(key, message, signature)
}

#[cfg(any(target_family = "wasm", test))]
fn portable(key: &VerifyingKey, message: &[u8], signature: &[u8; 64]) -> bool {
    use p256::ecdsa::signature::Verifier as _;
    p256::ecdsa::Signature::from_slice(signature).is_ok_and(|s| key.verify(message, &s).is_ok())
}

/// The point as 4 ‖ x ‖ y (SEC 1, section 2.3.3).
#[cfg(not(target_family = "wasm"))]
pub(crate) fn uncompressed(key: &VerifyingKey) -> [u8; 65] {
    let mut bytes = [0; 65];
    let point = key.to_sec1_point(false);
    // A public key is never the point at infinity, the one whose encoding is shorter.
    bytes.iter_mut().zip(point.as_bytes()).for_each(|(to, from)| *to = *from);
    bytes
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::SigningKey;

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(64))]

        #[test]
        fn both_ways_judge_alike(message in prop::collection::vec(any::<u8>(), 0..200), at in 0usize..64, flip: u8) {
            let key = SigningKey::generate();
            let mut signature = key.sign(&message);
            signature[at] ^= flip;
            let (secret, point) = key.halves();
            let public = VerifyingKey::from_sec1_bytes(&point).unwrap();
            let holds = verifies(&public, &message, &signature);
            prop_assert_eq!(holds, portable(&public, &message, &signature));
            prop_assert_eq!(holds, flip == 0);
            prop_assert_eq!(secret.len(), 32);
        }
    }

    #[test]
    fn numbers_out_of_range_are_no_signature_either_way() {
        let key = SigningKey::generate();
        let public = VerifyingKey::from_sec1_bytes(&key.halves().1).unwrap();
        let good = key.sign(b"domicile");
        // The order of the group (FIPS 186-5, SP 800-186 section 3.2.1.3), beyond which no r or s lies.
        for (from, with) in [(0, [0; 32]), (32, [0; 32]), (0, ORDER), (32, ORDER), (0, [255; 32])] {
            let mut bad = good;
            bad[from..from + 32].copy_from_slice(&with);
            assert!(!verifies(&public, b"domicile", &bad) && !portable(&public, b"domicile", &bad));
        }
    }

    const ORDER: [u8; 32] = [
        0xff, 0xff, 0xff, 0xff, 0, 0, 0, 0, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xbc, 0xe6, 0xfa,
        0xad, 0xa7, 0x17, 0x9e, 0x84, 0xf3, 0xb9, 0xca, 0xc2, 0xfc, 0x63, 0x25, 0x51,
    ];
}
