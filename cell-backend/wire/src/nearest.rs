//! The known name nearest to one that is not known.

/// The name of `known` that takes the fewest changes to get to `found` (Damerau & Levenshtein); the first of several,
/// none when none is known.
pub fn nearest<'k>(found: &str, known: impl IntoIterator<Item = &'k str>) -> Option<&'k str> {
    known.into_iter().min_by_key(|known| strsim::damerau_levenshtein(found, known))
}

/// Turns serde's "unknown field `x`, expected one of `a`, `b`" into a message that names the nearest of them. It names
/// what was found: for files of an operator, not for what a request brings.
pub fn with_nearest(message: &str) -> String {
    let mut quoted = message.split('`').skip(1).step_by(2);
    match quoted.next().filter(|_| message.starts_with("unknown field")) {
        Some(found) => match nearest(found, quoted) {
            Some(nearest) => format!("unknown key `{found}`; the nearest known one is `{nearest}`"),
            None => format!("unknown key `{found}`"),
        },
        None => message.to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_was_meant_is_named() {
        let serde = "unknown field `lokale`, expected one of `locale`, `slot`, `anchor` at line 1 column 9";
        assert_eq!(with_nearest(serde), "unknown key `lokale`; the nearest known one is `locale`");
        assert_eq!(with_nearest("unknown field `x`, there are no fields"), "unknown key `x`");
        assert_eq!(with_nearest("missing field `slot`"), "missing field `slot`");
        assert_eq!(nearest("x", []), None);
    }
}
