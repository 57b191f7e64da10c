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

/// How many erasures there had been when a ranking was begun.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Begun(u64);

#[derive(Default)]
struct Generations {
    erasures: u64,
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

    /// To be asked before the shopper's row is read.
    pub fn begin(&self) -> Begun {
        Begun(self.lock().erasures)
    }

    /// Remembers the ranking of a page, unless somebody was erased since it was begun: it may have been made from what
    /// is gone. Erasures are seldom, so nothing is lost by not asking who.
    pub fn put(&self, begun: Begun, shopper: &ShopperId, page: &RankRequest, now: Moment, ranking: Ranking) {
        let key = key(shopper, page);
        let mut generations = self.lock();
        if begun != Begun(generations.erasures) {
            return;
        }
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

    /// Forgets everything of a shopper, and what is being ranked for them now.
    pub fn forget(&self, shopper: &ShopperId) {
        let mut generations = self.lock();
        generations.erasures += 1;
        generations.young.retain(|key, _| key.shopper != *shopper);
        generations.old.retain(|key, _| key.shopper != *shopper);
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
        cache.put(cache.begin(), &shopper(1), &page("basket", &["milk", "bread"]), now, ranking());
        let held = |anchor: &[&str]| cache.get(&shopper(1), &page("basket", anchor), now).is_some();
        assert!(held(&["milk", "bread"]) && held(&["bread", "milk", "bread"]));
        assert!(!held(&[]) && !held(&["milk"]) && !held(&["milk", "bread", "wine"]));
    }

    #[test]
    fn a_ranking_is_kept_for_its_time_and_its_place() {
        let cache = LastGoodCache::new(10, Duration::from_secs(60));
        let now = Moment::from_micros(0);
        cache.put(cache.begin(), &shopper(1), &page("home", &[]), now, ranking());
        let later = |seconds| now.plus(Duration::from_secs(seconds));
        assert!(cache.get(&shopper(1), &page("home", &[]), later(60)).is_some());
        assert!(cache.get(&shopper(1), &page("home", &[]), later(61)).is_none());
        assert!(cache.get(&shopper(1), &page("basket", &[]), now).is_none());
        assert!(cache.get(&shopper(2), &page("home", &[]), now).is_none());
    }

    #[test]
    fn an_erased_shopper_is_forgotten_with_the_ranking_under_way() {
        let cache = LastGoodCache::new(10, Duration::from_secs(60));
        let (now, page) = (Moment::from_micros(0), page("home", &[]));
        (1..=2).for_each(|n| cache.put(cache.begin(), &shopper(n), &page, now, ranking()));
        let begun = cache.begin();
        cache.forget(&shopper(1));
        cache.put(begun, &shopper(1), &page, now, ranking());
        assert!(cache.get(&shopper(1), &page, now).is_none() && cache.get(&shopper(2), &page, now).is_some());
        cache.put(cache.begin(), &shopper(1), &page, now, ranking());
        assert!(cache.get(&shopper(1), &page, now).is_some(), "what is begun later is a new life");
    }

    #[test]
    fn the_bound_holds_and_the_newest_half_is_there() {
        let cache = LastGoodCache::new(10, Duration::from_secs(60));
        let now = Moment::from_micros(0);
        for number in 0..1_000 {
            cache.put(cache.begin(), &shopper(number), &page("home", &[]), now, ranking());
            assert!(cache.len() <= 10);
        }
        assert!((995..1_000).all(|number| cache.get(&shopper(number), &page("home", &[]), now).is_some()));
    }
}
