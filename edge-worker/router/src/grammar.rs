//! The grammar of the edge's paths.
//!
//! Strict on purpose. Nothing is decoded, normalised or skipped: a path with a percent sign, a dot segment, an empty
//! segment or a query that is not exactly `?strict` is no route. What two readers of a path could read differently
//! cannot be written.
//!
//! ```text
//! shelf   = "/v1/shelf/" name "/" name
//! sealed  = "/v1/sealed/" pin "/" name "/" name "/" name ["?strict"]
//! route   = "/v1/route/" name
//! keys    = "/v1/keys/" name
//! name    = 1*32( ALPHA / DIGIT / "-" / "_" )
//! pin     = 1*( ALPHA / DIGIT / "-" / "_" )
//! ```
//!
//! A pin of the wrong length still is one to this grammar: a caller who cut it short is told so, and not that there is
//! no such route.

use domicile_tables::{MAX_PATH, NAME_MAX};

use crate::{Fallback, Refusal};

/// A path that follows the grammar. Its names are not looked up yet.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Route<'a> {
    Shelf { locale: &'a str, slot: &'a str },
    Sealed { pin: &'a str, cell: &'a str, locale: &'a str, slot: &'a str, fallback: Fallback },
    Manifest { class: &'a str },
    Keys { cell: &'a str },
}

/// Reads a path.
pub(crate) fn parse(path: &str) -> Result<Route<'_>, Refusal> {
    if path.len() > MAX_PATH {
        return Err(Refusal::PathTooLong);
    }
    route(path).ok_or(Refusal::UnknownRoute)
}

fn route(path: &str) -> Option<Route<'_>> {
    let (path, query) = match path.split_once('?') {
        Some((path, query)) => (path, Some(query)),
        None => (path, None),
    };
    let (kind, rest) = path.strip_prefix("/v1/")?.split_once('/')?;
    let mut segments = rest.split('/');
    let route = match kind {
        "shelf" if query.is_none() => {
            Route::Shelf { locale: name(segments.next())?, slot: name(segments.next())? }
        }
        "sealed" => Route::Sealed {
            pin: pin(segments.next())?,
            cell: name(segments.next())?,
            locale: name(segments.next())?,
            slot: name(segments.next())?,
            fallback: fallback(query)?,
        },
        "route" if query.is_none() => Route::Manifest { class: name(segments.next())? },
        "keys" if query.is_none() => Route::Keys { cell: name(segments.next())? },
        _ => return None,
    };
    if segments.next().is_none() { Some(route) } else { None }
}

fn name(segment: Option<&str>) -> Option<&str> {
    token(segment).filter(|text| text.len() <= NAME_MAX)
}

fn pin(segment: Option<&str>) -> Option<&str> {
    token(segment)
}

/// Characters that are never escaped in a path and mean nothing in one (RFC 3986, section 2.3, without dot and tilde).
fn token(segment: Option<&str>) -> Option<&str> {
    segment.filter(|text| {
        !text.is_empty()
            && text.bytes().all(|byte| byte.is_ascii_alphanumeric() || byte == b'-' || byte == b'_')
    })
}

fn fallback(query: Option<&str>) -> Option<Fallback> {
    match query {
        None => Some(Fallback::List),
        Some("strict") => Some(Fallback::Strict),
        Some(_) => None,
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    const NAME: &str = "[a-zA-Z0-9_-]{1,32}";
    const PIN: &str = "[a-zA-Z0-9_-]{1,120}";

    proptest! {
        #[test]
        fn no_text_makes_the_reader_panic(path: String) {
            let _ = parse(&path);
        }

        #[test]
        fn a_shelf_is_read(locale in NAME, slot in NAME) {
            let path = format!("/v1/shelf/{locale}/{slot}");
            prop_assert_eq!(parse(&path), Ok(Route::Shelf { locale: &locale, slot: &slot }));
        }

        #[test]
        fn a_sealed_request_is_read(pin in PIN, cell in NAME, locale in NAME, slot in NAME, strict: bool) {
            let (query, fallback) = if strict { ("?strict", Fallback::Strict) } else { ("", Fallback::List) };
            let path = format!("/v1/sealed/{pin}/{cell}/{locale}/{slot}{query}");
            let expected = Route::Sealed { pin: &pin, cell: &cell, locale: &locale, slot: &slot, fallback };
            prop_assert_eq!(parse(&path), Ok(expected));
        }

        #[test]
        fn one_name_after_another_route_is_read(name in NAME) {
            let (route, keys) = (format!("/v1/route/{name}"), format!("/v1/keys/{name}"));
            prop_assert_eq!(parse(&route), Ok(Route::Manifest { class: &name }));
            prop_assert_eq!(parse(&keys), Ok(Route::Keys { cell: &name }));
        }

        /// What is accepted can be written in exactly one way: the one it came in.
        #[test]
        fn nothing_else_is_read(path in "(/v1|/V1|/v2|)?/(shelf|sealed|route|keys|_|.|)(/|//)([a-zA-Z0-9_%.;~@: /?&=#-]|strict){0,120}") {
            if let Ok(route) = parse(&path) {
                let canonical = match route {
                    Route::Shelf { locale, slot } => format!("/v1/shelf/{locale}/{slot}"),
                    Route::Sealed { pin, cell, locale, slot, fallback } => {
                        let query = if fallback == Fallback::Strict { "?strict" } else { "" };
                        format!("/v1/sealed/{pin}/{cell}/{locale}/{slot}{query}")
                    }
                    Route::Manifest { class } => format!("/v1/route/{class}"),
                    Route::Keys { cell } => format!("/v1/keys/{cell}"),
                };
                prop_assert_eq!(canonical, path);
            }
        }
    }

    #[test]
    fn near_misses_are_unknown_routes() {
        let pin = "A".repeat(104);
        let sealed = format!("/v1/sealed/{pin}/eu-a/de-DE/home");
        for path in [
            "",
            "/",
            "/v1/shelf/de-DE",
            "/v1/shelf/de-DE/home/",
            "/v1/shelf//de-DE/home",
            "/v1/shelf/de-DE/home?",
            "/v1/shelf/de-DE/home?strict",
            "/v1/shelf/de%2DDE/home",
            "/v1/shelf/../home",
            "/v1/./shelf/de-DE/home",
            "//v1/shelf/de-DE/home",
            "/V1/shelf/de-DE/home",
            "/_/shelf/1/1",
            "/_/problem/1",
            "/_/route/1",
            "/v1/route",
            "/v1/route/",
            "/v1/route/eu_only/",
            "/v1/route/eu_only/x",
            "/v1/route/eu_only?",
            "/v1/route/eu%5Fonly",
            "/v1/keys",
            "/v1/keys/eu-a/x",
            "/v1/keys/eu-a?strict",
            "/v1/keys/eu.a",
            "http://edge.example/v1/shelf/de-DE/home",
            "/v1/shelf/dé/home",
            &format!("{sealed}?"),
            &format!("{sealed}?strict=1"),
            &format!("{sealed}?strict&x"),
            &format!("{sealed}?STRICT"),
            &format!("{sealed}/x"),
            "/v1/sealed//eu-a/de-DE/home",
            "/v1/sealed/a.b/eu-a/de-DE/home",
            &format!("/v1/shelf/{}/home", "a".repeat(33)),
            &format!("/v1/route/{}", "a".repeat(33)),
        ] {
            assert_eq!(parse(path), Err(Refusal::UnknownRoute), "{path}");
        }
    }

    #[test]
    fn length_is_looked_at_first() {
        assert_eq!(parse(&"/".repeat(MAX_PATH + 1)), Err(Refusal::PathTooLong));
        assert_eq!(parse(&"/".repeat(MAX_PATH)), Err(Refusal::UnknownRoute));
    }
}
