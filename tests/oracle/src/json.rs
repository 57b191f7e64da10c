//! Values of a JSON object, asked one by one.

use serde_json::Value;

/// The text at `name`.
pub(crate) fn text<'v>(value: &'v Value, name: &str) -> Option<&'v str> {
    value.get(name)?.as_str()
}

/// The whole number at `name`, as wide as any that is compared with it.
pub(crate) fn number(value: &Value, name: &str) -> Option<i128> {
    let number = value.get(name)?;
    number.as_i64().map(i128::from).or_else(|| number.as_u64().map(i128::from))
}

/// Seconds since 1970 of an RFC 3339 time in UTC to the second, counted by hand; none for every other way of writing a
/// time, of which this reference says nothing.
pub(crate) fn seconds(text: &str) -> Option<i64> {
    let digits = |from: usize, to: usize| -> Option<i64> {
        let part = text.get(from..to)?;
        part.bytes().all(|byte| byte.is_ascii_digit()).then(|| part.parse().ok())?
    };
    let shape: String = text.chars().map(|c| if c.is_ascii_digit() { '0' } else { c }).collect();
    if shape != "0000-00-00T00:00:00Z" {
        return None;
    }
    let (year, month, day) = (digits(0, 4)?, digits(5, 7)?, digits(8, 10)?);
    let (hour, minute, second) = (digits(11, 13)?, digits(14, 16)?, digits(17, 19)?);
    let leap = |year: i64| year % 4 == 0 && (year % 100 != 0 || year % 400 == 0);
    let lengths = [31, if leap(year) { 29 } else { 28 }, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31];
    let length = usize::try_from(month - 1).ok().and_then(|month| lengths.get(month))?;
    if year < 1970 || !(1..=*length).contains(&day) || hour > 23 || minute > 59 || second > 59 {
        return None;
    }
    let years: i64 = (1970..year).map(|year| if leap(year) { 366 } else { 365 }).sum();
    let months: i64 = lengths.iter().take(usize::try_from(month - 1).ok()?).sum();
    Some((((years + months + day - 1) * 24 + hour) * 60 + minute) * 60 + second)
}

#[cfg(test)]
mod tests {
    use super::seconds;

    #[test]
    fn days_are_counted() {
        assert_eq!(seconds("1970-01-01T00:00:00Z"), Some(0));
        assert_eq!(seconds("2027-01-15T08:00:00Z"), Some(1_800_000_000));
        assert_eq!(seconds("2000-02-29T23:59:59Z"), Some(951_868_799));
        assert_eq!(
            [seconds("2001-02-29T00:00:00Z"), seconds("2027-01-15T08:00:00+01:00"), seconds("x")],
            [None; 3]
        );
    }
}
