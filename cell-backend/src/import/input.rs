//! The import's files, checked row by row. A complaint has the file, line and column, and never what stood there.

use std::collections::HashMap;
use std::path::Path;

use csv::{ByteRecord, Reader, ReaderBuilder};
use domicile_topology::{CellId, ClassId, Topology};
use domicile_wire::ShopperId;

use super::Home;
use crate::failure::{Exit, Failure};
use crate::features::Kind;

const HISTORY: [&str; 4] = ["shopper", "item", "kind", "time_s"];
const ASSIGNMENTS: [&str; 2] = ["shopper", "locale"];
/// Longest item id in bytes.
const ITEM_MAX: usize = 64;
/// Seconds of the year 2200: a later time is in another unit.
const TIME_MAX_S: i64 = 7_258_118_400;

/// One row of a history.
pub(super) struct Event<'r> {
    pub(super) shopper: &'r str,
    pub(super) item: &'r str,
    pub(super) kind: Kind,
    pub(super) time_s: i64,
}

/// Which class each shopper belongs to.
pub(super) struct Assignments(HashMap<Box<str>, ClassId>);

impl Assignments {
    /// Reads CSV `shopper,locale`.
    pub(super) fn read(path: &Path, topology: &Topology) -> Result<Self, Failure> {
        let mut classes = HashMap::new();
        rows(path, &ASSIGNMENTS, |row| {
            let shopper = row.shopper()?;
            let locale = topology.locale_named(row.text(1)?);
            let locale = locale.ok_or_else(|| row.complaint(1, "a locale of the topology"))?;
            if classes.insert(shopper.into(), locale.class).is_some() {
                return Err(row.complaint(0, "a shopper that has no row yet"));
            }
            Ok(())
        })?;
        if classes.is_empty() {
            let remedy = "give the shoppers' locales; without one nobody's home is here";
            return Err(Failure::file(Exit::Import, path, "at least one assignment", "none", remedy));
        }
        Ok(Self(classes))
    }

    /// Where a shopper belongs, seen from `cell`.
    pub(super) fn home(&self, topology: &Topology, cell: CellId, shopper: &str) -> Home {
        match self.0.get(shopper).map(|&class| topology.home_cell(class, shopper)) {
            None => Home::Unassigned,
            Some(None) => Home::Nowhere,
            Some(Some(home)) if home == cell => Home::Here,
            Some(Some(_)) => Home::Elsewhere,
        }
    }
}

/// Length of a file in bytes.
pub(super) fn size(path: &Path) -> Result<u64, Failure> {
    domicile_files::length(path).map_err(|e| unreadable(path, &e.found()))
}

/// Reads CSV `shopper,item,kind,time_s`; `take` gets each row and the byte it ends at.
pub(super) fn history(path: &Path, mut take: impl FnMut(Event<'_>, u64)) -> Result<(), Failure> {
    rows(path, &HISTORY, |row| {
        let shopper = row.shopper()?;
        let item = row.text(1)?;
        if item.is_empty() || item.len() > ITEM_MAX {
            return Err(row.complaint(1, "an item id of 1 to 64 bytes"));
        }
        let kind = match row.text(2)? {
            "view" => Kind::View,
            "basket" => Kind::Basket,
            "purchase" => Kind::Purchase,
            _ => return Err(row.complaint(2, "view, basket or purchase")),
        };
        let time_s = row.text(3)?.parse().ok().filter(|time| (0..TIME_MAX_S).contains(time));
        let time_s = time_s.ok_or_else(|| {
            row.complaint(3, &format!("whole seconds since the Unix epoch, 0 to {}", TIME_MAX_S - 1))
        })?;
        take(Event { shopper, item, kind, time_s }, row.at_byte);
        Ok(())
    })
}

struct Row<'r> {
    path: &'r Path,
    header: &'static [&'static str],
    record: &'r ByteRecord,
    at_byte: u64,
}

impl<'r> Row<'r> {
    fn text(&self, column: usize) -> Result<&'r str, Failure> {
        let bytes = self.record.get(column).ok_or_else(|| self.complaint(column, "a value"))?;
        str::from_utf8(bytes).map_err(|_| self.complaint(column, "UTF-8 text"))
    }

    fn shopper(&self) -> Result<&'r str, Failure> {
        let shopper = self.text(0)?;
        // The same form that a request's shopper has; another could never ask for its row.
        if ShopperId::new(shopper).is_some() {
            Ok(shopper)
        } else {
            Err(self.complaint(0, "1 to 128 visible ASCII characters"))
        }
    }

    fn complaint(&self, column: usize, expected: &str) -> Failure {
        let name = self.header.get(column).unwrap_or(&"");
        let line = self.record.position().map_or(0, csv::Position::line);
        let line = format!(
            "{}: line {line}, column {} ({name}): expected {expected}",
            self.path.display(),
            column + 1
        );
        Failure::new(Exit::Import, line)
    }
}

fn rows(
    path: &Path,
    header: &'static [&'static str],
    mut take: impl FnMut(&Row<'_>) -> Result<(), Failure>,
) -> Result<(), Failure> {
    let (file, _) = domicile_files::open(path).map_err(|e| unreadable(path, &e.found()))?;
    let mut reader = ReaderBuilder::new().from_reader(file);
    check_header(&mut reader, path, header)?;
    let mut record = ByteRecord::new();
    while reader.read_byte_record(&mut record).map_err(|e| csv_failure(path, &e))? {
        take(&Row { path, header, record: &record, at_byte: reader.position().byte() })?;
    }
    Ok(())
}

fn check_header(reader: &mut Reader<std::fs::File>, path: &Path, header: &[&str]) -> Result<(), Failure> {
    let found = reader.byte_headers().map_err(|e| csv_failure(path, &e))?;
    if found.iter().eq(header.iter().map(|name| name.as_bytes())) {
        return Ok(());
    }
    let line = format!("{}: line 1: expected the header {}", path.display(), header.join(","));
    Err(Failure::new(Exit::Import, line))
}

fn unreadable(path: &Path, error: &dyn std::fmt::Display) -> Failure {
    Failure::file(
        Exit::Import,
        path,
        "a readable file",
        &error.to_string(),
        "give its path to --history or --assignments",
    )
}

fn csv_failure(path: &Path, error: &csv::Error) -> Failure {
    match error.kind() {
        csv::ErrorKind::UnequalLengths { pos, expected_len, len } => {
            let line = pos.as_ref().map_or(0, csv::Position::line);
            let line =
                format!("{}: line {line}: expected {expected_len} columns, found {len}", path.display());
            Failure::new(Exit::Import, line)
        }
        _ => unreadable(path, error),
    }
}
