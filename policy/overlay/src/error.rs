//! Why an overlay is refused: each with its place in the document and what to do.

use std::fmt;

use domicile_envelope::EnvelopeError;

use crate::VERSION;
use crate::item::{Field, FieldProblem};

/// Why an overlay is refused.
#[derive(Debug, PartialEq, Eq, thiserror::Error)]
pub enum OverlayError {
    /// Not an envelope, of another payload type, altered, or signed by no key of those trusted.
    #[error("{0}; sign it with a key that the topology lists with use \"overlay\"")]
    Untrusted(EnvelopeError),
    /// The payload is of a version this build does not know.
    #[error("version: {0}, and this build reads version {VERSION}; use a build that knows the other one")]
    Version(u64),
    /// The payload does not have an overlay's form.
    #[error("payload, line {line}, column {column}: {problem}; correct it and sign again")]
    Form {
        /// The line of the payload, from 1.
        line: usize,
        /// The column in it, from 1.
        column: usize,
        /// What is wrong; an unknown field comes with the nearest known one.
        problem: String,
    },
    /// Its time is not a time.
    #[error("not_after: {0:?} is no RFC 3339 time; write one such as \"2026-01-31T00:00:00Z\"")]
    Time(String),
    /// Its time is over.
    #[error("not_after: it held until {0}; publish a newer overlay")]
    Stale(String),
    /// Its slots are not the topology's.
    #[error("slots: {slot:?} holds {} and the topology says {wanted}; build it for this topology", items(.found))]
    Slot {
        /// The slot.
        slot: String,
        /// How many items the overlay says it holds; none when it does not name the slot.
        found: Option<u16>,
        /// How many the topology says.
        wanted: u16,
    },
    /// A locale of the topology is missing.
    #[error("locales: {0:?} is missing and the topology serves it; add its rules and lists")]
    Locale(String),
    /// A list cannot be served.
    #[error("locale {locale:?}, slot {slot:?}: {problem}")]
    List {
        /// The list's locale.
        locale: String,
        /// The list's slot.
        slot: String,
        /// What is wrong with it.
        problem: ListProblem,
    },
}

/// What is wrong with one list.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum ListProblem {
    /// There is none.
    #[error("no list; add one")]
    Missing,
    /// There is one for a slot that the overlay itself does not name.
    #[error("the slot is not in the overlay's slots; name it there, or take the list out")]
    Undeclared,
    /// It is shorter or longer than the slot. One fixed length, so that no size tells two pages apart.
    #[error("{found} items, and the slot holds {wanted}; list exactly so many")]
    Length {
        /// How many it has.
        found: usize,
        /// How many the slot holds.
        wanted: u16,
    },
    /// An item stands in it more than once.
    #[error("item {0:?} is listed twice; list another one")]
    Twice(String),
    /// An item says something that cannot be shown.
    #[error("item {item:?}: its {field} {problem}; correct it")]
    Item {
        /// The item's id, as far as it can be shown.
        item: String,
        /// The field.
        field: Field,
        /// What is wrong with it.
        problem: FieldProblem,
    },
    /// An item stands in it that the same locale denies.
    #[error("item {item:?} is denied here by its {by}; list another one, or allow it")]
    Denied {
        /// The item's id.
        item: String,
        /// What denies it.
        by: Denial,
    },
}

/// What denies an item.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Denial {
    /// Its id is denied.
    Item,
    /// Its category is denied.
    Category,
}

impl fmt::Display for Denial {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Item => "id",
            Self::Category => "category",
        })
    }
}

fn items(found: &Option<u16>) -> String {
    found.map_or_else(|| "nothing".to_owned(), |items| format!("{items} items"))
}
