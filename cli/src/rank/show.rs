//! A ranking as a person reads it.

use std::time::Duration;

use domicile_client::Answered;
use domicile_wire::RankAnswer;
use serde_json::Value;

use super::Rank;
use crate::output::{line, shown};

/// Rows shown.
const ROWS: usize = 10;
/// Width of the list's column.
const COLUMN: usize = 46;

/// Prints where a ranking comes from, and its shelf beside the list.
pub(super) fn ranking(rank: &Rank, answered: &Answered<RankAnswer>, latency_ms: f64, list: &Value) {
    let answer = &answered.answer;
    line(format!(
        "{} / {}: rung {} ({}), {latency_ms:.1} ms end to end, {:.1} ms in cell {}, features {} ({} s)",
        rank.locale,
        rank.slot,
        answer.rung.as_str(),
        answer.reason.as_str(),
        Duration::from_micros(answer.elapsed_us).as_secs_f64() * 1_000.0,
        shown(&answer.cell),
        answer.features.state.as_str(),
        answer.features.age_s,
    ));
    line(format!("snapshot {}", shown(&answer.snapshot)));
    let receipt = &answered.receipt;
    line(format!(
        "receipt by {} ({}) at {}, attempt {}",
        shown(&receipt.cell),
        shown(&receipt.boundary),
        shown(&receipt.time),
        answered.attempts,
    ));
    beside(list, Some(answer));
}

/// Prints the first rows of the list and of the personal shelf next to each other.
pub(super) fn beside(list: &Value, answer: Option<&RankAnswer>) {
    let empty = Vec::new();
    let popular = list.get("items").and_then(Value::as_array).unwrap_or(&empty);
    line(format!("  {:<COLUMN$} {}", "popular", if answer.is_some() { "personal (source)" } else { "" }));
    for row in 0..ROWS {
        let left = popular.get(row).and_then(|i| i.get("title")).and_then(Value::as_str).unwrap_or_default();
        let right = answer.and_then(|a| a.items.get(row));
        let right = right.map(|i| format!("{} ({})", shown(&i.title), i.source.as_str())).unwrap_or_default();
        let left: String = shown(left).chars().take(COLUMN).collect();
        line(format!("  {left:<COLUMN$} {right}").trim_end());
    }
}
