//! The file's form: serde types, one for each table, and the nearest known name for an unknown key.

use domicile_nearest::{place, with_nearest};
use serde::Deserialize;

use crate::{KeyUse, OnExhaustion, Scheme, TopologyError, Trust};

/// The version this build reads.
pub(crate) const VERSION: u32 = 1;

/// An epoch of a day: long enough that a pin outlives a page, short enough that a class can be moved overnight.
const EPOCH_MINUTES: u32 = 1_440;
/// Four hours: a page left open over the change of epochs still gets its shelf.
const OVERLAP_MINUTES: u32 = 240;
/// A swap later than this is felt as a jump; also the longest a shelf may stay a list.
const PAGE_LIMIT_MS: u32 = 900;
/// What a ranking may take at the 99th percentile (a page's ranking call sits on its critical path).
const CELL_BUDGET_MS: u32 = 120;
/// A mobile connection's round trip to a near edge.
const RTT_MS: u32 = 60;
/// Fits twice, with the round trip, into the page limit; well above a cell's budget.
const RELAY_WAIT_MS: u32 = 350;

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct File {
    #[expect(dead_code, reason = "looked at before this form is read; the form has to know the key")]
    version: u32,
    pub(crate) serial: u64,
    #[serde(default)]
    pub(crate) clocks: ClocksTable,
    #[serde(default)]
    pub(crate) pin: PinTable,
    #[serde(default)]
    pub(crate) boundary: Vec<BoundaryTable>,
    #[serde(default)]
    pub(crate) cell: Vec<CellTable>,
    #[serde(default)]
    pub(crate) class: Vec<ClassTable>,
    #[serde(default)]
    pub(crate) locale: Vec<LocaleTable>,
    #[serde(default)]
    pub(crate) slot: Vec<SlotTable>,
    #[serde(default)]
    pub(crate) key: Vec<KeyTable>,
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub(crate) struct ClocksTable {
    pub(crate) page_limit_ms: u32,
    pub(crate) cell_budget_ms: u32,
    pub(crate) rtt_ms: u32,
}

impl Default for ClocksTable {
    fn default() -> Self {
        Self { page_limit_ms: PAGE_LIMIT_MS, cell_budget_ms: CELL_BUDGET_MS, rtt_ms: RTT_MS }
    }
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub(crate) struct PinTable {
    pub(crate) epoch_minutes: u32,
    pub(crate) overlap_minutes: u32,
}

impl Default for PinTable {
    fn default() -> Self {
        Self { epoch_minutes: EPOCH_MINUTES, overlap_minutes: OVERLAP_MINUTES }
    }
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct BoundaryTable {
    pub(crate) name: String,
    pub(crate) countries: Vec<String>,
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct CellTable {
    pub(crate) id: u8,
    pub(crate) name: String,
    pub(crate) boundary: String,
    pub(crate) site: String,
    pub(crate) operator: String,
    pub(crate) jurisdiction: String,
    #[serde(default = "https")]
    pub(crate) scheme: Scheme,
    pub(crate) authority: String,
    pub(crate) signing_key: Option<String>,
    pub(crate) next_signing_key: Option<String>,
    pub(crate) direct: Option<String>,
}

fn https() -> Scheme {
    Scheme::Https
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct ClassTable {
    pub(crate) id: u16,
    pub(crate) name: String,
    pub(crate) boundaries: Vec<String>,
    pub(crate) cells: Vec<ClassCellTable>,
    pub(crate) on_exhaustion: OnExhaustion,
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct ClassCellTable {
    pub(crate) cell: String,
    #[serde(default = "one")]
    pub(crate) weight: u32,
}

fn one() -> u32 {
    1
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct LocaleTable {
    pub(crate) id: u16,
    pub(crate) name: String,
    pub(crate) class: String,
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct SlotTable {
    pub(crate) id: u16,
    pub(crate) name: String,
    pub(crate) items: u16,
    #[serde(default = "relay_wait")]
    pub(crate) relay_wait_ms: u32,
}

fn relay_wait() -> u32 {
    RELAY_WAIT_MS
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct KeyTable {
    #[serde(rename = "use")]
    pub(crate) purpose: KeyUse,
    #[serde(default = "private")]
    pub(crate) trust: Trust,
    pub(crate) jwk: String,
}

fn private() -> Trust {
    Trust::Private
}

/// Reads the file's form. The version is looked at first: a later version's keys are not typing mistakes.
pub(crate) fn read(text: &str) -> Result<File, TopologyError> {
    let place = |span: Option<std::ops::Range<usize>>| {
        span.map_or_else(|| "topology".to_owned(), |span| place(text, span.start))
    };
    let table: toml::Table =
        text.parse().map_err(|e: toml::de::Error| TopologyError::one(place(e.span()), e.message()))?;
    match table.get("version").and_then(toml::Value::as_integer) {
        Some(version) if version == i64::from(VERSION) => {}
        Some(version) => {
            return Err(TopologyError::one(
                "version",
                format!("this build reads version {VERSION} and the file is version {version}"),
            ));
        }
        None => return Err(TopologyError::one("version", format!("missing; write `version = {VERSION}`"))),
    }
    toml::from_str(text).map_err(|e| TopologyError::one(place(e.span()), with_nearest(e.message())))
}
