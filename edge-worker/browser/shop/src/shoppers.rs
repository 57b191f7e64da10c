//! A few shoppers to be, for each locale: households of the public, simulated data, by number.
//!
//! Half of them, as far as there are any, have their home in each of the class's cells: what a stopped home does can
//! be seen with any.

use std::collections::BTreeMap;
use std::path::Path;

use anyhow::Context as _;
use domicile_topology::Topology;
use serde::Serialize;

/// Shoppers of a locale that are offered.
const OFFERED: usize = 12;

/// A shopper that can be chosen.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub(crate) struct Shopper {
    pub(crate) id: String,
    /// The cell where the history lies; none where the locale's class has no cell.
    pub(crate) home: Option<String>,
}

/// Reads `shopper,locale` and offers the first of each locale and home.
///
/// # Errors
/// The file cannot be read, or a line of it is none.
pub(crate) fn read(file: &Path, topology: &Topology) -> anyhow::Result<BTreeMap<String, Vec<Shopper>>> {
    let named = || format!("cannot read {}", file.display());
    let mut reader = csv::Reader::from_path(file).with_context(named)?;
    let mut offered: BTreeMap<String, Vec<Shopper>> = BTreeMap::new();
    for row in reader.deserialize() {
        let (id, locale): (String, String) = row.with_context(named)?;
        let Some(known) = topology.locale_named(&locale) else { continue };
        let home = topology.home_cell(known.class, &id).and_then(|cell| topology.cell(cell));
        let home = home.map(|cell| cell.name.clone());
        let cells = topology.class(known.class).map_or(1, |class| class.cells.len().max(1));
        let shoppers = offered.entry(locale).or_default();
        if shoppers.iter().filter(|shopper| shopper.home == home).count() < OFFERED / cells {
            shoppers.push(Shopper { id, home });
        }
    }
    Ok(offered)
}
