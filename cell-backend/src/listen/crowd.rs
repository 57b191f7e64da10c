//! Who has a listener's places, and which of them gives one up when a newcomer finds none.

use std::collections::BTreeMap;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use super::usage::Usage;

/// The connections that have a place, by the order in which they came.
#[derive(Debug, Default)]
pub(super) struct Crowd {
    members: Mutex<(u64, BTreeMap<u64, Arc<Usage>>)>,
}

/// One of them; it is none any more when this is dropped.
#[derive(Debug)]
pub(super) struct Member {
    crowd: Arc<Crowd>,
    id: u64,
}

impl Crowd {
    /// A connection has a place from now on.
    pub(super) fn enter(self: &Arc<Self>, usage: Arc<Usage>) -> Member {
        let mut members = self.members.lock().unwrap_or_else(PoisonError::into_inner);
        let (next, all) = &mut *members;
        let id = *next;
        *next += 1;
        all.insert(id, usage);
        Member { crowd: Arc::clone(self), id }
    }

    /// Tells one connection to go, of those that were unused for `unused`: one that never was of use if there is any,
    /// and of several the one that has been unused longest. An edge that keeps a connection for its next request is so
    /// the last that loses it. Whether there was one.
    pub(super) fn one_goes(&self, now: Duration, unused: Duration) -> bool {
        let members = self.members.lock().unwrap_or_else(PoisonError::into_inner);
        let goes = members.1.values().filter_map(|usage| Some((usage.unused(now, unused)?, usage)));
        let goes = goes.min_by_key(|(standing, _)| standing.rank());
        goes.is_some_and(|(_, usage)| usage.go())
    }
}

impl Drop for Member {
    fn drop(&mut self) {
        self.crowd.members.lock().unwrap_or_else(PoisonError::into_inner).1.remove(&self.id);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn who_never_was_of_use_goes_first_and_one_at_a_time() {
        let at = Duration::from_secs;
        let crowd = Arc::<Crowd>::default();
        let [served, noise, silent, busy, young] = [10, 11, 12, 9, 59].map(|s| Arc::new(Usage::new(at(s))));
        let members = [&served, &noise, &silent, &busy, &young].map(|usage| crowd.enter(Arc::clone(usage)));
        served.asks();
        served.answered(at(20));
        // Answered, but with nothing that was worth a place.
        noise.asks();
        noise.refused();
        busy.asks();
        let told = || [&served, &noise, &silent, &busy, &young].map(|usage| usage.is_told());
        let now = at(59);
        assert!(crowd.one_goes(now, at(1)));
        assert_eq!(
            told(),
            [false, true, false, false, false],
            "the longest unused of those that never were of use"
        );
        assert!(crowd.one_goes(now, at(1)));
        assert_eq!(told(), [false, true, true, false, false]);
        assert!(crowd.one_goes(now, at(1)));
        assert_eq!(told(), [true, true, true, false, false], "then one that was");
        assert!(!crowd.one_goes(now, at(1)), "one is asked by, one has just come");
        assert!(crowd.one_goes(at(60), at(1)) && young.is_told());
        drop(members);
        assert!(crowd.members.lock().unwrap().1.is_empty());
    }
}
