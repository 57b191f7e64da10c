//! RFC 3339 time stamps in UTC, as overlays carry them.

/// Seconds since the Unix epoch of `2026-01-31T00:00:00Z` (or `+00:00`; fractions are cut off), or none when the text
/// is of another form. Days are counted as in the proleptic Gregorian calendar.
pub(super) fn unix_seconds(text: &str) -> Option<i64> {
    let text = text.strip_suffix('Z').or_else(|| text.strip_suffix("+00:00"))?;
    let text = text.split_once('.').map_or(text, |(whole, _)| whole);
    let (date, time) = text.split_once('T')?;
    let [year, month, day] = numbers(date, '-')?;
    let [hour, minute, second] = numbers(time, ':')?;
    let sound = (1..=12).contains(&month)
        && (1..=month_days(year, month)).contains(&day)
        && (0..24).contains(&hour)
        && (0..60).contains(&minute)
        && (0..=60).contains(&second);
    sound.then(|| days(year, month, day) * 86_400 + hour * 3_600 + minute * 60 + second)
}

fn numbers(text: &str, separator: char) -> Option<[i64; 3]> {
    let mut parts = text.split(separator).map(|part| {
        let digits = part.len() >= 2 && part.len() <= 4 && part.bytes().all(|b| b.is_ascii_digit());
        digits.then(|| part.parse().ok()).flatten()
    });
    let numbers = [parts.next()??, parts.next()??, parts.next()??];
    parts.next().is_none().then_some(numbers)
}

fn is_leap(year: i64) -> bool {
    year % 4 == 0 && (year % 100 != 0 || year % 400 == 0)
}

fn month_days(year: i64, month: i64) -> i64 {
    match month {
        2 => 28 + i64::from(is_leap(year)),
        4 | 6 | 9 | 11 => 30,
        _ => 31,
    }
}

/// Days since 1970-01-01.
fn days(year: i64, month: i64, day: i64) -> i64 {
    let before = year - 1;
    let years = before * 365 + before.div_euclid(4) - before.div_euclid(100) + before.div_euclid(400);
    let months: i64 = (1..month).map(|m| month_days(year, m)).sum();
    years + months + day - 1 - 719_162
}

#[cfg(test)]
mod tests {
    use super::unix_seconds;

    #[test]
    fn known_times_are_read_and_other_forms_are_not() {
        assert_eq!(unix_seconds("1970-01-01T00:00:00Z"), Some(0));
        assert_eq!(unix_seconds("2000-03-01T00:00:00Z"), Some(951_868_800));
        assert_eq!(unix_seconds("2038-01-19T03:14:07.9+00:00"), Some(2_147_483_647));
        for bad in
            ["", "2026-01-31", "2026-02-30T00:00:00Z", "2026-01-31T00:00:00+02:00", "2026-13-01T00:00:00Z"]
        {
            assert_eq!(unix_seconds(bad), None, "{bad}");
        }
    }
}
