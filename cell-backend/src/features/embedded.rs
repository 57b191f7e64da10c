//! The embedded store: one `redb` file, durable, pure Rust.
//!
//! A copy-on-write B-tree fits the load better than a log-structured tree: a row is read whole far more often than
//! written, reads never wait for a writer, and nothing compacts in the background while a deadline runs.

mod guard;
mod opening;
mod shoppers;

use std::path::Path;
use std::sync::{Arc, Mutex, PoisonError, RwLock};

use domicile_wire::{Event, ShopperId};
use redb::{
    Database, ReadTransaction, ReadableDatabase as _, ReadableTableMetadata as _, TableDefinition,
    WriteTransaction,
};

use guard::guarded;
use opening::Check;

use super::{Doing, FeatureStore, Kept, Reading, Row, Standing, StoreError, Taken};
use crate::failure::{Exit, Failure};
use crate::room::Room;

/// The store's file in its directory.
const FILE: &str = "features.redb";
const SHOPPERS: TableDefinition<'_, &str, &[u8]> = TableDefinition::new("shoppers");
/// When a shopper was erased, by id: it outlives imports.
const TOMBSTONES: TableDefinition<'_, &str, i64> = TableDefinition::new("tombstones");
/// When the last batch of an anonymous shopper came, by id.
const ANONYMOUS: TableDefinition<'_, &str, i64> = TableDefinition::new("anonymous");
const META: TableDefinition<'_, &str, &str> = TableDefinition::new("meta");
/// The row that tells a whole import from one that was stopped half-way.
const IMPORT: &str = "import";
/// The row that says which cell's shoppers these are.
const OWNER: &str = "owner";
const RUNNING: &str = "running";
const COMPLETE: &str = "complete";
/// Reads at once, unless told otherwise: far more than cores, since a read that waits for the disk needs none.
pub const READS: u32 = 32;
/// Writes at once: one is in the disk, the others wait for it on threads of their own.
const WRITES: u32 = 4;

/// A feature store in a directory of its own.
#[derive(Clone)]
pub struct EmbeddedStore {
    path: Arc<Path>,
    file: Arc<RwLock<File>>,
    /// Held by who opens the file anew.
    reopening: Arc<Mutex<()>>,
    reads: Room,
    writes: Room,
}

/// The open file. Closing it writes, which can meet damage as well.
struct File(Option<Database>);

/// An import under way: until [`Import::complete`] is called, the store is not served from.
pub struct Import<'s> {
    store: &'s EmbeddedStore,
}

impl EmbeddedStore {
    /// Opens the store in `directory`, making it when there is none.
    ///
    /// # Errors
    /// [`Failure`] with the cause and its remedy: another process has it open, it is none, it is damaged, it may not
    /// be used, its disk is full.
    pub fn open(directory: &Path) -> Result<Self, Failure> {
        Self::open_checked(directory, Check::Whole)
    }

    fn open_checked(directory: &Path, check: Check) -> Result<Self, Failure> {
        let path = directory.join(FILE);
        std::fs::create_dir_all(directory).map_err(|e| opening::no_directory(directory, &e))?;
        let file = File(Some(opening::open(&path, check)?));
        let store = Self {
            path: path.as_path().into(),
            file: Arc::new(RwLock::new(file)),
            reopening: Arc::default(),
            reads: Room::of(READS),
            writes: Room::of(WRITES),
        };
        store.make_tables().map_err(|e| opening::unusable(&path, e))?;
        Ok(store)
    }

    /// Opens the store for serving.
    ///
    /// # Errors
    /// [`Failure`] as [`EmbeddedStore::open`], and when an import into it was stopped half-way.
    pub fn open_complete(directory: &Path) -> Result<Self, Failure> {
        let store = Self::open(directory)?;
        let path = directory.join(FILE);
        if store.meta(IMPORT).map_err(|e| opening::unusable(&path, e))?.as_deref() == Some(RUNNING) {
            let remedy = "run `domicile-cell import` again: it starts over";
            let (expected, found) = ("a whole import", "one that was stopped half-way");
            return Err(Failure::file(Exit::Store, &path, expected, found, remedy));
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
        let path = directory.join(FILE);
        let fail = |e: StoreError| opening::unusable(&path, e);
        match self.meta(OWNER).map_err(fail)? {
            Some(found) if found == owner => Ok(()),
            Some(found) => {
                let remedy = "point --store at this cell's own directory, and import into it";
                let (expected, found) = (format!("the store of {owner}"), format!("the store of {found}"));
                Err(Failure::file(Exit::Store, &path, &expected, &found, remedy))
            }
            None => self.write(|write| set_meta(write, OWNER, owner)).map_err(fail),
        }
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
        self.look(|read| read.open_table(SHOPPERS).map_err(store_error)?.len().map_err(store_error))
    }

    /// Starts an import: marks the store as not whole and takes out every row.
    ///
    /// # Errors
    /// [`StoreError`].
    pub fn begin_import(&self) -> Result<Import<'_>, StoreError> {
        self.write(|write| {
            write.delete_table(SHOPPERS).map_err(store_error)?;
            write.open_table(SHOPPERS).map_err(store_error)?;
            write.delete_table(ANONYMOUS).map_err(store_error)?;
            write.open_table(ANONYMOUS).map_err(store_error)?;
            set_meta(write, IMPORT, RUNNING)
        })?;
        Ok(Import { store: self })
    }

    fn make_tables(&self) -> Result<(), StoreError> {
        self.write(|write| {
            write.open_table(SHOPPERS).map_err(store_error)?;
            write.open_table(TOMBSTONES).map_err(store_error)?;
            write.open_table(ANONYMOUS).map_err(store_error)?;
            write.open_table(META).map_err(store_error)?;
            Ok(())
        })
    }

    fn meta(&self, key: &str) -> Result<Option<String>, StoreError> {
        self.look(|read| {
            let meta = read.open_table(META).map_err(store_error)?;
            Ok(meta.get(key).map_err(store_error)?.map(|value| value.value().to_owned()))
        })
    }

    fn read_now(&self, shopper: &ShopperId) -> Result<Option<Row>, StoreError> {
        self.look(|read| {
            let table = read.open_table(SHOPPERS).map_err(store_error)?;
            let bytes = table.get(shopper.expose()).map_err(store_error)?;
            bytes.map(|bytes| Row::from_bytes(bytes.value())).transpose()
        })
    }

    /// One transaction that reads.
    fn look<T>(&self, call: impl FnOnce(&ReadTransaction) -> Result<T, StoreError>) -> Result<T, StoreError> {
        let result = guarded(|| {
            let file = self.file.read().unwrap_or_else(PoisonError::into_inner);
            call(&file.database()?.begin_read().map_err(store_error)?)
        });
        self.mended(result)
    }

    /// One transaction that writes, durably.
    fn write<T>(
        &self,
        call: impl FnOnce(&WriteTransaction) -> Result<T, StoreError>,
    ) -> Result<T, StoreError> {
        let result = guarded(|| {
            let file = self.file.read().unwrap_or_else(PoisonError::into_inner);
            let write = file.database()?.begin_write().map_err(store_error)?;
            let done = call(&write)?;
            write.commit().map_err(store_error)?;
            Ok(done)
        });
        self.mended(result)
    }

    /// Passes a result on; the file is opened anew first where the library gave it up.
    fn mended<T>(&self, result: Result<T, StoreError>) -> Result<T, StoreError> {
        if matches!(result, Err(StoreError::GivenUp)) {
            self.reopen();
        }
        result
    }

    /// Opens the file anew. What was acknowledged is in it; what was under way was told to have failed.
    fn reopen(&self) {
        // One at a time: who else met the failure has told its caller so, and need not wait.
        let Ok(_one) = self.reopening.try_lock() else { return };
        let mut file = self.file.write().unwrap_or_else(PoisonError::into_inner);
        // Closed first: an open file is locked. While it cannot be opened there is none, and every request tries again.
        *file = File(None);
        if let Ok(database) = opening::open(&self.path, Check::Never) {
            *file = File(Some(database));
        }
    }
}

impl File {
    /// It is there unless it could not be opened anew.
    fn database(&self) -> Result<&Database, StoreError> {
        self.0.as_ref().ok_or(StoreError::GivenUp)
    }
}

impl Drop for File {
    fn drop(&mut self) {
        // What damage keeps from being written on closing is found again when it is next opened.
        let _ = guarded(|| {
            drop(self.0.take());
            Ok(())
        });
    }
}

impl Import<'_> {
    /// Writes a batch of rows, durably.
    ///
    /// # Errors
    /// [`StoreError`].
    pub fn write<'r>(&self, rows: impl Iterator<Item = (&'r str, &'r Row)>) -> Result<(), StoreError> {
        self.store.write(|write| {
            let mut table = write.open_table(SHOPPERS).map_err(store_error)?;
            for (shopper, row) in rows {
                table.insert(shopper, row.to_bytes()?.as_slice()).map_err(store_error)?;
            }
            Ok(())
        })
    }

    /// Marks the store as whole.
    ///
    /// # Errors
    /// [`StoreError`].
    pub fn complete(self) -> Result<(), StoreError> {
        self.store.write(|write| set_meta(write, IMPORT, COMPLETE))
    }
}

fn set_meta(write: &WriteTransaction, key: &str, value: &str) -> Result<(), StoreError> {
    write.open_table(META).map_err(store_error)?.insert(key, value).map_err(store_error)?;
    Ok(())
}

impl FeatureStore for EmbeddedStore {
    fn read<'a>(&'a self, shopper: &'a ShopperId) -> Reading<'a> {
        let (store, shopper) = (self.clone(), shopper.clone());
        Box::pin(async move {
            let reads = store.reads.clone();
            reads.run(move || store.read_now(&shopper)).await.map_err(|_| StoreError::Stopping)?
        })
    }

    fn take<'a>(
        &'a self,
        shopper: &'a ShopperId,
        standing: Standing,
        events: Vec<Event>,
        now_s: i64,
    ) -> Doing<'a, Taken> {
        let (store, shopper) = (self.clone(), shopper.clone());
        Box::pin(async move {
            let writes = store.writes.clone();
            let call = move || store.take_now(&shopper, standing, events, now_s);
            writes.run(call).await.map_err(|_| StoreError::Stopping)?
        })
    }

    fn kept<'a>(&'a self, shopper: &'a ShopperId) -> Doing<'a, Kept> {
        let (store, shopper) = (self.clone(), shopper.clone());
        Box::pin(async move {
            let reads = store.reads.clone();
            reads.run(move || store.kept_now(&shopper)).await.map_err(|_| StoreError::Stopping)?
        })
    }

    fn erase<'a>(&'a self, shopper: &'a ShopperId, now_s: i64) -> Doing<'a, i64> {
        let (store, shopper) = (self.clone(), shopper.clone());
        Box::pin(async move {
            let writes = store.writes.clone();
            writes.run(move || store.erase_now(&shopper, now_s)).await.map_err(|_| StoreError::Stopping)?
        })
    }

    fn expire(&self, before_s: i64) -> Doing<'_, u64> {
        let store = self.clone();
        Box::pin(async move {
            let writes = store.writes.clone();
            writes.run(move || store.expire_now(before_s)).await.map_err(|_| StoreError::Stopping)?
        })
    }
}

/// redb's errors speak of pages and files, never of keys.
fn store_error(error: impl Into<redb::Error>) -> StoreError {
    match error.into() {
        redb::Error::Corrupted(_) | redb::Error::LockPoisoned(_) => StoreError::Damaged,
        redb::Error::PreviousIo => StoreError::GivenUp,
        error => StoreError::Store(error.to_string()),
    }
}

#[cfg(test)]
mod tests;
