//! What is done to one shopper's row, each in one transaction.

use std::collections::HashMap;

use domicile_wire::{Event, ShopperId};
use redb::ReadableTable as _;

use super::{EmbeddedStore, Kept, Row, SHOPPERS, StoreError, TOMBSTONES, Taken, store_error};
use crate::features::taken_in;

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
        events: Vec<Event>,
        now_s: i64,
    ) -> Result<Taken, StoreError> {
        self.write(|write| {
            let tombstones = write.open_table(TOMBSTONES).map_err(store_error)?;
            let erased_s = tombstones.get(shopper.expose()).map_err(store_error)?.map(|at| at.value());
            let mut table = write.open_table(SHOPPERS).map_err(store_error)?;
            let known = table.get(shopper.expose()).map_err(store_error)?;
            let mut row = known.map(|bytes| Row::from_bytes(bytes.value())).transpose()?.unwrap_or_default();
            let taken = taken_in(&mut row, events, erased_s, now_s);
            if !taken.accepted.is_empty() {
                table.insert(shopper.expose(), row.to_bytes()?.as_slice()).map_err(store_error)?;
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
            Ok(erased_s)
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
            let taken = store.take_now(&shopper, vec![purchase("1", 100)], 200).unwrap();
            assert_eq!(taken.accepted.len(), 1);
        }
        {
            let store = EmbeddedStore::open(directory.path()).unwrap();
            assert_eq!(store.take_now(&shopper, vec![purchase("1", 100)], 200).unwrap().duplicates, 1);
            assert_eq!(store.kept_now(&shopper).unwrap().row.unwrap().session.items.len(), 1);
            assert_eq!(store.erase_now(&shopper, 300).unwrap(), 300);
            assert_eq!(store.erase_now(&shopper, 250).unwrap(), 300, "a clock put back takes nothing back");
            assert_eq!(store.kept_now(&shopper).unwrap(), Kept { row: None, erased_s: Some(300) });
        }
        let store = EmbeddedStore::open(directory.path()).unwrap();
        let taken = store.take_now(&shopper, vec![purchase("1", 100), purchase("2", 300)], 400).unwrap();
        assert_eq!((taken.accepted.len(), taken.erased), (0, 2));
        assert_eq!(store.kept_now(&shopper).unwrap().row, None, "nothing is written for what was dropped");
        store.begin_import().unwrap().complete().unwrap();
        assert_eq!(store.tombstones().unwrap().get("a"), Some(&300), "a tombstone outlives an import");
        assert_eq!(store.take_now(&shopper, vec![purchase("3", 301)], 400).unwrap().accepted.len(), 1);
    }
}
