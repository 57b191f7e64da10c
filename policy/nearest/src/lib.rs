//! Names the place of a mistake in a file, and what was probably meant where a name is not known.
//!
//! Every document here is read strictly: an unknown key is refused, since a mistyped `deny_item` that is passed over
//! would leave an item on the shelf. A refusal is only as good as its remedy, so each names the nearest known one.

/// The name of `known` that takes the fewest changes to get to `found` (Damerau & Levenshtein); the first of several,
/// none when none is known.
pub fn nearest<'k>(found: &str, known: impl IntoIterator<Item = &'k str>) -> Option<&'k str> {
    known.into_iter().min_by_key(|known| strsim::damerau_levenshtein(found, known))
}

/// Turns serde's "unknown field `x`, expected one of `a`, `b`" (or "unknown variant …") into a message that names the
/// nearest of them; any other message is left as it is. It names what was found: for files of an operator, not for what
/// a request brings.
#[must_use]
pub fn with_nearest(message: &str) -> String {
    let kinds = [("unknown field `", "key"), ("unknown variant `", "value")];
    let found = kinds.iter().find_map(|(start, kind)| Some((message.strip_prefix(start)?, kind)));
    // From the right: a name from a file may hold a backquote of its own.
    let Some(((found, known), kind)) = found.map(|(rest, kind)| (split(rest), kind)) else {
        return message.to_owned();
    };
    match nearest(found, known.split('`').skip(1).step_by(2)) {
        Some(nearest) => format!("unknown {kind} `{found}`; the nearest known one is `{nearest}`"),
        None => format!("unknown {kind} `{found}`"),
    }
}

/// Where byte `at` of a text stands, for people: lines and columns (in characters) count from 1.
#[must_use]
pub fn place(text: &str, at: usize) -> String {
    let before = text.get(..at).unwrap_or_default();
    let column = before.rsplit('\n').next().unwrap_or_default().chars().count();
    format!("line {}, column {}", before.matches('\n').count() + 1, column + 1)
}

/// What was found, and the part of the message that lists what is known.
fn split(rest: &str) -> (&str, &str) {
    rest.rsplit_once("`, expected ").or_else(|| rest.rsplit_once("`, there are no ")).unwrap_or((rest, ""))
}

#[cfg(test)]
mod tests {
    use super::{nearest, place, with_nearest};

    #[test]
    fn what_was_meant_is_named() {
        let serde = "unknown field `lokale`, expected one of `locale`, `slot`, `anchor` at line 1 column 9";
        assert_eq!(with_nearest(serde), "unknown key `lokale`; the nearest known one is `locale`");
        let variant = "unknown variant `pn`, expected `pin` or `root`";
        assert_eq!(with_nearest(variant), "unknown value `pn`; the nearest known one is `pin`");
        assert_eq!(with_nearest("unknown field `x`, there are no fields"), "unknown key `x`");
        assert_eq!(with_nearest("missing field `slot`"), "missing field `slot`");
    }

    #[test]
    fn a_place_is_counted_as_people_do() {
        let text = "a = 1\nü = 2\n";
        assert_eq!(place(text, 0), "line 1, column 1");
        assert_eq!(place(text, text.find("= 2").unwrap()), "line 2, column 3");
    }

    #[test]
    fn a_name_that_looks_like_the_message_is_still_a_name() {
        let hostile = "unknown field `x` y`, expected ``, expected one of `name`, `slots`";
        assert_eq!(with_nearest(hostile), "unknown key `x` y`, expected ``; the nearest known one is `name`");
    }

    #[test]
    fn where_nothing_is_known_nothing_is_near() {
        assert_eq!(nearest("x", []), None);
        assert_eq!(nearest("hmoe", ["basket", "home"]), Some("home"));
    }
}
