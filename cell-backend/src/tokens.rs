//! Shoppers' tokens: the keys that may have signed them, read again while serving, and what they have to say.
//!
//! The key set's file is the way to take a key out of use, so it is looked at every few seconds. A new file that is no
//! key set changes nothing: a typing mistake must not shut every shopper out, nor let anyone in.

mod met;

use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, PoisonError, RwLock};
use std::time::{Duration, SystemTime};

use domicile_jwt::KeySet;
use domicile_token::{Asked, Claims, Terms, TokenRefusal};
use domicile_wire::Bearer;

use crate::cell::Reach;
use crate::config::TokenTerms;
use crate::failure::{Exit, Failure, read_text};

use met::Met;

const REMEDY: &str = "give the path of the identity service's public key set (JWK Set) in [tokens] keys";

/// What tells one state of a file from another without reading it.
type Stamp = Option<(SystemTime, u64)>;

/// What is known of the file.
struct Known {
    /// When it was last read.
    stamp: Stamp,
    /// Whether it could not be read since.
    unread: bool,
}

/// What came of looking at the file.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Reloaded {
    /// It is as it was.
    Unchanged,
    /// Its keys were taken.
    Taken,
    /// It is not good, and the keys of before stay. The reason, for a log: it names no token and quotes nothing.
    Kept(String),
}

/// Keys and terms.
pub struct Tokens {
    path: PathBuf,
    reach: Reach,
    terms: Terms,
    every: Duration,
    known: Mutex<Known>,
    keys: RwLock<Arc<Met>>,
}

impl Tokens {
    /// The tokens that a cell of `boundary` takes, whose farthest listener has this reach.
    ///
    /// # Errors
    /// [`Failure`] when there is no good key set, or one with the demo's key beyond loopback.
    pub fn open(config: &TokenTerms, boundary: &str, reach: Reach) -> Result<Self, Failure> {
        let path = config.keys.clone();
        let stamp = stamp(&path);
        let keys = parse(&path, &read_text(Exit::Config, &path, REMEDY)?, reach)?;
        if keys.names().next().is_none() {
            let line = format!("{}: no keys, so every shopper would be refused; {REMEDY}", path.display());
            return Err(Failure::new(Exit::Config, line));
        }
        Ok(Self {
            path,
            reach,
            terms: config.terms(boundary),
            every: Duration::from_secs(config.reload_s.into()),
            known: Mutex::new(Known { stamp, unread: false }),
            keys: RwLock::new(Arc::new(Met::new(keys))),
        })
    }

    /// How often [`Tokens::reload`] is to be called.
    pub fn every(&self) -> Duration {
        self.every
    }

    /// The claims of a token that holds here and now.
    ///
    /// # Errors
    /// [`TokenRefusal`], the signature before what it says.
    pub fn check(&self, token: &Bearer, asked: Asked<'_>) -> Result<Claims, TokenRefusal> {
        let keys = Arc::clone(&self.keys.read().unwrap_or_else(PoisonError::into_inner));
        let claims = keys.claims(token.expose())?;
        self.terms.check(&claims, asked).map(|()| claims)
    }

    /// Looks at the file. Blocking.
    pub fn reload(&self) -> Reloaded {
        let now = stamp(&self.path);
        let mut known = self.known.lock().unwrap_or_else(PoisonError::into_inner);
        if known.stamp == now && !known.unread {
            return Reloaded::Unchanged;
        }
        let text = match read_text(Exit::Config, &self.path, REMEDY) {
            Ok(text) => text,
            // Tried again every time, since it may be the one that takes a key out of use; complained of once.
            Err(_unread) if std::mem::replace(&mut known.unread, true) => return Reloaded::Unchanged,
            Err(unread) => return Reloaded::Kept(unread.to_string()),
        };
        // Taken as seen even when it is no key set: the file has to change before it can be one.
        *known = Known { stamp: now, unread: false };
        match parse(&self.path, &text, self.reach) {
            Ok(keys) => {
                *self.keys.write().unwrap_or_else(PoisonError::into_inner) = Arc::new(Met::new(keys));
                Reloaded::Taken
            }
            Err(failure) => Reloaded::Kept(failure.to_string()),
        }
    }
}

fn stamp(path: &Path) -> Stamp {
    let file = std::fs::metadata(path).ok()?;
    Some((file.modified().ok()?, file.len()))
}

fn parse(path: &Path, text: &str, reach: Reach) -> Result<KeySet, Failure> {
    let place = path.display();
    let keys = KeySet::parse(text).map_err(|e| Failure::new(Exit::Config, format!("{place}: {e}")))?;
    // With its secret half anybody could sign a token for any shopper.
    if reach == Reach::Beyond
        && let Some(kid) = keys.published()
    {
        let line = format!(
            "{place}: key {kid:?} is the demo's, whose secret is public; listen on 127.0.0.1 or take it out and \
             make a key of your own (`domicile key token new`)"
        );
        return Err(Failure::new(Exit::Listen, line));
    }
    Ok(keys)
}

#[cfg(test)]
mod tests {
    use domicile_jwt::TokenKey;
    use domicile_token::{Audience, Subject};

    use super::*;

    const NOW: i64 = 1_800_000_000;

    fn token(key: &TokenKey) -> Bearer {
        let claims = Claims {
            iss: "shop".into(),
            sub: Subject::new("someone").unwrap(),
            aud: Audience::One("eu".into()),
            exp: NOW + 600,
            iat: NOW,
            nbf: None,
            class: "eu_only".into(),
            tenant: "shop-de".into(),
            home: "eu-b".into(),
            anonymous: false,
        };
        Bearer::new(&key.sign(&claims).unwrap()).unwrap()
    }

    /// Writes the file with a time of its own, so that a quick machine's clock does not hide the change.
    fn write(path: &Path, text: &str, at: u64) {
        std::fs::write(path, text).unwrap();
        let file = std::fs::File::options().write(true).open(path).unwrap();
        file.set_modified(SystemTime::UNIX_EPOCH + Duration::from_secs(at)).unwrap();
    }

    #[test]
    fn the_demo_s_key_is_taken_on_loopback_alone() {
        let directory = tempfile::tempdir().unwrap();
        let path = directory.path().join("tokens.json");
        let demo = include_str!("../../deploy/demo/keys/token-keys.json");
        let config: TokenTerms = toml::from_str(&format!("keys = {path:?}")).unwrap();
        write(&path, demo, 1);
        assert!(Tokens::open(&config, "eu", Reach::Loopback).is_ok());
        let refused = Tokens::open(&config, "eu", Reach::Beyond).err().unwrap();
        assert_eq!(refused.exit, Exit::Listen);
        assert!(refused.to_string().contains("tokens.json: key \"demo\" is the demo's"), "{refused}");

        // Nor does it come in later.
        let own = TokenKey::ed25519("own").unwrap();
        write(&path, &TokenKey::key_set([&own]).unwrap(), 2);
        let tokens = Tokens::open(&config, "eu", Reach::Beyond).unwrap();
        write(&path, demo, 3);
        assert!(matches!(tokens.reload(), Reloaded::Kept(line) if line.contains("the demo's")));
        let asked = Asked { class: "eu_only", cells: &["eu-a", "eu-b"], now_s: NOW };
        assert!(tokens.check(&token(&own), asked).is_ok(), "the old keys stay");
    }

    #[test]
    fn a_removed_key_is_refused_after_the_reload_and_a_bad_file_changes_nothing() {
        let directory = tempfile::tempdir().unwrap();
        let path = directory.path().join("tokens.json");
        let (old, new) = (TokenKey::ed25519("old").unwrap(), TokenKey::p256("new").unwrap());
        write(&path, &TokenKey::key_set([&old, &new]).unwrap(), 1);
        let config: TokenTerms = toml::from_str(&format!("keys = {path:?}")).unwrap();
        let tokens = Tokens::open(&config, "eu", Reach::Loopback).unwrap();
        let asked = Asked { class: "eu_only", cells: &["eu-a", "eu-b"], now_s: NOW };
        let of = |key: &TokenKey| tokens.check(&token(key), asked).map(|claims| claims.home);
        assert_eq!((of(&old), of(&new)), (Ok("eu-b".into()), Ok("eu-b".into())));
        assert_eq!(tokens.reload(), Reloaded::Unchanged);

        write(&path, "{\"keys\":[{\"kty\":\"RSA\"}]}", 2);
        assert!(matches!(tokens.reload(), Reloaded::Kept(line) if line.contains("no key")));
        assert_eq!(tokens.reload(), Reloaded::Unchanged, "one complaint");
        assert!(of(&old).is_ok(), "the old keys stay");

        write(&path, &TokenKey::key_set([&new]).unwrap(), 3);
        assert_eq!(tokens.reload(), Reloaded::Taken);
        assert_eq!(of(&old), Err(TokenRefusal::UnknownKey));
        assert!(of(&new).is_ok());

        std::fs::remove_file(&path).unwrap();
        // Nobody writes to it, and nobody waits for that.
        #[cfg(unix)]
        assert!(std::process::Command::new("mkfifo").arg(&path).status().unwrap().success());
        assert!(matches!(tokens.reload(), Reloaded::Kept(_)));
        assert_eq!(tokens.reload(), Reloaded::Unchanged, "one complaint");
        assert!(of(&new).is_ok());

        #[cfg(unix)]
        std::fs::remove_file(&path).unwrap();
        // A file of the same time and length as the last one that was read counts, once there was none in between.
        write(&path, &TokenKey::key_set([&new]).unwrap(), 3);
        assert_eq!(tokens.reload(), Reloaded::Taken);
    }

    #[test]
    fn the_last_key_can_be_taken_out_too_and_a_start_needs_one() {
        let directory = tempfile::tempdir().unwrap();
        let path = directory.path().join("tokens.json");
        let (own, none) = (TokenKey::ed25519("own").unwrap(), "{\"keys\":[]}");
        write(&path, &TokenKey::key_set([&own]).unwrap(), 1);
        let config: TokenTerms = toml::from_str(&format!("keys = {path:?}")).unwrap();
        let tokens = Tokens::open(&config, "eu", Reach::Loopback).unwrap();
        let asked = Asked { class: "eu_only", cells: &["eu-a", "eu-b"], now_s: NOW };
        assert!(tokens.check(&token(&own), asked).is_ok());
        write(&path, none, 2);
        assert_eq!(tokens.reload(), Reloaded::Taken);
        assert_eq!(tokens.check(&token(&own), asked), Err(TokenRefusal::UnknownKey));
        let refused = Tokens::open(&config, "eu", Reach::Loopback).err().unwrap();
        assert!(refused.to_string().contains("tokens.json: no keys"), "{refused}");
    }
}
