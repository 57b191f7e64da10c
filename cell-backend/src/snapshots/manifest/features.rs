//! The features that a manifest names, held against those that this build makes: by name and in their order, since a
//! model is given columns and not names.

use serde::Deserialize;

/// The `cross` row, in order; what each means stands in [`crate::inputs`].
const CROSS_NAMES: [&str; 10] = [
    "own_count",
    "own_decayed",
    "own_days_since_last",
    "own_mean_gap_days",
    "price_ratio",
    "from_own",
    "from_ann",
    "from_popular",
    "ann_score",
    "popular_rank",
];
const SHOPPER_NAMES: [&str; 5] = [
    "events_total",
    "distinct_items",
    "days_since_last_event",
    "days_since_first_event",
    "median_item_price",
];
const CONTEXT_NAMES: [&str; 7] = [
    "slot_home",
    "slot_basket",
    "slot_product",
    "day_of_week_sin",
    "day_of_week_cos",
    "hour_sin",
    "hour_cos",
];
const HISTORY_NAMES: [&str; 4] = ["history", "history_weight", "history_age", "history_type"];

/// Length of a model's `cross` row.
pub const CROSS: usize = CROSS_NAMES.len();
/// Length of a model's `shopper` row.
pub const SHOPPER: usize = SHOPPER_NAMES.len();
/// Length of a model's `context` row.
pub const CONTEXT: usize = CONTEXT_NAMES.len();

/// The features, by input.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Features {
    /// The four columns of the history.
    pub history: Vec<Feature>,
    /// The columns of `cross`.
    pub cross: Vec<Feature>,
    /// The columns of `shopper`.
    pub shopper: Vec<Feature>,
    /// The columns of `context`.
    pub context: Vec<Feature>,
}

/// One feature.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Feature {
    /// Its name.
    pub name: String,
    /// Its unit, in words.
    pub unit: String,
    /// How it is normalised before the model is given it, in words.
    pub normalisation: String,
}

impl Features {
    /// Holds the names against those that this build makes.
    pub(super) fn check(&self) -> Result<(), String> {
        same("history", &self.history, &HISTORY_NAMES)?;
        same("cross", &self.cross, &CROSS_NAMES)?;
        same("shopper", &self.shopper, &SHOPPER_NAMES)?;
        same("context", &self.context, &CONTEXT_NAMES)
    }
}

fn same(group: &str, found: &[Feature], made: &[&str]) -> Result<(), String> {
    for (at, made) in made.iter().enumerate() {
        match found.get(at).map(|feature| feature.name.as_str()) {
            Some(name) if name == *made => {}
            Some(name) => {
                return Err(format!("features.{group}[{at}] = {name:?} where this build makes {made:?}"));
            }
            None => return Err(format!("no features.{group}[{at}] where this build makes {made:?}")),
        }
    }
    match found.get(made.len()) {
        Some(more) => {
            Err(format!("features.{group}[{}] = {:?} where this build makes none", made.len(), more.name))
        }
        None => Ok(()),
    }
}

/// The features that this build makes, as a manifest has them.
#[cfg(test)]
pub(crate) fn made() -> serde_json::Value {
    let group = |names: &[&str]| -> Vec<serde_json::Value> {
        let feature = |name: &&str| serde_json::json!({"name": name, "unit": "", "normalisation": "none"});
        names.iter().map(feature).collect()
    };
    serde_json::json!({
        "history": group(&HISTORY_NAMES), "cross": group(&CROSS_NAMES),
        "shopper": group(&SHOPPER_NAMES), "context": group(&CONTEXT_NAMES),
    })
}
