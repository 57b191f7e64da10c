//! How often one address may ask: a token bucket for each, in bounded memory, written down nowhere.
//!
//! A bucket is one number, the time at which it is full again (the generic cell rate algorithm; ITU-T I.371), so that
//! nothing has to refill it. Buckets lie in a table of fixed size, eight to a set, found by a hash whose key this
//! process drew at its start: an address itself is not kept, and nobody can aim at another's bucket. A set that is full
//! gives up the bucket that is nearest to full, which forgets the least.
//!
//! A map with eviction behind one lock was the alternative, and `governor`, whose keyed limiter has no cap on its keys:
//! a flood from a /32 of IPv6 would fill it with 2³² buckets.

use std::hash::{BuildHasher, RandomState};
use std::net::IpAddr;
use std::sync::{Mutex, PoisonError};
use std::time::{Duration, Instant};

use crate::settings::Rate;

/// 8 ways × 8,192 sets × 16 bytes: 1 MiB, for 65,536 addresses at once.
const WAYS: usize = 8;
const SETS: usize = 8_192;
const SET_MASK: u64 = SETS as u64 - 1;

/// The buckets of all addresses.
pub(crate) struct RateLimit {
    sets: Vec<Mutex<[Bucket; WAYS]>>,
    key: RandomState,
    begun: Instant,
    /// Nanoseconds that one request costs, and that a bucket may be behind.
    cost: u64,
    depth: u64,
}

#[derive(Debug, Clone, Copy, Default)]
struct Bucket {
    /// The hash of its address.
    whose: u64,
    /// When it is full again, nanoseconds since the start. Long ago: it may be anybody's.
    full_at: u64,
}

/// Whether a request may be answered.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Allowed {
    Yes,
    No,
}

impl RateLimit {
    pub(crate) fn new(rate: Rate, now: Instant) -> Self {
        let cost = nanos(Duration::from_secs(1)) / u64::from(rate.per_second.max(1));
        let mut sets = Vec::new();
        sets.resize_with(SETS, Mutex::default);
        Self { sets, key: RandomState::new(), begun: now, cost, depth: cost * u64::from(rate.burst.max(1)) }
    }

    /// Takes one token of this address.
    pub(crate) fn take(&self, address: IpAddr, now: Instant) -> Allowed {
        self.take_hashed(self.key.hash_one(network(address)), now)
    }

    fn take_hashed(&self, whose: u64, now: Instant) -> Allowed {
        let now = nanos(now.saturating_duration_since(self.begun));
        let index = usize::try_from(whose & SET_MASK).unwrap_or_default();
        let Some(set) = self.sets.get(index) else { return Allowed::Yes };
        let mut set = set.lock().unwrap_or_else(PoisonError::into_inner);
        let Some(bucket) = find(&mut set, whose) else { return Allowed::Yes };
        let full_at = bucket.full_at.max(now) + self.cost;
        if full_at - now > self.depth {
            return Allowed::No;
        }
        bucket.full_at = full_at;
        Allowed::Yes
    }
}

/// The address's bucket, or the one of its set that is nearest to full, emptied of its past.
fn find(set: &mut [Bucket; WAYS], whose: u64) -> Option<&mut Bucket> {
    let at = set.iter().position(|bucket| bucket.whose == whose).or_else(|| {
        let (at, bucket) = set.iter_mut().enumerate().min_by_key(|(_, bucket)| bucket.full_at)?;
        *bucket = Bucket { whose, full_at: 0 };
        Some(at)
    })?;
    set.get_mut(at)
}

/// What counts as one address: an IPv6 caller has a /64 to choose from (RFC 6177).
pub(crate) fn network(address: IpAddr) -> u128 {
    match address.to_canonical() {
        IpAddr::V4(address) => u128::from(address.to_bits()),
        IpAddr::V6(address) => ((address.to_bits() >> 64) << 64) | (1 << 63),
    }
}

fn nanos(duration: Duration) -> u64 {
    u64::try_from(duration.as_nanos()).unwrap_or(u64::MAX)
}

#[cfg(test)]
mod tests {
    use super::{Allowed, RateLimit, WAYS};
    use crate::clock;
    use crate::settings::Rate;
    use std::net::IpAddr;
    use std::time::Duration;

    fn address(text: &str) -> IpAddr {
        text.parse().unwrap()
    }

    #[test]
    fn a_burst_then_the_rate() {
        let begin = clock::now();
        let limit = RateLimit::new(Rate { per_second: 2, burst: 3 }, begin);
        let take = |who, millis| limit.take(address(who), begin + Duration::from_millis(millis));
        assert_eq!(
            [0, 0, 0, 0].map(|at| take("192.0.2.1", at)),
            [Allowed::Yes, Allowed::Yes, Allowed::Yes, Allowed::No]
        );
        assert_eq!(take("192.0.2.2", 0), Allowed::Yes, "another address is not concerned");
        assert_eq!([499, 500, 501].map(|at| take("192.0.2.1", at)), [Allowed::No, Allowed::Yes, Allowed::No]);
        let answered = (0..2_000).filter(|at| take("192.0.2.1", 10_000 + at * 10) == Allowed::Yes).count();
        assert!((40..=43).contains(&answered), "20 s at 2 a second and a burst: {answered}");
    }

    #[test]
    fn a_64_is_one_address_and_v4_in_v6_is_v4() {
        let begin = clock::now();
        let limit = RateLimit::new(Rate { per_second: 1, burst: 1 }, begin);
        let take = |who| limit.take(address(who), begin);
        assert_eq!(take("2001:db8::1"), Allowed::Yes);
        assert_eq!(take("2001:db8::ffff:2"), Allowed::No);
        assert_eq!(take("2001:db8:0:1::1"), Allowed::Yes);
        assert_eq!(take("192.0.2.1"), Allowed::Yes);
        assert_eq!(take("::ffff:192.0.2.1"), Allowed::No);
    }

    #[test]
    fn a_full_set_forgets_who_asked_least() {
        let begin = clock::now();
        let limit = RateLimit::new(Rate { per_second: 1, burst: 4 }, begin);
        let of_one_set = |n: u64| (n + 1) << 32;
        let greedy = of_one_set(0);
        while limit.take_hashed(greedy, begin) == Allowed::Yes {}
        for modest in 1..10 * WAYS as u64 {
            assert_eq!(limit.take_hashed(of_one_set(modest), begin), Allowed::Yes);
        }
        assert_eq!(limit.take_hashed(greedy, begin), Allowed::No);
    }
}
