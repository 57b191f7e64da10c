//! The table that router and reference decide by: names that are beginnings of each other, a class without cells, one
//! without pins, epochs that overlap.

use std::sync::LazyLock;

use domicile_tables::{ClassRow, Named, PinRow, RoutingTable};

/// The table's pins: class, epoch, first minute, first minute after, text. The texts state what the columns say; their
/// signatures are noise, since the router compares bytes.
pub const PINS: [(u16, u32, u32, u32, &str); 4] = [
    (
        1,
        5,
        50,
        120,
        "AAEAAAAFaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa",
    ),
    (
        1,
        6,
        100,
        170,
        "AAEAAAAGaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa",
    ),
    (
        2,
        5,
        50,
        120,
        "AAIAAAAFbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbb",
    ),
    (
        3,
        5,
        50,
        120,
        "AAMAAAAFcccccccccccccccccccccccccccccccccccccccccccccccccccccccccccccccccccccccccccccccccccccccccccccccc",
    ),
];

/// The table.
#[must_use]
pub fn table() -> &'static RoutingTable {
    static TABLE: LazyLock<RoutingTable> = LazyLock::new(|| {
        let pin = |&(class, epoch, from, until, text): &(u16, u32, u32, u32, &str)| PinRow {
            class,
            epoch,
            from,
            until,
            text: text.to_owned(),
        };
        RoutingTable {
            locales: named(&[(10, "de-DE"), (11, "en-GB"), (12, "de"), (13, "de-DE-1996")]),
            slots: named(&[(20, "home"), (21, "basket"), (22, "home-2")]),
            cells: named(&[(30, "eu-a"), (31, "eu-b"), (32, "us-a"), (33, "eu")]),
            classes: vec![
                class(1, "eu_only", &[30, 31]),
                class(2, "us_only", &[32]),
                class(3, "eu", &[]),
                class(4, "eu_only-2", &[33]),
            ],
            pins: PINS.iter().map(pin).collect(),
        }
    });
    &TABLE
}

fn class(id: u16, name: &str, cells: &[u8]) -> ClassRow {
    ClassRow { id, name: name.to_owned(), cells: cells.to_vec() }
}

fn named(rows: &[(u16, &str)]) -> Vec<Named> {
    rows.iter().map(|&(id, name)| Named { id, name: name.to_owned() }).collect()
}
