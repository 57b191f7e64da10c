//! A latency histogram with fixed bounds.

use std::fmt::Write as _;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;

/// Upper bounds in microseconds, about three to a decade, with the cell's 120 ms among them.
const BOUNDS_US: [u64; 14] =
    [25, 50, 100, 250, 500, 1_000, 2_500, 5_000, 10_000, 20_000, 40_000, 80_000, 120_000, 400_000];

/// Counts by bound; the last is the rest.
#[derive(Default)]
pub struct Histogram {
    counts: [AtomicU64; BOUNDS_US.len() + 1],
    sum_us: AtomicU64,
}

impl Histogram {
    /// Counts one.
    pub fn observe(&self, took: Duration) {
        let micros = u64::try_from(took.as_micros()).unwrap_or(u64::MAX);
        let bucket = BOUNDS_US.partition_point(|&bound| bound < micros);
        if let Some(count) = self.counts.get(bucket) {
            count.fetch_add(1, Ordering::Relaxed);
        }
        self.sum_us.fetch_add(micros, Ordering::Relaxed);
    }

    /// The series `name` with `labels`, unless nothing was observed: most pairs of labels never meet.
    pub fn render(&self, text: &mut String, name: &str, labels: &str) {
        let total: u64 = self.counts.iter().map(|count| count.load(Ordering::Relaxed)).sum();
        if total == 0 {
            return;
        }
        let mut below = 0;
        for (&bound, count) in BOUNDS_US.iter().zip(&self.counts) {
            below += count.load(Ordering::Relaxed);
            // Writing into a string has no way to fail.
            let _ = writeln!(text, "{name}_bucket{{{labels},le=\"{}\"}} {below}", bound as f64 / 1e6);
        }
        let sum = self.sum_us.load(Ordering::Relaxed) as f64 / 1e6;
        let _ = writeln!(text, "{name}_bucket{{{labels},le=\"+Inf\"}} {total}");
        let _ = writeln!(text, "{name}_sum{{{labels}}} {sum}\n{name}_count{{{labels}}} {total}");
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn buckets_are_cumulative_and_hold_their_bound() {
        let histogram = Histogram::default();
        [25, 26, 1_000_000].into_iter().for_each(|us| histogram.observe(Duration::from_micros(us)));
        let mut text = String::new();
        histogram.render(&mut text, "t", "a=\"b\"");
        assert!(text.contains("t_bucket{a=\"b\",le=\"0.000025\"} 1\n"), "{text}");
        assert!(text.contains("t_bucket{a=\"b\",le=\"0.4\"} 2\n"), "{text}");
        assert!(text.contains("t_bucket{a=\"b\",le=\"+Inf\"} 3\n"), "{text}");
        assert!(text.contains("t_sum{a=\"b\"} 1.000051\n"), "{text}");
    }
}
