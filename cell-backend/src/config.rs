//! The cell's own configuration, version 1: stage budgets and limits.
//!
//! Everything has a default, so a cell runs without a file. The stages' budgets are summed and held against the
//! topology's `cell_budget` when the configuration is loaded: a plan that cannot fit is refused with the arithmetic,
//! not discovered at the 99th percentile.

mod direct;
mod sealed;

use std::path::Path;
use std::time::Duration;

use domicile_nearest::{place, with_nearest};
use serde::Deserialize;

use crate::failure::{Exit, Failure, read_text};
use crate::features::embedded::READS;
use crate::listen::Terms;

pub use direct::Direct;
pub use sealed::{Seal, TokenTerms};

/// The version this build reads.
const VERSION: u32 = 1;

/// Most blocking calls of a kind at once: a quarter of the runtime's threads for them.
const BLOCKING_MAX: u32 = 128;

/// Most connections of a listener: more than one process can have files open for on common systems.
const CONNECTIONS_MAX: u32 = 1 << 20;

/// A cell's configuration.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Config {
    /// The file's version: 1. A file has to say it.
    pub version: u32,
    /// What each stage may take.
    #[serde(default)]
    pub budgets: Budgets,
    /// What is bounded.
    #[serde(default)]
    pub limits: Limits,
    /// What callers may keep of the listeners.
    #[serde(default)]
    pub listener: Listener,
    /// Sealing keys; none: no sealed request is taken.
    #[serde(default)]
    pub seal: Option<Seal>,
    /// Whose tokens are taken; none: no token is.
    #[serde(default)]
    pub tokens: Option<TokenTerms>,
    /// The direct API; none: no such listener.
    #[serde(default)]
    pub direct: Option<Direct>,
}

/// What each stage of a request may take, in milliseconds; too long a one is refused because the sum no longer fits.
///
/// `features`, `query`, `candidates` and `rank` are enforced: the stage's work is given up at its budget, which costs
/// a rung, and with 0 it is never begun. `gate`, `authenticate`, `eligibility` only plan: they wait for nothing, and
/// their part of the sum keeps the time for them. `respond` is what the ladder keeps in reserve.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct Budgets {
    /// Receiving and decoding the request. Plans only; a body may take the whole `cell_budget`.
    pub gate_ms: u32,
    /// Pin, class and shopper. Plans only.
    pub authenticate_ms: u32,
    /// The one read of the shopper's row. A read that takes longer is given up: features `failed`.
    pub features_ms: u32,
    /// The query tower, its queue included. A tower that takes longer gives no ANN candidates.
    pub query_ms: u32,
    /// Index search and union of the sources. A search that takes longer gives no ANN candidates.
    pub candidates_ms: u32,
    /// The overlay's filter. Plans only.
    pub eligibility_ms: u32,
    /// The rankers, their queues included, both rungs together; the compact one's part is kept back for it.
    pub rank_ms: u32,
    /// Assembling and encoding the answer; the ladder keeps this in reserve.
    pub respond_ms: u32,
}

/// What is bounded. Each is a refusal or a lower rung when it is reached, never a wait without end.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct Limits {
    /// Requests in the cell at once; one more is answered 503, with 0 every one is. Too high a number lets queues
    /// eat the deadline.
    pub in_flight: u32,
    /// Jobs waiting at each ranker thread, 1 or more; one more is a lower rung.
    pub ranker_queue: u32,
    /// Reads of the feature store at once, 1 to 128, those included that were given up and still hang; one more waits
    /// within its budget. Too many let a slow disk take all blocking threads.
    pub store_reads: u32,
    /// Index searches at once, 1 to 128, in the same way. Many more than cores make each other late.
    pub searches: u32,
    /// Last good rankings kept in memory, 2 or more.
    pub last_good_entries: u32,
    /// How long a last good ranking may be served, in seconds.
    pub last_good_s: u32,
    /// Features brought up to date within this many seconds are `fresh`, older ones `stale`.
    pub fresh_s: u32,
    /// For how many days what an anonymous shopper did is kept after their last events, 1 or more. Their subject means
    /// nothing once its session is over: longer keeps what nobody can use, or erase.
    pub anonymous_days: u32,
    /// How long a stopping cell waits for the requests in it, in milliseconds.
    pub drain_ms: u32,
}

/// What callers may keep of the listeners. The time for a body is the gateway's: the topology's `cell_budget_ms`.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct Listener {
    /// Connections to the gateway at once, 1 or more; one more is closed. It has to stay below the process's limit of
    /// open files, or nothing at all can be accepted once they are used up.
    pub connections: u32,
    /// Connections to the admin listener at once, 1 or more, so that no crowd at the gateway keeps it from answering.
    pub admin_connections: u32,
    /// How long a caller may take for a request's head, and an unused connection stays open, in milliseconds, 1 or
    /// more. Shorter than the edge keeps its connections, it closes them under requests.
    pub head_ms: u32,
    /// How long a caller may leave an answer unread, in milliseconds, 1 or more. Too short cuts off slow networks.
    pub write_ms: u32,
    /// How long a connection has to have been of no use to lose its place to another, where there is none left. Too
    /// short takes connections from edges that ask seldom; too long lets a crowd that asks nothing shut others out.
    pub unused_ms: u32,
}

impl Default for Config {
    fn default() -> Self {
        Self {
            version: VERSION,
            budgets: Budgets::default(),
            limits: Limits::default(),
            listener: Listener::default(),
            seal: None,
            tokens: None,
            direct: None,
        }
    }
}

impl Default for Budgets {
    /// 117 ms of the usual 120 ms. A feature read has far more than it takes: without it there is no rung
    /// `full`, and on a busy machine a thread may wait that long for a core. So has the ranker, for queues; an answer's
    /// `stages_us` and `cargo xtask bench demo` show what they take.
    fn default() -> Self {
        Self {
            gate_ms: 2,
            authenticate_ms: 3,
            features_ms: 30,
            query_ms: 12,
            candidates_ms: 12,
            eligibility_ms: 3,
            rank_ms: 50,
            respond_ms: 5,
        }
    }
}

impl Default for Limits {
    /// 64 in flight are what two threads of the demo get through within the deadline, and more; a day is the demo's import rhythm.
    fn default() -> Self {
        Self {
            in_flight: 64,
            ranker_queue: 32,
            store_reads: READS,
            searches: 16,
            last_good_entries: 20_000,
            last_good_s: 1_800,
            fresh_s: 86_400,
            anonymous_days: 1,
            drain_ms: 5_000,
        }
    }
}

impl Default for Listener {
    /// 512 are eight for each request in flight, and with the admin's 16 half of the 1,024 files that many systems
    /// allow a process. The edge host keeps an unused connection for 15 s, so it closes first. An answer fits the
    /// kernel's buffers: one that is not taken for 5 s is taken by nobody.
    fn default() -> Self {
        Self { connections: 512, admin_connections: 16, head_ms: 20_000, write_ms: 5_000, unused_ms: 1_000 }
    }
}

impl Config {
    /// The configuration of `path`, or the defaults, held against `cell_budget_ms`.
    ///
    /// # Errors
    /// [`Failure`]: an unreadable file, an unknown key (the nearest known one is named), no or another version, a
    /// limit out of its range, or stage budgets whose sum does not fit.
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
        // The version first: a later version's keys are not typing mistakes.
        let table: toml::Table = text.parse().map_err(|e: toml::de::Error| explained(text, &e))?;
        if let Some(found) = table.get("version").filter(|found| found.as_integer() != Some(VERSION.into())) {
            return Err(format!("this build reads version {VERSION} and the file is version {found}"));
        }
        let config: Self = toml::from_str(text).map_err(|e| explained(text, &e))?;
        config.limits.check()?;
        config.listener.check()?;
        config.seal.as_ref().map_or(Ok(()), Seal::check)?;
        config.tokens.as_ref().map_or(Ok(()), TokenTerms::check)?;
        config.direct.as_ref().map_or(Ok(()), Direct::check)?;
        if config.direct.is_some() && config.tokens.is_none() {
            return Err("[direct] without [tokens]: a direct request says who asks by a token".to_owned());
        }
        if config.seal.is_some() && config.tokens.is_none() {
            return Err("[seal] without [tokens]: a sealed request says who asks by a token".to_owned());
        }
        Ok(config)
    }
}

impl Limits {
    fn check(&self) -> Result<(), String> {
        within("limits", "ranker_queue", self.ranker_queue, 1, u32::MAX)?;
        within("limits", "store_reads", self.store_reads, 1, BLOCKING_MAX)?;
        within("limits", "searches", self.searches, 1, BLOCKING_MAX)?;
        within("limits", "last_good_entries", self.last_good_entries, 2, u32::MAX)?;
        within("limits", "anonymous_days", self.anonymous_days, 1, u32::MAX)
    }
}

impl Listener {
    /// The gateway's terms.
    pub fn sealed(&self) -> Terms {
        self.terms(self.connections)
    }

    /// The direct listener's terms.
    pub fn direct(&self, direct: &Direct) -> Terms {
        self.terms(direct.connections)
    }

    /// The admin listener's terms.
    pub fn admin(&self) -> Terms {
        self.terms(self.admin_connections)
    }

    fn terms(&self, connections: u32) -> Terms {
        let duration = |ms: u32| Duration::from_millis(ms.into());
        let [head, write, unused] = [self.head_ms, self.write_ms, self.unused_ms].map(duration);
        Terms { connections, head, write, unused }
    }

    fn check(&self) -> Result<(), String> {
        within("listener", "connections", self.connections, 1, CONNECTIONS_MAX)?;
        within("listener", "admin_connections", self.admin_connections, 1, CONNECTIONS_MAX)?;
        within("listener", "head_ms", self.head_ms, 1, u32::MAX)?;
        within("listener", "unused_ms", self.unused_ms, 1, u32::MAX)?;
        within("listener", "write_ms", self.write_ms, 1, u32::MAX)
    }
}

fn within(section: &str, name: &str, found: u32, least: u32, most: u32) -> Result<(), String> {
    if found < least {
        return Err(format!("{section}.{name} = {found}; it has to be {least} or more"));
    }
    if found > most {
        return Err(format!("{section}.{name} = {found}; it has to be {most} or less"));
    }
    Ok(())
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

    /// The candidates stage's budget.
    pub fn candidates(&self) -> Duration {
        Duration::from_millis(self.candidates_ms.into())
    }

    /// The rank stage's budget.
    pub fn rank(&self) -> Duration {
        Duration::from_millis(self.rank_ms.into())
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

fn explained(text: &str, error: &toml::de::Error) -> String {
    if error.message().starts_with("missing field `version`") {
        return format!("the file does not say its version; write version = {VERSION}");
    }
    let problem = with_nearest(error.message());
    match error.span() {
        Some(span) => format!("{}: {problem}", place(text, span.start)),
        None => problem,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_defaults_fit_and_what_does_not_is_refused_with_the_sum() {
        assert!(Config::load(None, 120).is_ok());
        let line = Config::load(None, 100).unwrap_err().to_string();
        assert!(line.contains("rank 50") && line.contains("= 117 ms") && line.contains("by 17 ms"), "{line}");
    }

    #[test]
    fn a_typing_mistake_is_named_with_what_was_meant() {
        let error = Config::parse("version = 1\n[limits]\n  in_flihgt = 3").unwrap_err();
        let meant = "unknown key `in_flihgt`; the nearest known one is `in_flight`";
        assert_eq!(error, format!("line 3, column 3: {meant}"));
        let error = Config::parse("version = 1\n[limits]\nin_flight = \"many\"").unwrap_err();
        assert!(error.starts_with("line 3, column 13: "), "{error}");
        assert!(Config::parse("version = 2\n[later]").unwrap_err().contains("the file is version 2"));
        assert!(Config::parse("[limits]\nin_flight = 3").unwrap_err().contains("write version = 1"));
    }

    #[test]
    fn what_seals_fits_together_or_is_refused() {
        let seal = "[seal]\nkey_dir = \"keys\"\nsigning_key = \"cell.jwk\"\n";
        let tokens = "[tokens]\nkeys = \"tokens.json\"\n";
        let parse = |seal_more: &str, tokens: &str| {
            Config::parse(&format!("version = 1\n{seal}{seal_more}\n{tokens}"))
        };
        assert!(parse("", tokens).is_ok());
        assert!(parse("", "").unwrap_err().contains("[tokens]"));
        for (more, part) in [
            ("overlap_s = 60", "overlap of 60 s"),
            ("rotate_every_s = 5", "at least 60 s"),
            ("statement_s = 14399", "seal.statement_s = 14399; it has to be 14400 or more"),
            ("date_window_s = 0", "seal.date_window_s = 0"),
            ("rotate_evry_s = 0", "nearest known one is `rotate_every_s`"),
        ] {
            let error = parse(more, tokens).unwrap_err();
            assert!(error.contains(part), "{error}");
        }
    }

    #[test]
    fn a_limit_out_of_its_range_is_refused_not_corrected() {
        for (name, value) in [
            ("ranker_queue", 0),
            ("store_reads", 0),
            ("searches", 0),
            ("searches", 129),
            ("last_good_entries", 0),
            ("anonymous_days", 0),
        ] {
            let error = Config::parse(&format!("version = 1\n[limits]\n{name} = {value}")).unwrap_err();
            assert!(error.contains(&format!("limits.{name} = {value}")), "{error}");
        }
        for name in ["connections", "admin_connections", "head_ms", "write_ms", "unused_ms"] {
            let error = Config::parse(&format!("version = 1\n[listener]\n{name} = 0")).unwrap_err();
            assert_eq!(error, format!("listener.{name} = 0; it has to be 1 or more"));
        }
        assert!(Config::parse("version = 1\n[limits]\nin_flight = 0").is_ok(), "a cell that takes nothing");
    }
}
