//! How many connections one address has: counted in memory, by a keyed hash, for as long as they are open.
//!
//! Without it one address can open all that there are. A rate of requests does not help: these need not ask for anything.
//! An entry belongs to at least one open connection, so there are never more entries than `--connections`, and a table of
//! fixed size that forgets, as `rate.rs` has, would let go of the very address that holds most.

use std::collections::HashMap;
use std::collections::hash_map::Entry;
use std::hash::{BuildHasher, RandomState};
use std::net::IpAddr;
use std::sync::{Arc, Mutex, PoisonError};

use crate::rate::network;

/// The connections of each address (a /64 of IPv6) that has any.
pub(crate) struct PerAddress {
    most: usize,
    key: RandomState,
    open: Mutex<HashMap<u64, usize>>,
}

/// A connection that counts until this is dropped.
pub(super) struct Place {
    counted: Arc<PerAddress>,
    whose: u64,
}

impl PerAddress {
    pub(crate) fn new(most: usize) -> Self {
        Self { most, key: RandomState::new(), open: Mutex::default() }
    }

    /// A place for one more connection of this address, if it may have one.
    pub(super) fn take(self: &Arc<Self>, address: IpAddr) -> Option<Place> {
        let whose = self.key.hash_one(network(address));
        let mut open = self.open.lock().unwrap_or_else(PoisonError::into_inner);
        let count = open.entry(whose).or_default();
        if *count >= self.most {
            return None;
        }
        *count += 1;
        Some(Place { counted: Arc::clone(self), whose })
    }
}

impl Drop for Place {
    fn drop(&mut self) {
        let mut open = self.counted.open.lock().unwrap_or_else(PoisonError::into_inner);
        if let Entry::Occupied(mut entry) = open.entry(self.whose) {
            *entry.get_mut() = entry.get().saturating_sub(1);
            if *entry.get() == 0 {
                entry.remove();
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use super::PerAddress;

    #[test]
    fn an_address_has_so_many_places_and_leaves_nothing_behind() {
        let counted = Arc::new(PerAddress::new(2));
        let take = |address: &str| counted.take(address.parse().unwrap());
        let (first, second) = (take("192.0.2.1").unwrap(), take("::ffff:192.0.2.1").unwrap());
        assert!(take("192.0.2.1").is_none(), "two are open");
        let other = take("192.0.2.2").unwrap();
        drop(first);
        let third = take("192.0.2.1").unwrap();
        assert!(take("192.0.2.1").is_none());
        let same = [take("2001:db8::1").unwrap(), take("2001:db8::2").unwrap()];
        assert!(take("2001:db8::3").is_none(), "a /64 is one address");
        drop((second, third, other, same));
        assert!(counted.open.lock().unwrap().is_empty());
    }
}
