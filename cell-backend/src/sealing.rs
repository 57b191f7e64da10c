//! The cell's sealing keys while it serves: which are live, what is stated of them, and what was seen.
//!
//! `policy/rotation` says what to do with the keys that lie in the directory; this does it, at the start and from then
//! on whenever the plan or the statement's age asks for it. What requests need is one immutable value behind an `Arc`:
//! a request takes it as it is, and a rotation puts a new one in its place.
//!
//! When a key cannot be made (a full disk), the cell goes on with those it has: the newest is offered for as long as it
//! is accepted, which is the overlap. After that nothing is taken: a key that outlived its plan would break the promise
//! that what was sealed long ago can no longer be read.

use std::collections::BTreeSet;
use std::path::Path;
use std::sync::{Arc, Mutex, PoisonError, RwLock};

use bytes::Bytes;
use domicile_envelope::{RandomizedSigner, SigningKey, VerifyingKey, is_published};
use domicile_files::is_open_to_others;
use domicile_keyring::{Found, KeyFiles};
use domicile_receipt::{Receipt, Stated, hash};
use domicile_rotation::{Key, Policy, Stuck};
use domicile_route::KeyStatement;
use domicile_seal::config::encode_list;
use domicile_seal::{Kem, KeyRing, Opened, SealRefusal, SealingKey, Seen};

use crate::cell::Reach;
use crate::config::Seal;
use crate::failure::{Exit, Failure, read_text};

/// Encapsulated keys remembered against replay: some minutes at a thousand requests a second, in 8 MB.
const SEEN_MAX: usize = 262_144;
/// When a key could not be made, it is tried again after so many seconds.
const RETRY_S: i64 = 60;

/// What requests need of the keys, until the next turn.
pub struct Current {
    ring: Option<Arc<KeyRing>>,
    /// The signed statement of the offered keys, JSON; none when there is no key to offer.
    pub statement: Option<Bytes>,
    /// For how many seconds caches may keep it.
    pub max_age_s: i64,
    turned_s: i64,
    again_s: i64,
    /// The ids that had a file when this was made: another set of them is somebody else's doing.
    ids: BTreeSet<u8>,
}

/// When the keys were looked at, when they will be again, and the ids that had a file.
struct Look {
    now_s: i64,
    again_s: i64,
    ids: BTreeSet<u8>,
}

/// What a turn did.
#[derive(Debug, Default, PartialEq, Eq)]
pub struct Turn {
    /// Keys made.
    pub made: u64,
    /// Keys deleted.
    pub deleted: u64,
    /// What went wrong, a word for the log each; nothing of it is secret.
    pub failed: Vec<String>,
    /// What others than its owner may read and should not, each with what to do. Looked at when the keys are opened.
    pub exposed: Vec<String>,
}

/// The cell that the keys are for, as clients and networks see it.
#[derive(Clone, Copy, Debug)]
pub struct Place<'a> {
    /// Its name.
    pub cell: &'a str,
    /// The cell and its boundary, as its store and its key folder are marked.
    pub owner: &'a str,
    /// The signing keys that the topology names for it, none where it names none: clients check its statements with
    /// them.
    pub named: &'a [VerifyingKey],
    /// The reach of its farthest listener.
    pub reach: Reach,
}

/// A cell's sealing keys.
pub struct Sealing {
    cell: String,
    signer: RandomizedSigner,
    files: KeyFiles,
    /// Whether the folder said whose it is when it was opened.
    claimed: bool,
    /// The keys of the last turn: a file that cannot be read now does not take its key away.
    held: Mutex<Vec<SealingKey>>,
    policy: Policy,
    statement_s: i64,
    window_s: i64,
    current: RwLock<Arc<Current>>,
    seen: Mutex<Seen>,
}

impl Sealing {
    /// The keys of a cell, made where there are none, at `now_s`.
    ///
    /// # Errors
    /// [`Failure`] when there is no signing key or not the right one, or no sealing key and none can be made.
    pub fn open(config: &Seal, place: Place<'_>, now_s: i64) -> Result<(Self, Turn), Failure> {
        Self::with_files(config, KeyFiles::new(&config.key_dir), place, now_s)
    }

    fn with_files(
        config: &Seal,
        files: KeyFiles,
        place: Place<'_>,
        now_s: i64,
    ) -> Result<(Self, Turn), Failure> {
        let path = &config.signing_key;
        let text = read_text(Exit::Config, path, "give the cell's secret signing key in [seal] signing_key")?;
        let signer = SigningKey::from_jwk(&text)
            .map_err(|e| Failure::new(Exit::Config, format!("{}: {e}", path.display())))?;
        place.check(&signer.verifying_key(), path)?;
        // A key that is published is no secret.
        let exposed = !is_published(signer.verifying_key().id()) && is_open_to_others(path).unwrap_or(false);
        let signing = exposed.then(|| {
            format!("{}: others than its owner may read this secret key; `chmod 0600` it", path.display())
        });
        files.claim(place.owner).map_err(|e| Failure::new(Exit::Config, format!("[seal] key_dir: {e}")))?;
        let policy = config.policy().map_err(|line| Failure::new(Exit::Config, line))?;
        let window_s = i64::from(config.date_window_s);
        let none = Current {
            ring: None,
            statement: None,
            max_age_s: 0,
            turned_s: now_s,
            again_s: now_s,
            ids: BTreeSet::new(),
        };
        let sealing = Self {
            cell: place.cell.to_owned(),
            signer: RandomizedSigner::new(signer),
            claimed: files.is_claimed(),
            files,
            held: Mutex::default(),
            policy,
            statement_s: config.statement_s.into(),
            window_s,
            current: RwLock::new(Arc::new(none)),
            // A date is good for the window on both sides of now, and half of the memory is one generation.
            seen: Mutex::new(Seen::new(4 * window_s, SEEN_MAX)),
        };
        let mut turn = sealing.turn(now_s);
        turn.exposed.extend(signing.into_iter().chain(sealing.files.exposed()));
        if sealing.current().ring.is_none() {
            let why = turn.failed.join("; ");
            let line = format!("{}: no sealing key: {why}; see [seal] key_dir", config.key_dir.display());
            return Err(Failure::new(Exit::Config, line));
        }
        Ok((sealing, turn))
    }

    /// What requests need now.
    pub fn current(&self) -> Arc<Current> {
        Arc::clone(&self.current.read().unwrap_or_else(PoisonError::into_inner))
    }

    /// Whether the keys or the statement have to be looked at: it is time, the clock was put back, or somebody made or
    /// deleted a key (`domicile key seal`). Blocking: it looks into the directory.
    pub fn is_due(&self, now_s: i64) -> bool {
        let current = self.current();
        let on_time = now_s >= current.again_s || now_s < current.turned_s;
        let is_the_same = !self.claimed || self.files.is_claimed();
        on_time || (is_the_same && self.files.ids().is_ok_and(|ids| ids != current.ids))
    }

    /// Makes, deletes and states keys as the plan says for `now_s`. Blocking.
    pub fn turn(&self, now_s: i64) -> Turn {
        let mut turn = Turn::default();
        let mut held = self.held.lock().unwrap_or_else(PoisonError::into_inner);
        // Only a cell without any key may take a missing directory for an empty one, and make its first keys.
        // An empty folder where the keys were is another folder: the mount point of a disk that is gone.
        let found = match (held.is_empty(), self.claimed && !self.files.is_claimed()) {
            (true, _) => self.files.read(),
            (false, true) => {
                Err(std::io::Error::other("it is another folder than it was; is its disk mounted?"))
            }
            (false, false) => self.files.read_again(),
        };
        let Found { mut keys, unread, failed } = match found {
            Ok(found) => found,
            Err(error) => {
                // What lies there is not known, so nothing is made over it and nothing given up.
                turn.failed.push(format!("read the keys: {error}"));
                self.go_by_memory(&mut held, now_s, &mut turn);
                return turn;
            }
        };
        turn.failed = failed;
        let mut ids: BTreeSet<u8> = keys.iter().map(SealingKey::id).chain(unread.iter().copied()).collect();
        keys.extend(held.iter().filter(|key| unread.contains(&key.id())).cloned());
        let mut offered = Vec::new();
        let mut again_s = now_s.saturating_add(self.statement_s / 2);
        for kem in Kem::ALL {
            let own = of_kind(&keys, kem);
            // Every file that is there, also of a key that is not accepted: no key is made over it.
            let is_own = |id: &u8| own.iter().any(|key| key.id == *id);
            let taken: Vec<u8> = ids.iter().copied().filter(|id| !is_own(id)).collect();
            let plan = self.policy.plan(&own, &taken, now_s);
            again_s = again_s.min(plan.again_s);
            for id in &plan.delete {
                match self.files.delete(*id) {
                    Ok(()) => {
                        ids.remove(id);
                        turn.deleted += 1;
                    }
                    Err(error) => turn.failed.push(format!("delete key {id}: {error}")),
                }
            }
            // Over is over, also when its file could not be deleted.
            keys.retain(|key| key.kem() != kem || plan.accept.contains(&key.id()));
            let mut offer = plan.offer;
            if let Some(Stuck::NoId) = plan.stuck {
                again_s = again_s.min(now_s.saturating_add(RETRY_S));
                turn.failed.push(format!(
                    "make a {kem} key: all 256 ids are taken; delete keys that are not needed"
                ));
            }
            if let Some(id) = plan.make {
                match self.files.make(id, kem, now_s) {
                    Ok(key) => {
                        keys.push(key);
                        ids.insert(id);
                        offer = Some(id);
                        turn.made += 1;
                    }
                    // Somebody else was first: what they made is looked at next.
                    Err(error) if error.is_taken() => again_s = now_s,
                    Err(error) => {
                        again_s = again_s.min(now_s.saturating_add(RETRY_S));
                        turn.failed.push(format!("make a {kem} key: {error}"));
                    }
                }
            }
            offered.extend(offer);
        }
        self.put(&keys, &offered, Look { now_s, again_s, ids }, &mut turn);
        *held = keys;
        turn
    }

    /// Goes by the plan with the keys in memory alone, and looks again soon: nothing is made, and nothing is accepted for
    /// longer than it would be with the files at hand.
    fn go_by_memory(&self, held: &mut Vec<SealingKey>, now_s: i64, turn: &mut Turn) {
        let mut offered = Vec::new();
        for kem in Kem::ALL {
            let plan = self.policy.plan(&of_kind(held, kem), &[], now_s);
            held.retain(|key| key.kem() != kem || plan.accept.contains(&key.id()));
            offered.extend(plan.offer);
        }
        let again_s = now_s.saturating_add(RETRY_S);
        let ids = self.current().ids.clone();
        self.put(held, &offered, Look { now_s, again_s, ids }, turn);
    }

    /// Has requests go by these keys from now on.
    fn put(&self, keys: &[SealingKey], offered: &[u8], look: Look, turn: &mut Turn) {
        let ring = KeyRing::new(keys).map_err(|error| turn.failed.push(error.to_string())).ok().map(Arc::new);
        let statement = self.statement(keys, offered, look.now_s);
        let max_age_s = self.statement_s / 4;
        let Look { now_s: turned_s, again_s, ids } = look;
        *self.current.write().unwrap_or_else(PoisonError::into_inner) =
            Arc::new(Current { ring, statement, max_age_s, turned_s, again_s, ids });
    }

    fn statement(&self, keys: &[SealingKey], offered: &[u8], now_s: i64) -> Option<Bytes> {
        let key = |id: &u8| keys.iter().find(|key| key.id() == *id);
        let configs: Vec<Vec<u8>> =
            offered.iter().filter_map(key).filter_map(|key| key.config().ok()).collect();
        if configs.is_empty() {
            return None;
        }
        let list = encode_list(configs.iter().map(Vec::as_slice));
        let statement = KeyStatement::new(&self.cell, &list, now_s, now_s.saturating_add(self.statement_s));
        Some(statement.sign(&self.signer).into())
    }

    /// Whether a request's date is near enough to `now_s`.
    pub fn is_fresh(&self, date_s: i64, now_s: i64) -> bool {
        now_s.abs_diff(date_s) <= self.window_s.unsigned_abs()
    }

    /// Whether a sealed request is met for the first time: best effort, see [`Seen`].
    pub fn first_time(&self, sealed: &[u8], now_s: i64) -> bool {
        self.seen.lock().unwrap_or_else(PoisonError::into_inner).first_time(sealed, now_s)
    }

    /// The receipt of an answer's content to a sealed request: the envelope's JSON, compact.
    pub fn receipt(&self, sealed: &[u8], content: &[u8], stated: Stated<'_>) -> String {
        Receipt::new(hash(sealed), content, stated).sign(&self.signer)
    }
}

/// The keys of one kind as a plan sees them.
fn of_kind(keys: &[SealingKey], kem: Kem) -> Vec<Key> {
    let own = keys.iter().filter(|key| key.kem() == kem);
    own.map(|key| Key { id: key.id(), born_s: key.born() }).collect()
}

impl Place<'_> {
    /// Whether this cell can go by the signing key of the file at `path`.
    fn check(self, signing: &VerifyingKey, path: &Path) -> Result<(), Failure> {
        let (file, id) = (path.display(), signing.id());
        if !self.named.is_empty() && !self.named.contains(signing) {
            let named = self.named.iter().map(|key| key.id().to_string()).collect::<Vec<_>>().join(" and ");
            let line = format!(
                "{file}: [seal] signing_key is key {id}, the topology names {} for cell {:?}, so clients would refuse \
                 the cell's keys; give the secret half of that one, or change the topology",
                named, self.cell
            );
            return Err(Failure::new(Exit::Config, line));
        }
        if self.reach == Reach::Beyond && is_published(id) {
            let line = format!(
                "{file}: [seal] signing_key is the demo's key {id}, whose secret is public; listen on 127.0.0.1 or \
                 make a key of your own (`domicile key sign new`)"
            );
            return Err(Failure::new(Exit::Listen, line));
        }
        Ok(())
    }
}

impl Current {
    /// Opens a request.
    ///
    /// # Errors
    /// [`SealRefusal`]; without any key, the one of a key that nobody has.
    pub fn open(&self, sealed: &[u8]) -> Result<Opened, SealRefusal> {
        self.ring.as_ref().ok_or(SealRefusal::UnknownKey)?.open(sealed)
    }
}

#[cfg(test)]
mod tests;
