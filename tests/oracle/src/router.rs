//! The router, once more.
//!
//! The router splits a path from the left and looks names up. This asks in the other direction: of all texts that the
//! table could mean, which one *is* this path? The grammar is judged by counting segments. What both directions agree
//! on is read in one way only.

mod pins;
mod table;

use domicile_router::{Fallback, Method, Outcome, Refusal, Relay, Shelf, decide};
use domicile_tables::RoutingTable;

pub use table::{PINS, table};

/// Longest path, in bytes (`wit/boundary.wit`, `decide`).
const LONGEST_PATH: usize = 512;
/// Longest name, in bytes (`docs/edge.md`).
const LONGEST_NAME: usize = 32;
/// What names and pins are made of.
const LETTERS: &str = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_";

/// Where router and reference part.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum Disagreement {
    /// Another outcome than the reference's.
    #[error("the router says {said:?}, the reference {expected:?}")]
    Outcome {
        /// The router's.
        said: Outcome,
        /// The reference's.
        expected: Outcome,
    },
    /// Accepted, but what was understood is written in another way.
    #[error("understood as {0:?}, which is not what was asked")]
    Rendering(String),
}

/// Decides, and compares. Any arguments are lawful.
///
/// # Errors
/// When the router decides otherwise than the reference, or accepts a path that is not the one way of writing it.
pub fn check(method: Method, path: &str, minute: u32) -> Result<Outcome, Disagreement> {
    let table = table();
    let said = decide(table, method, path, minute);
    let expected = expected(table, method, path, minute);
    if said != expected {
        return Err(Disagreement::Outcome { said, expected });
    }
    match rendered(table, &said, minute, path) {
        Some(Rendered::Same) | None => Ok(said),
        Some(Rendered::Other(text)) => Err(Disagreement::Rendering(text)),
    }
}

/// A fuzzer's input: one byte for the method, one for the minute, and the path. None when the path is no UTF-8: a
/// component is never given one.
#[must_use]
pub fn read(input: &[u8]) -> Option<(Method, &str, u32)> {
    let (&method, rest) = input.split_first()?;
    let (&minute, path) = rest.split_first()?;
    let method = match method {
        b'G' => Method::Get,
        b'H' => Method::Head,
        b'P' => Method::Post,
        b'O' => Method::Options,
        _ => Method::Other,
    };
    Some((method, std::str::from_utf8(path).ok()?, u32::from(minute)))
}

/// A path's form.
enum Form<'a> {
    Shelf,
    Sealed { pin: &'a str },
    Manifest,
    Keys,
}

fn expected(table: &RoutingTable, method: Method, path: &str, minute: u32) -> Outcome {
    if path.len() > LONGEST_PATH {
        return Outcome::Refuse(Refusal::PathTooLong);
    }
    let Some(form) = form(path) else { return Outcome::Refuse(Refusal::UnknownRoute) };
    let outcome = match (&form, method) {
        (_, Method::Options) => Ok(Outcome::Preflight),
        (Form::Shelf, Method::Get | Method::Head) => shelf(table, path, "/v1/shelf/").map(Outcome::Shelf),
        (Form::Shelf, Method::Post | Method::Other) => Err(Refusal::ShelfMethodNotAllowed),
        (Form::Sealed { pin }, Method::Post) => relay(table, path, pin, minute),
        (Form::Sealed { .. }, Method::Get | Method::Head | Method::Other) => {
            Err(Refusal::SealedMethodNotAllowed)
        }
        (Form::Manifest, Method::Get | Method::Head) => table
            .classes
            .iter()
            .find(|class| path == format!("/v1/route/{}", class.name))
            .map(|class| Outcome::Route(class.id))
            .ok_or(Refusal::NoSuchClass),
        (Form::Manifest, Method::Post | Method::Other) => Err(Refusal::RouteMethodNotAllowed),
        (Form::Keys, Method::Get) => keys(table, path),
        (Form::Keys, Method::Head | Method::Post | Method::Other) => Err(Refusal::KeysMethodNotAllowed),
    };
    outcome.unwrap_or_else(Outcome::Refuse)
}

/// The grammar, by counting: four segments, five or seven, the first empty, the second `v1`.
fn form(path: &str) -> Option<Form<'_>> {
    let segments: Vec<&str> = path.split('/').collect();
    match segments.as_slice() {
        ["", "v1", "shelf", locale, slot] if [locale, slot].iter().all(|name| is_name(name)) => {
            Some(Form::Shelf)
        }
        ["", "v1", "sealed", pin, cell, locale, slot] => {
            let slot = slot.strip_suffix("?strict").unwrap_or(slot);
            let names = [*cell, *locale, slot].into_iter().all(is_name);
            (names && is_word(pin)).then_some(Form::Sealed { pin })
        }
        ["", "v1", "route", class] if is_name(class) => Some(Form::Manifest),
        ["", "v1", "keys", cell] if is_name(cell) => Some(Form::Keys),
        _ => None,
    }
}

fn is_word(text: &str) -> bool {
    !text.is_empty() && text.chars().all(|letter| LETTERS.contains(letter))
}

fn is_name(text: &str) -> bool {
    is_word(text) && text.len() <= LONGEST_NAME
}

/// The locale and slot whose names end this path, after `before`.
fn shelf(table: &RoutingTable, path: &str, before: &str) -> Result<Shelf, Refusal> {
    let after = path.strip_prefix(before).ok_or(Refusal::UnknownRoute)?;
    let locale = table
        .locales
        .iter()
        .find(|locale| after.starts_with(&format!("{}/", locale.name)))
        .ok_or(Refusal::UnknownLocale)?;
    let slot = table
        .slots
        .iter()
        .find(|slot| after == format!("{}/{}", locale.name, slot.name))
        .ok_or(Refusal::UnknownSlot)?;
    Ok(Shelf { locale: locale.id, slot: slot.id })
}

fn relay(table: &RoutingTable, path: &str, pin: &str, minute: u32) -> Result<Outcome, Refusal> {
    let (path, fallback) = match path.strip_suffix("?strict") {
        Some(path) => (path, Fallback::Strict),
        None => (path, Fallback::List),
    };
    let cell_at = format!("/v1/sealed/{pin}/");
    let cell_name: String = path.chars().skip(cell_at.len()).take_while(|&letter| letter != '/').collect();
    let shelf = shelf(table, path, &format!("{cell_at}{cell_name}/"))?;
    let class = pins::class(table, pin, minute)?;
    let cell = table.cells.iter().find(|cell| cell.name == cell_name).ok_or(Refusal::UnknownCell)?;
    let lawful = table
        .classes
        .iter()
        .filter(|row| row.id == class)
        .flat_map(|row| &row.cells)
        .find(|&&allowed| u16::from(allowed) == cell.id)
        .ok_or(Refusal::CellNotInClass)?;
    Ok(Outcome::Relay(Relay { class, cell: *lawful, locale: shelf.locale, slot: shelf.slot, fallback }))
}

fn keys(table: &RoutingTable, path: &str) -> Result<Outcome, Refusal> {
    let asked = table.cells.iter().find(|cell| path == format!("/v1/keys/{}", cell.name));
    asked.and_then(|cell| u8::try_from(cell.id).ok()).map(Outcome::Keys).ok_or(Refusal::UnknownCell)
}

enum Rendered {
    Same,
    Other(String),
}

/// What was understood, written down again; none for an outcome that understood no names.
fn rendered(table: &RoutingTable, outcome: &Outcome, minute: u32, path: &str) -> Option<Rendered> {
    let name = |names: &[domicile_tables::Named], id: u16| {
        names.iter().find(|row| row.id == id).map_or_else(String::new, |row| row.name.clone())
    };
    let texts = match outcome {
        Outcome::Shelf(shelf) => {
            let (locale, slot) = (name(&table.locales, shelf.locale), name(&table.slots, shelf.slot));
            vec![format!("/v1/shelf/{locale}/{slot}")]
        }
        Outcome::Relay(relay) => {
            let (locale, slot) = (name(&table.locales, relay.locale), name(&table.slots, relay.slot));
            let cell = name(&table.cells, u16::from(relay.cell));
            let query = if relay.fallback == Fallback::Strict { "?strict" } else { "" };
            // A class has a pin for each live epoch: any of them is one of its texts.
            pins::holding(table, relay.class, minute)
                .map(|pin| format!("/v1/sealed/{pin}/{cell}/{locale}/{slot}{query}"))
                .collect()
        }
        Outcome::Route(class) => {
            let asked = table.classes.iter().filter(|row| row.id == *class);
            asked.map(|row| format!("/v1/route/{}", row.name)).collect()
        }
        Outcome::Keys(cell) => vec![format!("/v1/keys/{}", name(&table.cells, u16::from(*cell)))],
        Outcome::Preflight | Outcome::Refuse(_) => return None,
    };
    if texts.iter().any(|text| text == path) {
        return Some(Rendered::Same);
    }
    Some(Rendered::Other(texts.into_iter().next().unwrap_or_default()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_wrong_decision_is_told() {
        let table = table();
        let asked = "/v1/shelf/de-DE/home";
        let other = Outcome::Shelf(Shelf { locale: 11, slot: 20 });
        assert_ne!(expected(table, Method::Get, asked, 60), other);
        let rendering = rendered(table, &other, 60, asked);
        assert!(matches!(rendering, Some(Rendered::Other(text)) if text == "/v1/shelf/en-GB/home"));
    }

    #[test]
    fn the_grammar_is_not_the_router_s() {
        for path in [
            "/v1/shelf/de-DE",
            "/v1/shelf/de-DE/home?strict",
            "/v1/sealed/a/b/c/d?",
            "/V1/shelf/a/b",
            "/v1/route/a/",
            "/v1/route/a?",
            "/v1/keys/",
            "/v1/keys/a/b",
            "v1/shelf/a/b",
        ] {
            assert!(form(path).is_none(), "{path}");
        }
        assert!(matches!(form("/v1/sealed/a/b/c/d?strict"), Some(Form::Sealed { pin: "a" })));
        assert!(matches!(
            (form("/v1/route/a"), form("/v1/keys/a")),
            (Some(Form::Manifest), Some(Form::Keys))
        ));
    }
}
