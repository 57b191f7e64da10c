//! The last good ranking of a shopper, in memory, bounded in number and time.
//!
//! It is labelled with the snapshot that made it, since it is served as what it is and never as a fresh ranking. It
//! holds ids, not indices, so that it survives a change of snapshot; whoever serves it resolves and filters the ids
//! again. Bounded by two generations: entries go into the young one; when it is full the old one is dropped and the
//! young one grows old. That keeps between half and all of the bound, without a list to maintain on every read.
//!
//! A ranking belongs to its page: what was ranked for one basket or product is none of another's.

use std::collections::HashMap;
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use domicile_deadline::Moment;
use domicile_wire::{RankRequest, ShopperId, Source};

/// A ranking as it was served.
#[derive(Clone)]
pub struct Ranking {
    /// Id of the snapshot that made it.
    pub snapshot: String,
    /// Item ids with their source and score, best first.
    pub items: Vec<(String, Source, f32)>,
}

#[derive(PartialEq, Eq, Hash)]
struct Key {
    shopper: ShopperId,
    locale: String,
    slot: String,
    /// In order, none twice: a basket is the same whatever was put into it first.
    anchor: Vec<String>,
}

#[derive(Default)]
struct Generations {
    young: HashMap<Key, (Moment, Ranking)>,
    old: HashMap<Key, (Moment, Ranking)>,
}

/// Last good rankings by shopper, locale, slot and anchor.
pub struct LastGoodCache {
    generations: Mutex<Generations>,
    half: usize,
    keep: Duration,
}

impl LastGoodCache {
    /// A cache of at most `entries` rankings, each served for at most `keep`.
    pub fn new(entries: usize, keep: Duration) -> Self {
        Self { generations: Mutex::default(), half: (entries / 2).max(1), keep }
    }

    /// Remembers the ranking of a page.
    pub fn put(&self, shopper: &ShopperId, page: &RankRequest, now: Moment, ranking: Ranking) {
        let key = key(shopper, page);
        let mut generations = self.lock();
        if generations.young.len() >= self.half && !generations.young.contains_key(&key) {
            generations.old = std::mem::take(&mut generations.young);
        }
        generations.young.insert(key, (now, ranking));
    }

    /// The page's last good ranking, if it is not too old.
    pub fn get(&self, shopper: &ShopperId, page: &RankRequest, now: Moment) -> Option<Ranking> {
        let key = key(shopper, page);
        let generations = self.lock();
        let (at, ranking) = generations.young.get(&key).or_else(|| generations.old.get(&key))?;
        (now.since(*at) <= self.keep).then(|| ranking.clone())
    }

    /// Number of rankings.
    pub fn len(&self) -> usize {
        let generations = self.lock();
        generations.young.len() + generations.old.len()
    }

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// A cache whose writer panicked still holds whole entries: they are inserted in one step.
    fn lock(&self) -> MutexGuard<'_, Generations> {
        self.generations.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

fn key(shopper: &ShopperId, page: &RankRequest) -> Key {
    let mut anchor = page.anchor.clone();
    anchor.sort_unstable();
    anchor.dedup();
    Key { shopper: shopper.clone(), locale: page.locale.clone(), slot: page.slot.clone(), anchor }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn shopper(number: usize) -> ShopperId {
        ShopperId::new(&format!("s{number}")).unwrap()
    }

    fn ranking() -> Ranking {
        Ranking { snapshot: "sha256:aa".into(), items: vec![("1".into(), Source::Own, 1.0)] }
    }

    fn page(slot: &str, anchor: &[&str]) -> RankRequest {
        let anchor = anchor.iter().map(ToString::to_string).collect();
        RankRequest { locale: "de-DE".into(), slot: slot.into(), anchor }
    }

    #[test]
    fn a_ranking_is_its_page_s_alone() {
        let cache = LastGoodCache::new(10, Duration::from_secs(60));
        let now = Moment::from_micros(0);
        cache.put(&shopper(1), &page("basket", &["milk", "bread"]), now, ranking());
        let held = |anchor: &[&str]| cache.get(&shopper(1), &page("basket", anchor), now).is_some();
        assert!(held(&["milk", "bread"]) && held(&["bread", "milk", "bread"]));
        assert!(!held(&[]) && !held(&["milk"]) && !held(&["milk", "bread", "wine"]));
    }

    #[test]
    fn a_ranking_is_kept_for_its_time_and_its_place() {
        let cache = LastGoodCache::new(10, Duration::from_secs(60));
        let now = Moment::from_micros(0);
        cache.put(&shopper(1), &page("home", &[]), now, ranking());
        let later = |seconds| now.plus(Duration::from_secs(seconds));
        assert!(cache.get(&shopper(1), &page("home", &[]), later(60)).is_some());
        assert!(cache.get(&shopper(1), &page("home", &[]), later(61)).is_none());
        assert!(cache.get(&shopper(1), &page("basket", &[]), now).is_none());
        assert!(cache.get(&shopper(2), &page("home", &[]), now).is_none());
    }

    #[test]
    fn the_bound_holds_and_the_newest_half_is_there() {
        let cache = LastGoodCache::new(10, Duration::from_secs(60));
        let now = Moment::from_micros(0);
        for number in 0..1_000 {
            cache.put(&shopper(number), &page("home", &[]), now, ranking());
            assert!(cache.len() <= 10);
        }
        assert!((995..1_000).all(|number| cache.get(&shopper(number), &page("home", &[]), now).is_some()));
    }
}
