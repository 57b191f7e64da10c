//! Order statistics.

/// The value below which `permille` thousandths of the sorted values lie (nearest rank); 0 of no values.
pub(crate) fn quantile(sorted: &[u64], permille: usize) -> u64 {
    let rank = (sorted.len() * permille).div_ceil(1_000).saturating_sub(1);
    sorted.get(rank).copied().unwrap_or(0)
}

/// The middle of some values, and the least and the greatest.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct Spread {
    pub(crate) median: f64,
    pub(crate) least: f64,
    pub(crate) most: f64,
}

impl Spread {
    /// Of the values of some rounds; all zero of none.
    pub(crate) fn of(values: &[f64]) -> Self {
        let mut sorted = values.to_vec();
        sorted.sort_by(f64::total_cmp);
        let at = |rank: usize| sorted.get(rank).copied().unwrap_or(0.0);
        let last = sorted.len().saturating_sub(1);
        // Of an even number, the mean of both in the middle.
        Self { median: f64::midpoint(at(last / 2), at(last.div_ceil(2))), least: at(0), most: at(last) }
    }
}

/// Nanoseconds as milliseconds.
#[expect(clippy::cast_precision_loss, reason = "a duration of a bench is far below 2^53 ns")]
pub(crate) fn millis(nanos: u64) -> f64 {
    nanos as f64 / 1e6
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn quantiles_are_ranks() {
        let values: Vec<u64> = (1..=1_000).collect();
        assert_eq!(
            [quantile(&values, 500), quantile(&values, 990), quantile(&values, 1_000)],
            [500, 990, 1_000]
        );
        assert_eq!((quantile(&[7], 1), quantile(&[], 500)), (7, 0));
    }

    #[test]
    fn a_spread_is_of_its_rounds() {
        assert_eq!(Spread::of(&[3.0, 1.0, 2.0, 9.0]), Spread { median: 2.5, least: 1.0, most: 9.0 });
        assert_eq!(Spread::of(&[5.0]).median, 5.0);
    }
}
