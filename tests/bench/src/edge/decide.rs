//! The router's decision, native: what it costs apart from Wasm.

use std::hint::black_box;

use domicile_cluster::report;
use domicile_router::{Method, Outcome, decide};
use domicile_tables::{ClassRow, Named, PIN_TEXT, PinRow, RoutingTable};

use super::Amounts;
use crate::figures::{Bar, Figures};

const BAR_US: f64 = 2.0;
/// A month of daily epochs for each of so many classes.
const EPOCHS: u32 = 31;
const CLASSES: u16 = 3;

pub(super) fn measure(amounts: Amounts, figures: &mut Figures) {
    let small = table(5, 3);
    figures.rounds(
        "router decision, 5 locales × 3 slots",
        "µs",
        &rounds(&small, amounts),
        Some(Bar::AtMost(BAR_US)),
    );
    let large = table(300, 50);
    figures.rounds("router decision, 300 locales × 50 slots", "µs", &rounds(&large, amounts), None);
}

/// Microseconds a decision takes for the path that is last in every table, in each round.
fn rounds(table: &RoutingTable, amounts: Amounts) -> Vec<f64> {
    let last = |names: &[Named]| names.last().map_or_else(String::new, |row| row.name.clone());
    let pin = table.pins.last().map_or_else(String::new, |row| row.text.clone());
    let (cell, locale, slot) = (last(&table.cells), last(&table.locales), last(&table.slots));
    let path = format!("/v1/sealed/{pin}/{cell}/{locale}/{slot}?strict");
    let one = || {
        let started = report::now();
        let mut relayed = 0u32;
        for _ in 0..amounts.decisions {
            let outcome = decide(black_box(table), Method::Post, black_box(&path), black_box(1));
            relayed += u32::from(matches!(black_box(outcome), Outcome::Relay(_)));
        }
        // Not relayed would be another, shorter way through the code.
        let whole = relayed == amounts.decisions;
        if whole {
            started.elapsed().as_secs_f64() * 1e6 / f64::from(amounts.decisions)
        } else {
            f64::INFINITY
        }
    };
    (0..amounts.rounds).map(|_| one()).collect()
}

fn table(locales: u16, slots: u16) -> RoutingTable {
    let named = |kind: &str, count: u16| {
        (1..=count).map(|id| Named { id, name: format!("{kind}-{id}") }).collect::<Vec<_>>()
    };
    let pins = (1..=CLASSES).flat_map(|class| {
        (1..=EPOCHS).map(move |epoch| PinRow {
            class,
            epoch,
            from: 0,
            until: u32::MAX,
            text: format!("{class}{epoch:08}{}", "x".repeat(PIN_TEXT - 9)),
        })
    });
    RoutingTable {
        locales: named("locale", locales),
        slots: named("slot", slots),
        cells: named("cell", 3),
        classes: (1..=CLASSES)
            .map(|id| ClassRow { id, name: format!("class-{id}"), cells: vec![1, 2, 3] })
            .collect(),
        pins: pins.collect(),
    }
}
