//! What is done to one shopper's row, each in one transaction.

use std::collections::HashMap;

use domicile_wire::{Event, ShopperId};
use redb::ReadableTable as _;

use super::{ANONYMOUS, EmbeddedStore, Kept, Row, SHOPPERS, StoreError, TOMBSTONES, Taken, store_error};
use crate::features::{Standing, taken_in};

/// Rows taken out in one transaction: a batch of events waits for no more than these.
const EXPIRED_AT_ONCE: usize = 500;

impl EmbeddedStore {
    /// When shoppers were erased, by id.
    ///
    /// # Errors
    /// [`StoreError`].
    pub fn tombstones(&self) -> Result<HashMap<Box<str>, i64>, StoreError> {
        self.look(|read| {
            let table = read.open_table(TOMBSTONES).map_err(store_error)?;
            let mut tombstones = HashMap::new();
            for entry in table.iter().map_err(store_error)? {
                let (shopper, erased_s) = entry.map_err(store_error)?;
                tombstones.insert(shopper.value().into(), erased_s.value());
            }
            Ok(tombstones)
        })
    }

    pub(super) fn take_now(
        &self,
        shopper: &ShopperId,
        standing: Standing,
        events: Vec<Event>,
        now_s: i64,
    ) -> Result<Taken, StoreError> {
        self.write(|write| {
            let tombstones = write.open_table(TOMBSTONES).map_err(store_error)?;
            let erased_s = tombstones.get(shopper.expose()).map_err(store_error)?.map(|at| at.value());
            let mut table = write.open_table(SHOPPERS).map_err(store_error)?;
            let known = table.get(shopper.expose()).map_err(store_error)?;
            let is_new = known.is_none();
            let mut row = known.map(|bytes| Row::from_bytes(bytes.value())).transpose()?.unwrap_or_default();
            let taken = taken_in(&mut row, events, erased_s, now_s);
            let is_kept = !taken.accepted.is_empty();
            if is_kept {
                table.insert(shopper.expose(), row.to_bytes()?.as_slice()).map_err(store_error)?;
            }
            let mut anonymous = write.open_table(ANONYMOUS).map_err(store_error)?;
            match standing {
                // Whom the shop knows now is kept as such, also when all that came was there already.
                Standing::Known => {
                    anonymous.remove(shopper.expose()).map_err(store_error)?;
                }
                Standing::Anonymous if is_kept => {
                    let is_marked = anonymous.get(shopper.expose()).map_err(store_error)?.is_some();
                    // A row without a mark is a known shopper's: a token that says otherwise must not let it expire.
                    if is_new || is_marked {
                        anonymous.insert(shopper.expose(), now_s).map_err(store_error)?;
                    }
                }
                Standing::Anonymous => {}
            }
            Ok(taken)
        })
    }

    pub(super) fn kept_now(&self, shopper: &ShopperId) -> Result<Kept, StoreError> {
        self.look(|read| {
            let table = read.open_table(SHOPPERS).map_err(store_error)?;
            let bytes = table.get(shopper.expose()).map_err(store_error)?;
            let row = bytes.map(|bytes| Row::from_bytes(bytes.value())).transpose()?;
            let tombstones = read.open_table(TOMBSTONES).map_err(store_error)?;
            let erased_s = tombstones.get(shopper.expose()).map_err(store_error)?.map(|at| at.value());
            Ok(Kept { row, erased_s })
        })
    }

    /// The tombstone and the row in one transaction: there is no moment with the one and without the other.
    pub(super) fn erase_now(&self, shopper: &ShopperId, now_s: i64) -> Result<i64, StoreError> {
        self.write(|write| {
            let mut tombstones = write.open_table(TOMBSTONES).map_err(store_error)?;
            let before = tombstones.get(shopper.expose()).map_err(store_error)?.map(|at| at.value());
            // A clock that was put back takes nothing back.
            let erased_s = before.map_or(now_s, |before| before.max(now_s));
            tombstones.insert(shopper.expose(), erased_s).map_err(store_error)?;
            let mut table = write.open_table(SHOPPERS).map_err(store_error)?;
            table.remove(shopper.expose()).map_err(store_error)?;
            let mut anonymous = write.open_table(ANONYMOUS).map_err(store_error)?;
            anonymous.remove(shopper.expose()).map_err(store_error)?;
            Ok(erased_s)
        })
    }

    /// A row and its mark in one transaction, of some hundreds. No tombstone: the subject was random, and nobody can ask
    /// for it again.
    pub(super) fn expire_now(&self, before_s: i64) -> Result<u64, StoreError> {
        let over = self.look(|read| {
            let table = read.open_table(ANONYMOUS).map_err(store_error)?;
            let mut over = Vec::new();
            for entry in table.iter().map_err(store_error)? {
                let (shopper, last_s) = entry.map_err(store_error)?;
                if last_s.value() < before_s {
                    over.push(shopper.value().to_owned());
                }
            }
            Ok(over)
        })?;
        let mut taken_out = 0;
        for some in over.chunks(EXPIRED_AT_ONCE) {
            taken_out += self.take_out(some, before_s)?;
        }
        Ok(taken_out)
    }

    fn take_out(&self, over: &[String], before_s: i64) -> Result<u64, StoreError> {
        self.write(|write| {
            let mut anonymous = write.open_table(ANONYMOUS).map_err(store_error)?;
            let mut table = write.open_table(SHOPPERS).map_err(store_error)?;
            let mut taken_out = 0;
            for shopper in over {
                // A batch may have come since they were listed.
                let last_s = anonymous.get(shopper.as_str()).map_err(store_error)?.map(|at| at.value());
                if last_s.is_some_and(|last_s| last_s < before_s) {
                    anonymous.remove(shopper.as_str()).map_err(store_error)?;
                    table.remove(shopper.as_str()).map_err(store_error)?;
                    taken_out += 1;
                }
            }
            Ok(taken_out)
        })
    }
}

#[cfg(test)]
mod tests {
    use domicile_wire::EventKind;

    use super::*;

    fn purchase(id: &str, time_s: i64) -> Event {
        Event {
            id: id.into(),
            kind: EventKind::Purchase,
            item: Some("4711".into()),
            time_s,
            rung: None,
            shown: None,
            client_ms: None,
        }
    }

    #[test]
    fn what_was_acknowledged_is_there_after_a_restart_and_an_erasure_stays() {
        let directory = tempfile::tempdir().unwrap();
        let shopper = ShopperId::new("a").unwrap();
        {
            let store = EmbeddedStore::open(directory.path()).unwrap();
            let taken = store.take_now(&shopper, Standing::Known, vec![purchase("1", 100)], 200).unwrap();
            assert_eq!(taken.accepted.len(), 1);
        }
        {
            let store = EmbeddedStore::open(directory.path()).unwrap();
            assert_eq!(
                store.take_now(&shopper, Standing::Known, vec![purchase("1", 100)], 200).unwrap().duplicates,
                1
            );
            assert_eq!(store.kept_now(&shopper).unwrap().row.unwrap().session.items.len(), 1);
            assert_eq!(store.erase_now(&shopper, 300).unwrap(), 300);
            assert_eq!(store.erase_now(&shopper, 250).unwrap(), 300, "a clock put back takes nothing back");
            assert_eq!(store.kept_now(&shopper).unwrap(), Kept { row: None, erased_s: Some(300) });
        }
        let store = EmbeddedStore::open(directory.path()).unwrap();
        let taken = store
            .take_now(&shopper, Standing::Known, vec![purchase("1", 100), purchase("2", 300)], 400)
            .unwrap();
        assert_eq!((taken.accepted.len(), taken.erased), (0, 2));
        assert_eq!(store.kept_now(&shopper).unwrap().row, None, "nothing is written for what was dropped");
        store.begin_import().unwrap().complete().unwrap();
        assert_eq!(store.tombstones().unwrap().get("a"), Some(&300), "a tombstone outlives an import");
        let new = store.take_now(&shopper, Standing::Known, vec![purchase("3", 301)], 400).unwrap();
        assert_eq!(new.accepted.len(), 1);
    }

    #[test]
    fn what_an_anonymous_shopper_did_is_kept_for_its_time_and_a_known_one_s_is_not_touched() {
        let directory = tempfile::tempdir().unwrap();
        let store = EmbeddedStore::open(directory.path()).unwrap();
        let shopper = |name: &str| ShopperId::new(name).unwrap();
        let take = |name: &str, standing, id: &str, now_s| {
            let taken = store.take_now(&shopper(name), standing, vec![purchase(id, now_s)], now_s).unwrap();
            assert_eq!(taken.accepted.len(), 1);
        };
        let kept = |name: &str| store.kept_now(&shopper(name)).unwrap().row.is_some();
        take("gone", Standing::Anonymous, "1", 100);
        take("back", Standing::Anonymous, "1", 100);
        take("known", Standing::Known, "1", 100);
        take("logged-in", Standing::Anonymous, "1", 100);
        take("logged-in", Standing::Known, "2", 101);
        take("back", Standing::Anonymous, "2", 200);
        assert_eq!(store.expire_now(100).unwrap(), 0);
        assert_eq!(store.expire_now(101).unwrap(), 1);
        assert_eq!(["gone", "back", "known", "logged-in"].map(kept), [false, true, true, true]);
        assert_eq!(store.kept_now(&shopper("gone")).unwrap(), Kept::default(), "no tombstone");
        store.erase_now(&shopper("back"), 300).unwrap();
        assert_eq!((store.expire_now(i64::MAX).unwrap(), store.shoppers().unwrap()), (0, 2));
        take("known", Standing::Anonymous, "2", 400);
        assert_eq!(store.expire_now(i64::MAX).unwrap(), 0, "a known shopper's row stays a known one's");
        // A login whose batch was there already takes the mark away as well.
        take("late", Standing::Anonymous, "1", 400);
        let again = store.take_now(&shopper("late"), Standing::Known, vec![purchase("1", 400)], 401).unwrap();
        assert_eq!((again.accepted.len(), again.duplicates), (0, 1));
        assert_eq!((store.expire_now(i64::MAX).unwrap(), kept("late")), (0, true));
    }

    #[test]
    fn more_than_one_transaction_s_rows_expire() {
        let directory = tempfile::tempdir().unwrap();
        let store = EmbeddedStore::open(directory.path()).unwrap();
        let marks = 2 * EXPIRED_AT_ONCE as u64 + 1;
        store
            .write(|write| {
                let mut anonymous = write.open_table(ANONYMOUS).map_err(store_error)?;
                for number in 0..marks {
                    anonymous.insert(format!("s{number}").as_str(), 100_i64).map_err(store_error)?;
                }
                Ok(())
            })
            .unwrap();
        assert_eq!(store.expire_now(101).unwrap(), marks);
        assert_eq!(store.expire_now(101).unwrap(), 0);
    }
}
