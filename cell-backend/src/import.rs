//! `domicile-cell import`: a bulk load of histories into a cell's store.
//!
//! It takes only shoppers whose locale's class makes this cell their home, so the same files can be given to every
//! cell and each keeps its own. It replaces what an earlier import left. Every complaint has its line and column and
//! quotes nothing; nothing is lost silently: what is not taken is counted by why.

mod input;
mod items;
mod progress;

use std::collections::HashMap;
use std::path::PathBuf;

use domicile_topology::{CellId, Topology};
use serde::Serialize;

use crate::clock::Clock;
use crate::failure::{Exit, Failure};
use crate::features::embedded::EmbeddedStore;
use crate::features::{Group, Row, StoreError};
use crate::serve;
use input::{Assignments, Event};
use items::Items;
use progress::Progress;

/// Shoppers written in one transaction: a second of work at most, and few transactions.
const BATCH: usize = 512;
const WEEK_S: i64 = 7 * 86_400;

/// What `import` needs to know.
#[derive(Clone, Debug)]
pub struct Options {
    /// The topology file.
    pub topology: PathBuf,
    /// The cell's name in it.
    pub cell: String,
    /// CSV `shopper,item,kind,time_s`.
    pub history: PathBuf,
    /// CSV `shopper,locale`.
    pub assignments: PathBuf,
    /// The feature store's directory.
    pub store: PathBuf,
    /// What happens to the times.
    pub times: Times,
}

/// What happens to the times of the events.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Times {
    /// They are taken as they are.
    AsTheyAre,
    /// They are moved by whole weeks, so that the last event of the file falls into the week before now and every
    /// event keeps its day of the week.
    ShiftedToNow,
}

/// What an import did.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize)]
pub struct Report {
    /// Shoppers taken.
    pub shoppers: u64,
    /// Their events, without those that were dropped.
    pub events: u64,
    /// Their events that were dropped: of items beyond a shopper's [`ITEMS_MAX`](crate::features::ITEMS_MAX) latest.
    pub events_dropped: u64,
    /// Shoppers whose home is another cell.
    pub shoppers_of_other_cells: u64,
    /// Shoppers whose class has no cell.
    pub shoppers_without_cell: u64,
    /// Shoppers with events but no locale.
    pub shoppers_without_locale: u64,
    /// Events of shoppers that were not taken.
    pub events_not_taken: u64,
    /// Events from before their shopper's erasure, by the file's own times: never taken again.
    pub events_erased: u64,
    /// By how many seconds the events were moved.
    pub shifted_s: i64,
    /// How long it took, in milliseconds.
    pub elapsed_ms: u64,
}

/// Where a shopper belongs.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Home {
    Here,
    Elsewhere,
    Nowhere,
    Unassigned,
}

/// The shoppers that are taken.
type Taken = HashMap<Box<str>, Items>;

/// Runs an import.
///
/// # Errors
/// [`Failure`]: an unreadable or malformed file, an unknown cell, or a store that cannot be written.
pub fn import(options: &Options) -> Result<Report, Failure> {
    let clock = Clock::start();
    let topology = serve::topology(&options.topology)?;
    let me = serve::cell_named(&topology, &options.cell)?;
    let cell = me.id;
    let assignments = Assignments::read(&options.assignments, &topology)?;
    let store = EmbeddedStore::open(&options.store)?;
    store.claim(&options.store, &me.owner())?;

    let tombstones = store.tombstones().map_err(|e| Failure::new(Exit::Store, e.to_string()))?;

    let mut report = Report::default();
    let (mut taken, last_s) =
        gather(options, &topology, cell, &assignments, &tombstones, clock, &mut report)?;
    // Before the store is touched: an import replaces what is in it, and an empty file is a mistake.
    let last_s = last_s.ok_or_else(|| {
        let remedy = "give the shop's events; an import replaces what the store holds";
        Failure::file(Exit::Import, &options.history, "at least one event", "none", remedy)
    })?;
    let now_s = clock.unix_seconds();
    if options.times == Times::ShiftedToNow {
        report.shifted_s = now_s.saturating_sub(last_s).div_euclid(WEEK_S) * WEEK_S;
    }
    report.events_dropped = taken.values_mut().map(Items::settle).sum();
    report.events -= report.events_dropped;
    write(&store, &mut taken, report.shifted_s, now_s, clock)
        .map_err(|e| Failure::new(Exit::Store, e.to_string()))?;
    report.elapsed_ms = clock.now().as_micros() / 1_000;
    Ok(report)
}

/// The shoppers whose home is here, with their items, and the time of the file's last event, if it has any.
fn gather(
    options: &Options,
    topology: &Topology,
    cell: CellId,
    assignments: &Assignments,
    tombstones: &HashMap<Box<str>, i64>,
    clock: Clock,
    report: &mut Report,
) -> Result<(Taken, Option<i64>), Failure> {
    let mut homes: HashMap<Box<str>, Home> = HashMap::new();
    let mut taken = Taken::new();
    let mut last_s = None;
    let mut progress = Progress::new("reading", input::size(&options.history)?, clock);
    input::history(&options.history, |event: Event<'_>, at_byte| {
        last_s = last_s.max(Some(event.time_s));
        let home = match homes.get(event.shopper) {
            Some(&home) => home,
            None => {
                let home = assignments.home(topology, cell, event.shopper);
                homes.insert(event.shopper.into(), home);
                report.note(home);
                home
            }
        };
        let erased = tombstones.get(event.shopper).is_some_and(|&erased_s| event.time_s <= erased_s);
        if home == Home::Here && erased {
            report.events_erased += 1;
        } else if home == Home::Here {
            report.events += 1;
            if !taken.contains_key(event.shopper) {
                taken.insert(event.shopper.into(), Items::default());
            }
            if let Some(items) = taken.get_mut(event.shopper) {
                items.add(event.item, event.kind, event.time_s);
            }
        } else {
            report.events_not_taken += 1;
        }
        progress.at(at_byte);
    })?;
    Ok((taken, last_s))
}

fn write(
    store: &EmbeddedStore,
    taken: &mut Taken,
    shift_s: i64,
    now_s: i64,
    clock: Clock,
) -> Result<(), StoreError> {
    let mut rows: Vec<(Box<str>, Row)> =
        taken.drain().map(|(shopper, items)| (shopper, row(items, shift_s, now_s))).collect();
    rows.sort_unstable_by(|(a, _), (b, _)| a.cmp(b));
    let mut progress = Progress::new("writing", rows.len() as u64, clock);
    let import = store.begin_import()?;
    let mut done = 0;
    for batch in rows.chunks(BATCH) {
        import.write(batch.iter().map(|(shopper, row)| (&**shopper, row)))?;
        done += batch.len() as u64;
        progress.at(done);
    }
    import.complete()
}

fn row(items: Items, shift_s: i64, now_s: i64) -> Row {
    let mut items = items.into_sorted();
    items.iter_mut().for_each(|history| history.shift(shift_s));
    Row { updated_s: now_s, profile: Group { items }, ..Row::default() }
}

impl Report {
    fn note(&mut self, home: Home) {
        *match home {
            Home::Here => &mut self.shoppers,
            Home::Elsewhere => &mut self.shoppers_of_other_cells,
            Home::Nowhere => &mut self.shoppers_without_cell,
            Home::Unassigned => &mut self.shoppers_without_locale,
        } += 1;
    }
}

#[cfg(test)]
mod tests;
