//! Which sealing keys are made, offered, accepted and deleted.
//!
//! A sealed request can be read by whoever has the key later on (RFC 9458, section 6.7: no forward secrecy within a
//! key's life), so keys are short-lived and deleted. A client, though, may have fetched the keys a while ago, past
//! caches, and a key that is gone by the time its request arrives costs it its one extra attempt. So a key is *offered*
//! until the next one is made, and *accepted* for an overlap after that: as long as a cache may keep the list plus as
//! long as a client may keep what it read.
//!
//! The whole plan is a function of the keys there are and of the time. A cell that was down for a week has no state to
//! repair: it asks again. Pure: time in seconds, no randomness; the caller makes and deletes.
//!
//! ```text
//! born ──offered──▶ born + every ──accepted──▶ born + every + overlap ──deleted
//! ```
//!
//! A key born more than a life ahead is left alone: which of the two clocks is wrong, nobody can say, and a machine
//! that boots before it has the time would delete the keys that it needs a minute later.

/// When keys change.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Policy {
    every_s: i64,
    overlap_s: i64,
}

/// Why a policy is refused.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub enum PolicyError {
    /// Keys would change more often than a plan is looked at.
    #[error("a key every {0} s: at least {EVERY_LEAST_S} s")]
    TooOften(i64),
    /// A list may be kept for longer than its keys are accepted.
    #[error(
        "an overlap of {overlap_s} s: a list of keys may be kept for {kept_s} s, and its keys have to be accepted as long"
    )]
    Overlap {
        /// The overlap.
        overlap_s: i64,
        /// For how long a list may be kept.
        kept_s: i64,
    },
    /// More keys would be accepted at a time than there are ids.
    #[error(
        "a key every {every_s} s, each accepted for {overlap_s} s more: that is {keys} keys at a time, and there are {IDS} ids; \
         change keys less often"
    )]
    TooMany {
        /// Seconds from a key to the next.
        every_s: i64,
        /// The overlap.
        overlap_s: i64,
        /// Keys of all kinds that would be there at a time.
        keys: i64,
    },
}

/// Ids that there are; a key's is one byte (RFC 9458, section 3).
const IDS: i64 = 256;
/// Kinds of keys that share them.
const KINDS: i64 = 2;

/// Shortest time between two keys.
pub const EVERY_LEAST_S: i64 = 60;

/// A key as far as a plan is concerned.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Key {
    /// Its id.
    pub id: u8,
    /// When it was made, in seconds since 1970.
    pub born_s: i64,
}

/// Why a key that is due cannot be made.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Stuck {
    /// Every id is some key's. Somebody made keys by hand, or they cannot be deleted.
    NoId,
}

/// What is to be done with the keys of one kind.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Plan {
    /// The id of a key that is to be made now.
    pub make: Option<u8>,
    /// Why a key that is due is not to be made.
    pub stuck: Option<Stuck>,
    /// The key to offer, unless one is to be made.
    pub offer: Option<u8>,
    /// Keys whose requests are opened, the offered one among them.
    pub accept: Vec<u8>,
    /// Keys whose time is over. One from further ahead than a life is not among them, nor is it accepted.
    pub delete: Vec<u8>,
    /// When to look again, in seconds since 1970.
    pub again_s: i64,
}

impl Policy {
    /// A key every `every_s` seconds, accepted for `overlap_s` after the next is made; a list of keys may be kept for
    /// `kept_s` after it left the cell.
    ///
    /// # Errors
    /// [`PolicyError`].
    pub fn new(every_s: i64, overlap_s: i64, kept_s: i64) -> Result<Self, PolicyError> {
        if every_s < EVERY_LEAST_S {
            return Err(PolicyError::TooOften(every_s));
        }
        if overlap_s < kept_s.max(0) {
            return Err(PolicyError::Overlap { overlap_s, kept_s });
        }
        // The one that is offered, those of the overlap, and one that is about to be deleted.
        let keys = (overlap_s / every_s).saturating_add(2).saturating_mul(KINDS);
        if keys > IDS {
            return Err(PolicyError::TooMany { every_s, overlap_s, keys });
        }
        Ok(Self { every_s, overlap_s })
    }

    /// What to do at `now_s` with `keys`, all of one kind; `taken` are the ids of other kinds.
    #[must_use]
    pub fn plan(self, keys: &[Key], taken: &[u8], now_s: i64) -> Plan {
        let life_s = self.every_s.saturating_add(self.overlap_s);
        let ends = |key: &Key| key.born_s.saturating_add(life_s);
        // A key from the future is one too (a clock was put back), but not from further than a life ahead: made under a
        // clock that was a year wrong, it would be offered for a year. It stays, though: this clock may be the one that is
        // wrong.
        let is_ahead = |key: &&Key| key.born_s.saturating_sub(now_s) > life_s;
        let (ahead, near): (Vec<&Key>, Vec<&Key>) = keys.iter().partition(is_ahead);
        let (live, over): (Vec<&Key>, Vec<&Key>) = near.into_iter().partition(|key| now_s < ends(key));
        let newest = live.iter().max_by_key(|key| (key.born_s, key.id));
        let fresh = newest.filter(|key| now_s < key.born_s.saturating_add(self.every_s));
        let make = if fresh.is_none() { next_id(keys, taken) } else { None };
        let stuck = (fresh.is_none() && make.is_none()).then_some(Stuck::NoId);
        let next_key =
            fresh.map_or(now_s.saturating_add(self.every_s), |key| key.born_s.saturating_add(self.every_s));
        let next_end = live.iter().map(|key| ends(key)).min().unwrap_or(i64::MAX);
        let next_near = ahead.iter().map(|key| key.born_s.saturating_sub(life_s)).min().unwrap_or(i64::MAX);
        Plan {
            make,
            stuck,
            offer: newest.map(|key| key.id),
            accept: live.iter().map(|key| key.id).collect(),
            delete: over.iter().map(|key| key.id).collect(),
            again_s: next_key.min(next_end).min(next_near),
        }
    }
}

/// The id after the newest key's that nobody has: an id comes back as late as it can, so that a request to a key long
/// deleted names an unknown one instead of another. `keys` are all of one kind, `taken` the ids of other kinds; none
/// when all are taken.
#[must_use]
pub fn next_id(keys: &[Key], taken: &[u8]) -> Option<u8> {
    let newest = keys.iter().max_by_key(|key| (key.born_s, key.id)).map_or(u8::MAX, |key| key.id);
    let used = |id: u8| taken.contains(&id) || keys.iter().any(|key| key.id == id);
    (1..=u8::MAX).map(|step| newest.wrapping_add(step)).find(|&id| !used(id))
}

#[cfg(test)]
mod tests;
