//! Tokens whose signature held under a key set.
//!
//! A page uses one token for every call of a quarter of an hour, and a signature holds as well the second time: what a
//! verification found is kept and not found again. Only that: time, class, cells and all else a token says is judged
//! with every request. It belongs to one key set and goes with it, so a key that is taken out takes its tokens along.
//!
//! Bounded, in two generations: a token that is used stays, one that is not is gone after at most twice [`EACH`] others.
//! Kept by the token's SHA-256, so that no token lies here.

use std::collections::HashMap;
use std::sync::{Mutex, PoisonError};

use domicile_jwt::KeySet;
use domicile_token::{Claims, TokenRefusal};
use sha2::{Digest as _, Sha256};

/// Tokens of a generation; a few hundred bytes each.
const EACH: usize = 4_096;

type Generation = HashMap<[u8; 32], Claims>;

/// A key set and what it has verified.
pub(super) struct Met {
    keys: KeySet,
    most: usize,
    generations: Mutex<(Generation, Generation)>,
}

impl Met {
    pub(super) fn new(keys: KeySet) -> Self {
        Self { keys, most: EACH, generations: Mutex::default() }
    }

    /// The claims of a token that a key of the set has signed.
    pub(super) fn claims(&self, token: &str) -> Result<Claims, TokenRefusal> {
        let name: [u8; 32] = Sha256::digest(token).into();
        if let Some(claims) = self.recall(&name) {
            return Ok(claims);
        }
        // Outside of the lock: nobody waits for somebody else's signature.
        let claims = self.keys.verify(token)?;
        self.keep(name, claims.clone());
        Ok(claims)
    }

    fn recall(&self, name: &[u8; 32]) -> Option<Claims> {
        let mut generations = self.generations.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(claims) = generations.0.get(name) {
            return Some(claims.clone());
        }
        let claims = generations.1.remove(name)?;
        drop(generations);
        self.keep(*name, claims.clone());
        Some(claims)
    }

    fn keep(&self, name: [u8; 32], claims: Claims) {
        let mut generations = self.generations.lock().unwrap_or_else(PoisonError::into_inner);
        let (young, old) = &mut *generations;
        if young.len() >= self.most {
            *old = std::mem::take(young);
        }
        young.insert(name, claims);
    }
}

#[cfg(test)]
mod tests {
    use domicile_jwt::TokenKey;
    use domicile_token::{Audience, Subject};

    use super::*;

    fn token(key: &TokenKey, sub: &str) -> String {
        let claims = Claims {
            iss: "shop".into(),
            sub: Subject::new(sub).unwrap(),
            aud: Audience::One("eu".into()),
            exp: 2_000_000_000,
            iat: 1_800_000_000,
            nbf: None,
            class: "eu_only".into(),
            tenant: "shop-de".into(),
            home: "eu-b".into(),
            anonymous: false,
        };
        key.sign(&claims).unwrap()
    }

    fn held(met: &Met) -> usize {
        let generations = met.generations.lock().unwrap();
        generations.0.len() + generations.1.len()
    }

    #[test]
    fn what_was_verified_is_remembered_and_what_was_not_is_not() {
        let (own, foreign) = (TokenKey::ed25519("k").unwrap(), TokenKey::ed25519("k").unwrap());
        let met = Met::new(KeySet::parse(&TokenKey::key_set([&own]).unwrap()).unwrap());
        let good = token(&own, "17");
        for _ in 0..3 {
            assert_eq!(met.claims(&good).unwrap().sub.expose(), "17");
            assert_eq!(met.claims(&token(&foreign, "17")), Err(TokenRefusal::Forged));
            // One bit of the signature, or of what it covers.
            let altered = |at: usize| {
                let mut bytes = good.clone().into_bytes();
                bytes[at] = if bytes[at] == b'A' { b'B' } else { b'A' };
                String::from_utf8(bytes).unwrap()
            };
            assert!(met.claims(&altered(good.len() - 20)).is_err() && met.claims(&altered(60)).is_err());
        }
        assert_eq!(held(&met), 1);
    }

    #[test]
    fn what_is_used_stays_and_the_memory_is_bounded() {
        let key = TokenKey::ed25519("k").unwrap();
        let mut met = Met::new(KeySet::parse(&TokenKey::key_set([&key]).unwrap()).unwrap());
        met.most = 4;
        let kept = token(&key, "kept");
        let name: [u8; 32] = Sha256::digest(&kept).into();
        for other in 0..40 {
            met.claims(&kept).unwrap();
            met.claims(&token(&key, &other.to_string())).unwrap();
            assert!(held(&met) <= 2 * met.most, "{}", held(&met));
            assert!(met.recall(&name).is_some());
        }
        for other in 100..110 {
            met.claims(&token(&key, &other.to_string())).unwrap();
        }
        assert!(met.recall(&name).is_none(), "nobody used it");
    }
}
