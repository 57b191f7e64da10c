//! Dates in headers: IMF-fixdate (RFC 9110, section 5.6.7) and no other form.

use jiff::Timestamp;
use jiff::fmt::rfc2822::{DateTimeParser, DateTimePrinter};

/// Seconds since 1970 as a date; empty beyond the year 9999.
pub fn text(seconds: i64) -> String {
    let time = Timestamp::from_second(seconds).unwrap_or_default();
    DateTimePrinter::new().timestamp_to_rfc9110_string(&time).unwrap_or_default()
}

/// Seconds since 1970 of a date; none when it is written in another way.
pub fn seconds(date: &str) -> Option<i64> {
    let seconds = DateTimeParser::new().parse_timestamp(date).ok()?.as_second();
    // The parser takes older forms as well; only the one that is written is read.
    (text(seconds) == date).then_some(seconds)
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn one_form_is_read() {
        assert_eq!(text(784_111_777), "Sun, 06 Nov 1994 08:49:37 GMT");
        assert_eq!(seconds("Sun, 06 Nov 1994 08:49:37 GMT"), Some(784_111_777));
        for bad in [
            "Sunday, 06-Nov-94 08:49:37 GMT",
            "Sun Nov  6 08:49:37 1994",
            "Sun, 06 Nov 1994 08:49:37 +0000",
            "Mon, 06 Nov 1994 08:49:37 GMT",
            " Sun, 06 Nov 1994 08:49:37 GMT",
            "784111777",
            "",
        ] {
            assert_eq!(seconds(bad), None, "{bad}");
        }
    }

    proptest! {
        #[test]
        fn every_second_survives(at in 0i64..4_000_000_000) {
            prop_assert_eq!(seconds(&text(at)), Some(at));
        }

        #[test]
        fn any_text_is_read_or_refused(text in "\\PC{0,40}") {
            let _ = seconds(&text);
        }
    }
}
