//! "Try cell X for s seconds, fraction f": how a live cell steers a client, inside the seal.
//!
//! A hint. Which cells may be asked at all is the route manifest's word, and a client honours a hint for one of those
//! cells only.

use std::fmt;

/// Header: the cell to ask instead, for how long, by which part of the clients.
pub const TRY: &str = "domicile-try";

/// Longest time of a hint in seconds: a page's session is seldom longer, and a mistake should not be.
const SECONDS_MAX: u32 = 3_600;
/// Longest name of a cell in bytes.
const CELL_MAX: usize = 64;

/// A hint to ask another cell: `cell=eu-b; seconds=30; fraction=0.25`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Steer {
    /// The cell's name.
    pub cell: String,
    /// For how many seconds, an hour at most.
    pub seconds: u32,
    /// For how many of a thousand calls; the header writes a fraction of up to three digits.
    pub permille: u16,
}

impl Steer {
    /// Reads a header's value; none when it is not exactly of the form.
    #[must_use]
    pub fn parse(text: &str) -> Option<Self> {
        let mut parts = text.split("; ");
        let mut next = |name: &str| parts.next()?.strip_prefix(name)?.strip_prefix('=');
        let (cell, seconds, fraction) = (next("cell")?, next("seconds")?, next("fraction")?);
        let sound = |b: u8| b.is_ascii_alphanumeric() || b"-_.".contains(&b);
        let named = !cell.is_empty() && cell.len() <= CELL_MAX && cell.bytes().all(sound);
        let digits = |text: &str| !text.is_empty() && text.bytes().all(|b| b.is_ascii_digit());
        let seconds = digits(seconds).then(|| seconds.parse().ok())?.filter(|s| *s <= SECONDS_MAX)?;
        let permille = match fraction.split_once('.') {
            None if fraction == "1" => 1_000,
            None if fraction == "0" => 0,
            Some(("0", part)) if digits(part) && part.len() <= 3 => format!("{part:0<3}").parse().ok()?,
            _ => return None,
        };
        (named && parts.next().is_none()).then(|| Self { cell: cell.to_owned(), seconds, permille })
    }
}

impl fmt::Display for Steer {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "cell={}; seconds={}; fraction=", self.cell, self.seconds)?;
        if self.permille >= 1_000 { f.write_str("1") } else { write!(f, "0.{:03}", self.permille) }
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::Steer;

    #[test]
    fn one_form_is_read() {
        let steer = |permille| Some(Steer { cell: "eu-b".into(), seconds: 30, permille });
        for (fraction, permille) in [("1", 1_000), ("0", 0), ("0.5", 500), ("0.25", 250), ("0.001", 1)] {
            assert_eq!(Steer::parse(&format!("cell=eu-b; seconds=30; fraction={fraction}")), steer(permille));
        }
        for bad in [
            "",
            "cell=eu-b",
            "cell=eu-b; seconds=30; fraction=2",
            "cell=eu-b; seconds=30; fraction=0.0001",
            "cell=eu-b; seconds=30; fraction=-1",
            "cell=eu-b; seconds=3601; fraction=1",
            "cell=eu-b; seconds=+3; fraction=1",
            "cell=; seconds=30; fraction=1",
            "cell=../x; seconds=30; fraction=1",
            "cell=eu-b; seconds=30; fraction=1; more=1",
        ] {
            assert_eq!(Steer::parse(bad), None, "{bad}");
        }
    }

    proptest! {
        #[test]
        fn every_hint_survives(seconds in 0u32..=3_600, permille in 0u16..=1_000) {
            let steer = Steer { cell: "eu-b".into(), seconds, permille };
            prop_assert_eq!(Steer::parse(&steer.to_string()), Some(steer));
        }

        #[test]
        fn any_text_is_read_or_refused(text in "\\PC{0,60}") {
            let _ = Steer::parse(&text);
        }
    }
}
