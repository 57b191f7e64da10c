//! What a client remembers: for the session of a page, in memory, and of nobody.

use std::collections::BTreeMap;
use std::sync::Arc;
use std::time::Duration;

use domicile_deadline::Moment;
use domicile_envelope::{KeyId, VerifyingKey};
use domicile_route::RouteManifest;
use domicile_seal::config::PublicConfig;
use domicile_wire::Steer;
use serde::{Deserialize, Serialize};

use crate::backoff::Backoff;

/// A manifest or statement of keys is fetched again after so many seconds, though its own end is later: a cell that
/// was taken out of its class is noticed within this time.
const KEPT_S: i64 = 3_600;

/// The highest version of each class's manifest that was seen. A page may keep it; an edge that hands out an older one
/// is then refused across sessions as well.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(transparent)]
pub struct Seen(BTreeMap<String, u64>);

impl Seen {
    /// The highest version seen of a class's manifest; 0 when none was.
    #[must_use]
    pub fn version(&self, class: &str) -> u64 {
        self.0.get(class).copied().unwrap_or_default()
    }

    /// Remembers a version. A lower one than before changes nothing.
    pub fn note(&mut self, class: &str, version: u64) {
        let seen = self.0.entry(class.to_owned()).or_default();
        *seen = version.max(*seen);
    }
}

/// Something verified, until it has to be fetched again.
struct Held<T> {
    what: Arc<T>,
    until_s: i64,
}

/// A hint to ask another cell, while it holds.
struct Steered {
    steer: Steer,
    until: Moment,
}

/// One client's memory.
#[derive(Default)]
pub(crate) struct Memory {
    pub(crate) seen: Seen,
    /// How far the cells' clock is ahead of ours, in seconds.
    pub(crate) offset_s: i64,
    routes: BTreeMap<String, Held<RouteManifest>>,
    keys: BTreeMap<(String, Vec<KeyId>), Held<Vec<PublicConfig>>>,
    failing: BTreeMap<String, Backoff>,
    steered: BTreeMap<String, Steered>,
}

impl Memory {
    pub(crate) fn new(seen: Seen) -> Self {
        Self { seen, ..Self::default() }
    }

    /// The class's verified manifest, if it need not be fetched at `now_s`.
    pub(crate) fn route(&self, class: &str, now_s: i64) -> Option<Arc<RouteManifest>> {
        held(self.routes.get(class), now_s)
    }

    /// Lets go of a class's manifest.
    pub(crate) fn forget_route(&mut self, class: &str) {
        self.routes.remove(class);
    }

    /// Keeps a verified manifest.
    pub(crate) fn keep_route(&mut self, manifest: RouteManifest, now_s: i64) -> Arc<RouteManifest> {
        self.seen.note(&manifest.class, manifest.version);
        let until_s = until(manifest.not_after_s(), now_s);
        let what = Arc::new(manifest);
        self.routes.insert(what.class.clone(), Held { what: what.clone(), until_s });
        what
    }

    /// A cell's verified keys under its signing keys, if they need not be fetched at `now_s`.
    pub(crate) fn keys(
        &self,
        cell: &str,
        signers: &[VerifyingKey],
        now_s: i64,
    ) -> Option<Arc<Vec<PublicConfig>>> {
        held(self.keys.get(&(cell.to_owned(), ids(signers))), now_s)
    }

    /// Keeps verified keys.
    pub(crate) fn keep_keys(
        &mut self,
        (cell, signers): (&str, &[VerifyingKey]),
        keys: Vec<PublicConfig>,
        not_after_s: Option<i64>,
        now_s: i64,
    ) -> Arc<Vec<PublicConfig>> {
        let what = Arc::new(keys);
        let until_s = until(not_after_s, now_s);
        self.keys.insert((cell.to_owned(), ids(signers)), Held { what: what.clone(), until_s });
        what
    }

    /// Whether a cell is left alone.
    pub(crate) fn fails(&self, cell: &str, now: Moment) -> bool {
        self.failing.get(cell).is_some_and(|backoff| backoff.holds(now))
    }

    /// A cell failed once more.
    pub(crate) fn failed(&mut self, cell: &str, now: Moment, random: u64) {
        let backoff = Backoff::after(self.failing.get(cell).copied(), now, random);
        self.failing.insert(cell.to_owned(), backoff);
    }

    /// A cell answered.
    pub(crate) fn answered(&mut self, cell: &str) {
        self.failing.remove(cell);
    }

    /// Follows a hint for a class. Whether its cell is one of the class is asked where cells are ordered.
    pub(crate) fn steer(&mut self, class: &str, steer: Steer, now: Moment) {
        let until = now.plus(Duration::from_secs(steer.seconds.into()));
        self.steered.insert(class.to_owned(), Steered { steer, until });
    }

    /// The cell that a hint points this call at; `random` decides whether the call is of the hint's fraction.
    pub(crate) fn steered(&self, class: &str, now: Moment, random: u64) -> Option<&str> {
        let hint = self.steered.get(class).filter(|hint| now < hint.until)?;
        (random % 1_000 < u64::from(hint.steer.permille)).then_some(hint.steer.cell.as_str())
    }

    /// A new page's session: failures and hints are forgotten, what was verified is not.
    pub(crate) fn turn_page(&mut self) {
        self.failing.clear();
        self.steered.clear();
    }
}

fn held<T>(held: Option<&Held<T>>, now_s: i64) -> Option<Arc<T>> {
    // A clock that was put back by more than is kept makes what is held as good as unknown.
    let held = held.filter(|held| now_s < held.until_s && held.until_s - now_s <= KEPT_S)?;
    Some(Arc::clone(&held.what))
}

fn ids(signers: &[VerifyingKey]) -> Vec<KeyId> {
    signers.iter().map(VerifyingKey::id).collect()
}

fn until(not_after_s: Option<i64>, now_s: i64) -> i64 {
    not_after_s.unwrap_or(now_s).min(now_s.saturating_add(KEPT_S))
}
