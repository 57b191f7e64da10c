//! The internal paths between relay and popularity.
//!
//! The relay writes them from numbers it got from the router, never from the user's path; popularity reads nothing
//! else. From outside they are unknown routes.

use std::fmt;

use crate::{FallbackReason, Problem};

/// A page popularity can answer with.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Page {
    /// `/_/shelf/{locale}/{slot}`: a list somebody asked for.
    Shelf {
        /// The locale's number.
        locale: u16,
        /// The slot's number.
        slot: u16,
    },
    /// `/_/list/{locale}/{slot}/{reason}`: a list instead of a cell's answer.
    Fallback {
        /// The locale's number.
        locale: u16,
        /// The slot's number.
        slot: u16,
        /// Why there is no answer of the cell.
        reason: FallbackReason,
    },
    /// `/_/route/{class}`: a class's route manifest.
    Route {
        /// The class's number.
        class: u16,
    },
    /// `/_/problem/{code}`: a problem document.
    Problem(Problem),
    /// `/_/preflight`: the answer to a CORS preflight.
    Preflight,
}

impl fmt::Display for Page {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Shelf { locale, slot } => write!(f, "/_/shelf/{locale}/{slot}"),
            Self::Fallback { locale, slot, reason } => {
                write!(f, "/_/list/{locale}/{slot}/{}", reason.number())
            }
            Self::Route { class } => write!(f, "/_/route/{class}"),
            Self::Problem(problem) => write!(f, "/_/problem/{}", problem.number()),
            Self::Preflight => f.write_str("/_/preflight"),
        }
    }
}

impl Page {
    /// Reads an internal path.
    #[must_use]
    pub fn parse(path: &str) -> Option<Self> {
        let mut parts = path.strip_prefix("/_/")?.split('/');
        let page = match parts.next()? {
            "shelf" => Self::Shelf { locale: number(parts.next())?, slot: number(parts.next())? },
            "list" => Self::Fallback {
                locale: number(parts.next())?,
                slot: number(parts.next())?,
                reason: FallbackReason::from_number(number(parts.next())?)?,
            },
            "route" => Self::Route { class: number(parts.next())? },
            "problem" => Self::Problem(Problem::from_number(number(parts.next())?)?),
            "preflight" => Self::Preflight,
            _ => return None,
        };
        if parts.next().is_none() { Some(page) } else { None }
    }
}

fn number<T: std::str::FromStr>(part: Option<&str>) -> Option<T> {
    part.filter(|text| text.bytes().all(|byte| byte.is_ascii_digit()))?.parse().ok()
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn page() -> impl Strategy<Value = Page> {
        prop_oneof![
            (any::<u16>(), any::<u16>()).prop_map(|(locale, slot)| Page::Shelf { locale, slot }),
            (any::<u16>(), any::<u16>(), 0..FallbackReason::ALL.len()).prop_map(|(locale, slot, reason)| {
                Page::Fallback { locale, slot, reason: FallbackReason::ALL[reason] }
            }),
            any::<u16>().prop_map(|class| Page::Route { class }),
            (0..Problem::ALL.len()).prop_map(|code| Page::Problem(Problem::ALL[code])),
            Just(Page::Preflight),
        ]
    }

    proptest! {
        #[test]
        fn a_page_is_read_as_written(page in page()) {
            prop_assert_eq!(Page::parse(&page.to_string()), Some(page));
        }

        #[test]
        fn anything_else_is_no_page(path in "/_/(shelf|list|route|problem|preflight|x)(/[0-9+-]{0,6}){0,4}/?") {
            if let Some(page) = Page::parse(&path) {
                let canonical = page.to_string();
                prop_assert_eq!(canonical.matches('/').count(), path.matches('/').count());
            }
        }
    }
}
