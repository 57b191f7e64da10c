//! A bounded memory of encapsulated keys.
//!
//! An encapsulated key is made for one request (RFC 9458, section 6.5.1 proposes to remember them), so one that comes
//! twice is a replay. This is best effort and says so: it is a process's own, it forgets at a restart and when it is
//! full. What holds against replay is the date inside the seal, within the same window, and calls that may be repeated
//! without harm.
//!
//! Two generations, each at most half of the window and half of the room: what is asked for is looked up in both, and
//! the older one is dropped whole. No timer, no scan, and the memory is bounded however many requests come.

use std::collections::HashSet;

use sha2::{Digest as _, Sha256};

use crate::suite::{HEADER, Kem};

/// What is kept of an encapsulated key.
type Trace = [u8; 16];

/// Requests seen within a window.
#[derive(Debug)]
pub struct Seen {
    window_s: i64,
    room: usize,
    young: HashSet<Trace>,
    old: HashSet<Trace>,
    since: i64,
}

impl Seen {
    /// A memory of at least half of `window_s` seconds and at most `room` requests.
    #[must_use]
    pub fn new(window_s: i64, room: usize) -> Self {
        Self { window_s, room, young: HashSet::new(), old: HashSet::new(), since: i64::MIN }
    }

    /// Whether a request (its sealed bytes) is seen for the first time, at `now` in seconds.
    pub fn first_time(&mut self, sealed: &[u8], now: i64) -> bool {
        let half = self.window_s.max(2) / 2;
        let age = now.saturating_sub(self.since);
        if age >= half || self.young.len() >= (self.room / 2).max(1) {
            self.old = std::mem::take(&mut self.young);
            if age >= half.saturating_mul(2) {
                self.old.clear();
            }
            self.since = now;
        }
        let trace = trace(sealed);
        !self.old.contains(&trace) && self.young.insert(trace)
    }

    /// Requests remembered.
    #[must_use]
    pub fn len(&self) -> usize {
        self.young.len() + self.old.len()
    }

    /// Whether nothing is remembered.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }
}

/// A trace of the encapsulated key. The longest key's bytes are taken: for a shorter one, some of the cipher text too.
fn trace(sealed: &[u8]) -> Trace {
    let end = HEADER + Kem::P256.public_bytes();
    let digest: [u8; 32] = Sha256::digest(sealed.get(HEADER..end).unwrap_or(sealed)).into();
    let mut trace = Trace::default();
    trace.iter_mut().zip(digest).for_each(|(to, from)| *to = from);
    trace
}

#[cfg(test)]
mod tests {
    use super::Seen;

    fn sealed(n: u32) -> Vec<u8> {
        let mut bytes = vec![0; 100];
        bytes[7..11].copy_from_slice(&n.to_be_bytes());
        bytes
    }

    #[test]
    fn a_replay_within_half_of_the_window_is_seen() {
        let mut seen = Seen::new(60, 1_000);
        assert!(seen.first_time(&sealed(1), 0));
        assert!(!seen.first_time(&sealed(1), 0));
        assert!(!seen.first_time(&sealed(1), 29));
        assert!(!seen.first_time(&sealed(1), 30), "the older half is looked up too");
        assert!(seen.first_time(&sealed(2), 30));
        assert!(seen.first_time(&sealed(1), 1_000), "long after, the date has refused it already");
    }

    #[test]
    fn it_never_holds_more_than_its_room() {
        let mut seen = Seen::new(60, 100);
        for n in 0..10_000 {
            assert!(seen.first_time(&sealed(n), 0));
            assert!(seen.len() <= 100);
        }
        assert!(!seen.first_time(&sealed(9_999), 0));
        assert!(seen.first_time(&sealed(0), 0), "best effort: a flood makes it forget");
    }

    #[test]
    fn a_clock_that_jumps_back_forgets_nothing() {
        let mut seen = Seen::new(60, 100);
        assert!(seen.first_time(&sealed(1), 1_000));
        assert!(!seen.first_time(&sealed(1), 10));
    }
}
