//! The context row: where on the site, when in the week, when in the day.

use std::f64::consts::TAU;

use crate::snapshots::manifest::CONTEXT;

const DAY_S: i64 = 86_400;
/// Slots a model knows, in the order of their one-hot columns; any other slot is zeros.
const SLOTS: [&str; 3] = ["home", "basket", "product"];

/// The row for `slot` at `now_s` (Unix seconds): whole days of the week from Monday and whole hours, in UTC.
pub(super) fn row(slot: &str, now_s: i64) -> [f32; CONTEXT] {
    // The epoch was a Thursday.
    let day = (now_s.div_euclid(DAY_S) + 3).rem_euclid(7);
    let hour = now_s.rem_euclid(DAY_S) / 3_600;
    let (day_sin, day_cos) = (TAU * day as f64 / 7.0).sin_cos();
    let (hour_sin, hour_cos) = (TAU * hour as f64 / 24.0).sin_cos();
    let [home, basket, product] = SLOTS.map(|name| f32::from(u8::from(name == slot)));
    [home, basket, product, day_sin as f32, day_cos as f32, hour_sin as f32, hour_cos as f32]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_monday_midnight_is_the_circle_s_beginning() {
        // 2018-01-01 was a Monday.
        assert_eq!(row("basket", 1_514_764_800), [0.0, 1.0, 0.0, 0.0, 1.0, 0.0, 1.0]);
        assert_eq!(row("checkout", 0)[..3], [0.0; 3]);
    }
}
