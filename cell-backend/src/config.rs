//! The cell's own configuration, version 1: stage budgets and limits.
//!
//! Everything has a default, so a cell runs without a file. The stages' budgets are summed and held against the
//! topology's `cell_budget` when the configuration is loaded: a plan that cannot fit is refused with the arithmetic,
//! not discovered at the 99th percentile.

use std::path::Path;
use std::time::Duration;

use serde::Deserialize;

use crate::failure::{Exit, Failure, read_text};

/// The version this build reads.
const VERSION: u32 = 1;

/// A cell's configuration.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct Config {
    /// The file's version: 1.
    pub version: u32,
    /// What each stage may take.
    pub budgets: Budgets,
    /// What is bounded.
    pub limits: Limits,
}

/// What each stage of a request may take, in milliseconds. Too short a budget costs rungs (the stage's work is
/// given up), too long a one is refused because the sum no longer fits.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct Budgets {
    /// Receiving and decoding the request.
    pub gate_ms: u32,
    /// Pin, class and shopper.
    pub authenticate_ms: u32,
    /// The one read of the shopper's row. A read that takes longer counts as no features.
    pub features_ms: u32,
    /// The query tower, its queue included. A tower that takes longer gives no ANN candidates.
    pub query_ms: u32,
    /// Index search and union of the sources.
    pub candidates_ms: u32,
    /// The overlay's filter.
    pub eligibility_ms: u32,
    /// The ranker, its queue included.
    pub rank_ms: u32,
    /// Assembling and encoding the answer; the ladder keeps this in reserve.
    pub respond_ms: u32,
}

/// What is bounded. Each is a refusal or a lower rung when it is reached, never a wait without end.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct Limits {
    /// Requests in the cell at once; one more is answered 503, with 0 every one is. Too high a number lets queues
    /// eat the deadline.
    pub in_flight: u32,
    /// Jobs waiting at each ranker thread; one more is a lower rung.
    pub ranker_queue: u32,
    /// Shoppers whose last good ranking is kept in memory.
    pub last_good_entries: u32,
    /// How long a last good ranking may be served, in seconds.
    pub last_good_s: u32,
    /// Features brought up to date within this many seconds are `fresh`, older ones `stale`.
    pub fresh_s: u32,
    /// How long a stopping cell waits for the requests in it, in milliseconds.
    pub drain_ms: u32,
}

impl Default for Config {
    fn default() -> Self {
        Self { version: VERSION, budgets: Budgets::default(), limits: Limits::default() }
    }
}

impl Default for Budgets {
    /// 110 ms of the usual 120 ms; the ranker's part is some ten times its measured need, for queues.
    fn default() -> Self {
        Self {
            gate_ms: 2,
            authenticate_ms: 3,
            features_ms: 10,
            query_ms: 15,
            candidates_ms: 12,
            eligibility_ms: 3,
            rank_ms: 60,
            respond_ms: 5,
        }
    }
}

impl Default for Limits {
    /// 64 in flight at 3 ms each on two threads stay below the 120 ms deadline; a day is the demo's import rhythm.
    fn default() -> Self {
        Self {
            in_flight: 64,
            ranker_queue: 32,
            last_good_entries: 20_000,
            last_good_s: 1_800,
            fresh_s: 86_400,
            drain_ms: 5_000,
        }
    }
}

impl Config {
    /// The configuration of `path`, or the defaults, held against `cell_budget_ms`.
    ///
    /// # Errors
    /// [`Failure`]: an unreadable file, an unknown key (the nearest known one is named), another version, or stage
    /// budgets whose sum does not fit.
    pub fn load(path: Option<&Path>, cell_budget_ms: u32) -> Result<Self, Failure> {
        let config = match path {
            Some(path) => {
                let text = read_text(Exit::Config, path, "give the configuration's path to --config")?;
                Self::parse(&text)
                    .map_err(|e| Failure::new(Exit::Config, format!("{}: {e}", path.display())))?
            }
            None => Self::default(),
        };
        config.budgets.check(cell_budget_ms)?;
        Ok(config)
    }

    fn parse(text: &str) -> Result<Self, String> {
        let config: Self = toml::from_str(text).map_err(|e| with_nearest(e.message()))?;
        if config.version == VERSION {
            Ok(config)
        } else {
            Err(format!("this build reads version {VERSION} and the file is version {}", config.version))
        }
    }
}

impl Budgets {
    /// The features stage's budget.
    pub fn features(&self) -> Duration {
        Duration::from_millis(self.features_ms.into())
    }

    /// The query stage's budget.
    pub fn query(&self) -> Duration {
        Duration::from_millis(self.query_ms.into())
    }

    /// What the ladder keeps in reserve.
    pub fn respond(&self) -> Duration {
        Duration::from_millis(self.respond_ms.into())
    }

    fn stages(&self) -> [(&'static str, u32); 8] {
        [
            ("gate", self.gate_ms),
            ("authenticate", self.authenticate_ms),
            ("features", self.features_ms),
            ("query", self.query_ms),
            ("candidates", self.candidates_ms),
            ("eligibility", self.eligibility_ms),
            ("rank", self.rank_ms),
            ("respond", self.respond_ms),
        ]
    }

    fn check(&self, cell_budget_ms: u32) -> Result<(), Failure> {
        let sum: u64 = self.stages().iter().map(|&(_, ms)| u64::from(ms)).sum();
        if sum <= cell_budget_ms.into() {
            return Ok(());
        }
        let terms: Vec<String> = self.stages().iter().map(|(name, ms)| format!("{name} {ms}")).collect();
        Err(Failure::new(
            Exit::Config,
            format!(
                "stage budgets: {} = {sum} ms, and cell_budget_ms is {cell_budget_ms}; shorten a stage by {} ms in \
                 --config or raise cell_budget_ms in the topology",
                terms.join(" + "),
                sum - u64::from(cell_budget_ms)
            ),
        ))
    }
}

fn with_nearest(message: &str) -> String {
    let mut quoted = message.split('`').skip(1).step_by(2);
    match quoted.next().filter(|_| message.starts_with("unknown field")) {
        Some(found) => {
            let nearest = quoted.min_by_key(|known| strsim::damerau_levenshtein(found, known));
            format!("unknown key `{found}`; the nearest known one is `{}`", nearest.unwrap_or_default())
        }
        None => message.to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_defaults_fit_and_what_does_not_is_refused_with_the_sum() {
        assert!(Config::load(None, 120).is_ok());
        let line = Config::load(None, 100).unwrap_err().to_string();
        assert!(line.contains("rank 60") && line.contains("= 110 ms") && line.contains("by 10 ms"), "{line}");
    }

    #[test]
    fn a_typing_mistake_is_named_with_what_was_meant() {
        let error = Config::parse("version = 1\n[limits]\nin_flihgt = 3").unwrap_err();
        assert_eq!(error, "unknown key `in_flihgt`; the nearest known one is `in_flight`");
        assert!(Config::parse("version = 2").unwrap_err().contains("version 1"));
    }
}
