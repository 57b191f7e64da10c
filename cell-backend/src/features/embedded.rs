//! The embedded store: one `redb` file, durable, pure Rust.
//!
//! A copy-on-write B-tree fits the load better than a log-structured tree: a row is read whole far more often than
//! written, reads never wait for a writer, and nothing compacts in the background while a deadline runs.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use domicile_wire::ShopperId;
use redb::{Database, ReadableDatabase as _, ReadableTableMetadata as _, TableDefinition};

use super::{FeatureStore, Reading, Row, StoreError};
use crate::failure::{Exit, Failure};
use crate::room::Room;

/// The store's file in its directory.
const FILE: &str = "features.redb";
const SHOPPERS: TableDefinition<'_, &str, &[u8]> = TableDefinition::new("shoppers");
const META: TableDefinition<'_, &str, &str> = TableDefinition::new("meta");
/// The row that tells a whole import from one that was stopped half-way.
const IMPORT: &str = "import";
/// The row that says which cell's shoppers these are.
const OWNER: &str = "owner";
const RUNNING: &str = "running";
const COMPLETE: &str = "complete";
/// Reads at once, unless told otherwise: a read of a cached page takes some ten microseconds.
pub const READS: u32 = 32;

/// A feature store in a directory of its own.
#[derive(Clone)]
pub struct EmbeddedStore {
    database: Arc<Database>,
    reads: Room,
}

/// An import under way: until [`Import::complete`] is called, the store is not served from.
pub struct Import<'s> {
    store: &'s EmbeddedStore,
}

impl EmbeddedStore {
    /// Opens the store in `directory`, making it when there is none.
    ///
    /// # Errors
    /// [`Failure`], among others when another process has it open.
    pub fn open(directory: &Path) -> Result<Self, Failure> {
        let path = directory.join(FILE);
        let fail = |found: String| {
            let remedy = "stop the process that uses it, or point --store at another directory";
            Failure::file(Exit::Store, &path, "a feature store", &found, remedy)
        };
        std::fs::create_dir_all(directory).map_err(|e| fail(e.to_string()))?;
        let database = Database::create(&path).map_err(|e| fail(e.to_string()))?;
        let store = Self { database: Arc::new(database), reads: Room::of(READS) };
        store.make_tables().map_err(|e| fail(e.to_string()))?;
        Ok(store)
    }

    /// Opens the store for serving.
    ///
    /// # Errors
    /// [`Failure`] as [`EmbeddedStore::open`], and when an import into it was stopped half-way.
    pub fn open_complete(directory: &Path) -> Result<Self, Failure> {
        let store = Self::open(directory)?;
        let state = store.import_state().map_err(|e| Failure::new(Exit::Store, e.to_string()))?;
        if state.as_deref() == Some(RUNNING) {
            let path: PathBuf = directory.join(FILE);
            let remedy = "run `domicile-cell import` again: it starts over";
            return Err(Failure::file(
                Exit::Store,
                &path,
                "a whole import",
                "one that was stopped half-way",
                remedy,
            ));
        }
        Ok(store)
    }

    /// Makes the store `owner`'s (a cell and its boundary), or finds that it is.
    ///
    /// A copied or swapped folder would otherwise have one boundary's shoppers ranked in another, and nothing later
    /// could notice.
    ///
    /// # Errors
    /// [`Failure`] when it is another cell's.
    pub fn claim(&self, directory: &Path, owner: &str) -> Result<(), Failure> {
        let fail = |e: StoreError| Failure::new(Exit::Store, e.to_string());
        match self.owner().map_err(fail)? {
            Some(found) if found == owner => Ok(()),
            Some(found) => {
                let remedy = "point --store at this cell's own directory, and import into it";
                let (expected, found) = (format!("the store of {owner}"), format!("the store of {found}"));
                Err(Failure::file(Exit::Store, &directory.join(FILE), &expected, &found, remedy))
            }
            None => self.set_owner(owner).map_err(fail),
        }
    }

    fn owner(&self) -> Result<Option<String>, StoreError> {
        let read = self.database.begin_read().map_err(store_error)?;
        let meta = read.open_table(META).map_err(store_error)?;
        Ok(meta.get(OWNER).map_err(store_error)?.map(|value| value.value().to_owned()))
    }

    fn set_owner(&self, owner: &str) -> Result<(), StoreError> {
        let write = self.database.begin_write().map_err(store_error)?;
        write.open_table(META).map_err(store_error)?.insert(OWNER, owner).map_err(store_error)?;
        write.commit().map_err(store_error)
    }

    /// The same store with room for so many reads at once.
    #[must_use]
    pub fn with_reads(self, reads: u32) -> Self {
        Self { reads: Room::of(reads), ..self }
    }

    /// Number of shoppers.
    ///
    /// # Errors
    /// [`StoreError`].
    pub fn shoppers(&self) -> Result<u64, StoreError> {
        let read = self.database.begin_read().map_err(store_error)?;
        read.open_table(SHOPPERS).map_err(store_error)?.len().map_err(store_error)
    }

    /// Starts an import: marks the store as not whole and takes out every row.
    ///
    /// # Errors
    /// [`StoreError`].
    pub fn begin_import(&self) -> Result<Import<'_>, StoreError> {
        let write = self.database.begin_write().map_err(store_error)?;
        write.delete_table(SHOPPERS).map_err(store_error)?;
        write.open_table(SHOPPERS).map_err(store_error)?;
        write.open_table(META).map_err(store_error)?.insert(IMPORT, RUNNING).map_err(store_error)?;
        write.commit().map_err(store_error)?;
        Ok(Import { store: self })
    }

    fn make_tables(&self) -> Result<(), StoreError> {
        let write = self.database.begin_write().map_err(store_error)?;
        write.open_table(SHOPPERS).map_err(store_error)?;
        write.open_table(META).map_err(store_error)?;
        write.commit().map_err(store_error)
    }

    fn import_state(&self) -> Result<Option<String>, StoreError> {
        let read = self.database.begin_read().map_err(store_error)?;
        let meta = read.open_table(META).map_err(store_error)?;
        Ok(meta.get(IMPORT).map_err(store_error)?.map(|state| state.value().to_owned()))
    }

    fn read_now(&self, shopper: &ShopperId) -> Result<Option<Row>, StoreError> {
        let read = self.database.begin_read().map_err(store_error)?;
        let table = read.open_table(SHOPPERS).map_err(store_error)?;
        let bytes = table.get(shopper.expose()).map_err(store_error)?;
        bytes.map(|bytes| Row::from_bytes(bytes.value())).transpose()
    }
}

impl Import<'_> {
    /// Writes a batch of rows, durably.
    ///
    /// # Errors
    /// [`StoreError`].
    pub fn write<'r>(&self, rows: impl Iterator<Item = (&'r str, &'r Row)>) -> Result<(), StoreError> {
        let write = self.store.database.begin_write().map_err(store_error)?;
        {
            let mut table = write.open_table(SHOPPERS).map_err(store_error)?;
            for (shopper, row) in rows {
                table.insert(shopper, row.to_bytes()?.as_slice()).map_err(store_error)?;
            }
        }
        write.commit().map_err(store_error)
    }

    /// Marks the store as whole.
    ///
    /// # Errors
    /// [`StoreError`].
    pub fn complete(self) -> Result<(), StoreError> {
        let write = self.store.database.begin_write().map_err(store_error)?;
        write.open_table(META).map_err(store_error)?.insert(IMPORT, COMPLETE).map_err(store_error)?;
        write.commit().map_err(store_error)
    }
}

impl FeatureStore for EmbeddedStore {
    fn read<'a>(&'a self, shopper: &'a ShopperId) -> Reading<'a> {
        let (store, shopper) = (self.clone(), shopper.clone());
        Box::pin(async move {
            let reads = store.reads.clone();
            reads.run(move || store.read_now(&shopper)).await.map_err(|_| StoreError::Stopping)?
        })
    }
}

/// redb's errors speak of pages and files, never of keys.
fn store_error(error: impl std::fmt::Display) -> StoreError {
    StoreError::Store(error.to_string())
}

#[cfg(test)]
mod tests {
    use super::super::{Group, ItemHistory, Kind};
    use super::*;

    fn row() -> Row {
        let items = vec![ItemHistory::begin("4711", Kind::Purchase, 1_000)];
        Row { updated_s: 2_000, profile: Group { items }, session: Group::default() }
    }

    #[test]
    fn a_store_stays_with_the_cell_that_claimed_it() {
        let directory = tempfile::tempdir().unwrap();
        let store = EmbeddedStore::open(directory.path()).unwrap();
        store.claim(directory.path(), "eu-a in eu").unwrap();
        store.claim(directory.path(), "eu-a in eu").unwrap();
        let line = store.claim(directory.path(), "us-a in us").unwrap_err().to_string();
        assert!(line.contains("us-a in us") && line.contains("eu-a in eu"), "{line}");
    }

    #[test]
    fn rows_outlive_the_process_and_only_a_whole_import_is_served() {
        let directory = tempfile::tempdir().unwrap();
        let shopper = ShopperId::new("a").unwrap();
        {
            let store = EmbeddedStore::open(directory.path()).unwrap();
            let import = store.begin_import().unwrap();
            import.write([("a", &row())].into_iter()).unwrap();
        }
        let line = EmbeddedStore::open_complete(directory.path()).err().unwrap().to_string();
        assert!(line.contains("stopped half-way"), "{line}");
        {
            let store = EmbeddedStore::open(directory.path()).unwrap();
            let import = store.begin_import().unwrap();
            assert_eq!(store.shoppers().unwrap(), 0, "an import starts over");
            import.write([("a", &row())].into_iter()).unwrap();
            import.complete().unwrap();
        }
        let store = EmbeddedStore::open_complete(directory.path()).unwrap();
        assert_eq!(store.read_now(&shopper).unwrap(), Some(row()));
        assert_eq!(store.read_now(&ShopperId::new("b").unwrap()).unwrap(), None);
        let second = EmbeddedStore::open(directory.path()).err().unwrap();
        assert_eq!(second.exit, Exit::Store);
    }
}
