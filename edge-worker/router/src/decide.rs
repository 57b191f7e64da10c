//! The decision itself.

use domicile_tables::{Named, RoutingTable};

use crate::grammar::{self, Route};
use crate::{Fallback, Method, Outcome, Refusal, Relay, Shelf, pin};

/// Decides what happens to a request. Same arguments, same outcome.
///
/// The order of the checks is part of the interface: the form of the path, the method, then the names from the cheap
/// to the telling. Somebody without a pin learns which locales and slots exist, which is public, and nothing else.
#[must_use]
pub fn decide(table: &RoutingTable, method: Method, path: &str, minute: u32) -> Outcome {
    attempt(table, method, path, minute).unwrap_or_else(Outcome::Refuse)
}

fn attempt(table: &RoutingTable, method: Method, path: &str, minute: u32) -> Result<Outcome, Refusal> {
    match (grammar::parse(path)?, method) {
        (_, Method::Options) => Ok(Outcome::Preflight),
        (Route::Shelf { locale, slot }, Method::Get | Method::Head) => {
            Ok(Outcome::Shelf(shelf(table, locale, slot)?))
        }
        (Route::Shelf { .. }, _) => Err(Refusal::ShelfMethodNotAllowed),
        (Route::Sealed { pin, cell, locale, slot, fallback }, Method::Post) => {
            let shelf = shelf(table, locale, slot)?;
            relay(table, pin, cell, minute, shelf, fallback).map(Outcome::Relay)
        }
        (Route::Sealed { .. }, _) => Err(Refusal::SealedMethodNotAllowed),
        (Route::Manifest { class }, Method::Get | Method::Head) => {
            let row = table.classes.iter().find(|row| row.name == class);
            row.map(|row| Outcome::Route(row.id)).ok_or(Refusal::NoSuchClass)
        }
        (Route::Manifest { .. }, _) => Err(Refusal::RouteMethodNotAllowed),
        (Route::Keys { cell: name }, Method::Get) => Ok(Outcome::Keys(cell(table, name)?)),
        (Route::Keys { .. }, _) => Err(Refusal::KeysMethodNotAllowed),
    }
}

fn shelf(table: &RoutingTable, locale: &str, slot: &str) -> Result<Shelf, Refusal> {
    Ok(Shelf {
        locale: named(&table.locales, locale).ok_or(Refusal::UnknownLocale)?,
        slot: named(&table.slots, slot).ok_or(Refusal::UnknownSlot)?,
    })
}

fn relay(
    table: &RoutingTable,
    pin: &str,
    cell_name: &str,
    minute: u32,
    shelf: Shelf,
    fallback: Fallback,
) -> Result<Relay, Refusal> {
    let class = pin::class(table, pin, minute)?;
    let cell = cell(table, cell_name)?;
    let allowed = table.classes.iter().any(|row| row.id == class && row.cells.contains(&cell));
    if !allowed {
        return Err(Refusal::CellNotInClass);
    }
    Ok(Relay { class, cell, locale: shelf.locale, slot: shelf.slot, fallback })
}

fn cell(table: &RoutingTable, name: &str) -> Result<u8, Refusal> {
    named(&table.cells, name).and_then(|id| u8::try_from(id).ok()).ok_or(Refusal::UnknownCell)
}

fn named(names: &[Named], name: &str) -> Option<u16> {
    names.iter().find(|row| row.name == name).map(|row| row.id)
}

#[cfg(test)]
mod tests {
    use domicile_tables::{ClassRow, PinRow};
    use proptest::prelude::*;

    use super::*;

    const PIN_EU: &str = concat!(
        "AAEAAAAB",
        "eeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeee",
        "eeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeee"
    );
    const PIN_UK: &str = concat!(
        "AAIAAAAB",
        "kkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkk",
        "kkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkk"
    );

    fn named(id: u16, name: &str) -> Named {
        Named { id, name: name.to_owned() }
    }

    fn table() -> RoutingTable {
        let pin =
            |class, text: &str| PinRow { class, epoch: 1, from: 100, until: 200, text: text.to_owned() };
        RoutingTable {
            locales: vec![named(10, "de-DE"), named(11, "en-GB")],
            slots: vec![named(20, "home"), named(21, "basket")],
            cells: vec![named(30, "eu-a"), named(31, "us-a")],
            classes: vec![
                ClassRow { id: 1, name: "eu_only".to_owned(), cells: vec![30] },
                ClassRow { id: 2, name: "uk_only".to_owned(), cells: vec![] },
            ],
            pins: vec![pin(1, PIN_EU), pin(2, PIN_UK)],
        }
    }

    fn at(method: Method, path: &str) -> Outcome {
        decide(&table(), method, path, 150)
    }

    #[test]
    fn a_shelf_is_its_numbers() {
        let shelf = Outcome::Shelf(Shelf { locale: 10, slot: 21 });
        assert_eq!(at(Method::Get, "/v1/shelf/de-DE/basket"), shelf);
        assert_eq!(at(Method::Head, "/v1/shelf/de-DE/basket"), shelf);
        assert_eq!(at(Method::Options, "/v1/shelf/de-DE/basket"), Outcome::Preflight);
        for method in [Method::Post, Method::Other] {
            assert_eq!(at(method, "/v1/shelf/de-DE/basket"), Outcome::Refuse(Refusal::ShelfMethodNotAllowed));
        }
    }

    #[test]
    fn a_sealed_request_goes_to_a_cell_of_its_class() {
        let relay = |fallback| Outcome::Relay(Relay { class: 1, cell: 30, locale: 10, slot: 20, fallback });
        let path = format!("/v1/sealed/{PIN_EU}/eu-a/de-DE/home");
        assert_eq!(at(Method::Post, &path), relay(Fallback::List));
        assert_eq!(at(Method::Post, &format!("{path}?strict")), relay(Fallback::Strict));
        assert_eq!(at(Method::Options, &path), Outcome::Preflight);
        for method in [Method::Get, Method::Head, Method::Other] {
            assert_eq!(at(method, &path), Outcome::Refuse(Refusal::SealedMethodNotAllowed));
        }
    }

    #[test]
    fn manifests_and_keys_are_a_number_each() {
        assert_eq!(at(Method::Get, "/v1/route/eu_only"), Outcome::Route(1));
        assert_eq!(
            at(Method::Head, "/v1/route/uk_only"),
            Outcome::Route(2),
            "a class without cells has one too"
        );
        assert_eq!(at(Method::Get, "/v1/keys/us-a"), Outcome::Keys(31));
        for path in ["/v1/route/eu_only", "/v1/keys/us-a"] {
            assert_eq!(at(Method::Options, path), Outcome::Preflight);
        }
        for method in [Method::Post, Method::Other] {
            let refused = Outcome::Refuse(Refusal::RouteMethodNotAllowed);
            assert_eq!(at(method, "/v1/route/eu_only"), refused);
        }
        for method in [Method::Head, Method::Post, Method::Other] {
            assert_eq!(at(method, "/v1/keys/us-a"), Outcome::Refuse(Refusal::KeysMethodNotAllowed));
        }
    }

    #[test]
    fn refusals_say_what_is_wrong() {
        for (path, refusal) in [
            ("/v1/shelf/xx-XX/home".to_owned(), Refusal::UnknownLocale),
            ("/v1/shelf/de-DE/attic".to_owned(), Refusal::UnknownSlot),
            ("/_/shelf/10/20".to_owned(), Refusal::UnknownRoute),
            ("/v1/route/eu".to_owned(), Refusal::NoSuchClass),
            ("/v1/keys/eu-z".to_owned(), Refusal::UnknownCell),
        ] {
            assert_eq!(at(Method::Get, &path), Outcome::Refuse(refusal), "{path}");
        }
        for (path, refusal) in [
            (format!("/v1/sealed/{PIN_EU}/eu-z/de-DE/home"), Refusal::UnknownCell),
            (format!("/v1/sealed/{PIN_EU}/us-a/de-DE/home"), Refusal::CellNotInClass),
            (format!("/v1/sealed/{PIN_UK}/eu-a/en-GB/home"), Refusal::CellNotInClass),
            (format!("/v1/sealed/{}/eu-a/de-DE/home", "-".repeat(104)), Refusal::UnknownClass),
            (format!("/v1/sealed/{PIN_EU}/eu-a/xx-XX/home"), Refusal::UnknownLocale),
        ] {
            assert_eq!(at(Method::Post, &path), Outcome::Refuse(refusal), "{path}");
        }
        let path = format!("/v1/sealed/{PIN_EU}/eu-a/de-DE/home");
        assert_eq!(decide(&table(), Method::Post, &path, 200), Outcome::Refuse(Refusal::PinExpired));
        assert_eq!(decide(&table(), Method::Post, &path, 99), Outcome::Refuse(Refusal::PinInvalid));
    }

    proptest! {
        /// Whatever is asked, a request only ever goes to a cell its class allows.
        #[test]
        fn no_outcome_names_a_cell_outside_the_class(
            pin in prop_oneof![Just(PIN_EU), Just(PIN_UK)],
            cell in "(eu-a|us-a|eu-z)",
            locale in "(de-DE|en-GB|xx)",
            minute in 0u32..300,
        ) {
            let path = format!("/v1/sealed/{pin}/{cell}/{locale}/home");
            if let Outcome::Relay(relay) = decide(&table(), Method::Post, &path, minute) {
                prop_assert_eq!((relay.class, relay.cell), (1, 30));
                prop_assert!((100..200).contains(&minute));
            }
        }
    }
}
