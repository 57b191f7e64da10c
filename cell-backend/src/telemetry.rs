//! What the cell counts, as Prometheus text (exposition format 0.0.4).
//!
//! Labels are enums, and the id of the snapshot that the counters were made for: nothing that a request brings can
//! become one. Counters exist from the start; a histogram appears with its first observation.

mod tally;
mod turned;

use std::collections::BTreeMap;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;

use domicile_ladder::{FeatureState, Reason, Rung};
use domicile_telemetry::{Histogram, Seldom, head, line};
use domicile_wire::{Code, Shown};

pub use tally::{SealPart, Tally};
pub use turned::Turned;

/// Between two log lines of what fails at every request.
const LINES_APART: Duration = Duration::from_secs(30);

/// Log lines of one kind of failure, now and then; the metrics have every case.
pub const fn lines() -> Seldom {
    Seldom::every(LINES_APART)
}

/// A stage of a request's path.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Stage {
    /// Receiving and decoding.
    Gate,
    /// Pin, class, shopper, residency.
    Authenticate,
    /// The shopper's row.
    Features,
    /// The query tower.
    Query,
    /// Index search and union.
    Candidates,
    /// The overlay's filter.
    Eligibility,
    /// The ranker.
    Rank,
    /// Assembling the answer.
    Respond,
    /// All of it.
    Total,
}

/// A listener.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Door {
    /// The gateway's.
    Sealed,
    /// The direct API's.
    Direct,
    /// The admin's.
    Admin,
}

/// Why a connection was not taken.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Lost {
    /// As many as may be were open: it was closed.
    Full,
    /// The system did not hand it over, mostly for want of a file descriptor.
    Failed,
    /// No TLS came of it in time: no certificate, another authority's, or no TLS at all.
    Handshake,
}

/// What came of a stage that may give nothing.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Outcome {
    /// What was asked for.
    Done,
    /// It answered, and there is nothing.
    Nothing,
    /// There was no room for it.
    Full,
    /// An error.
    Failed,
    /// It was not done within the stage's budget, waiting for room included.
    Late,
    /// The request's deadline had passed: it was not started.
    NotStarted,
}

/// The stages that may give nothing, and their counters.
const GIVING: [(Stage, &str, &str); 3] = [
    (Stage::Features, "domicile_cell_feature_reads_total", "Reads of a shopper's row by outcome."),
    (Stage::Query, "domicile_cell_queries_total", "Questions to the query tower by outcome."),
    (Stage::Candidates, "domicile_cell_searches_total", "Index searches by outcome."),
];

/// The cell's counters.
pub struct Telemetry {
    snapshot: String,
    latency: BTreeMap<(Stage, Rung), Histogram>,
    served: BTreeMap<(Rung, Reason), AtomicU64>,
    features: BTreeMap<FeatureState, AtomicU64>,
    refused: BTreeMap<Code, AtomicU64>,
    turned: BTreeMap<Turned, AtomicU64>,
    outcomes: BTreeMap<(Stage, Outcome), AtomicU64>,
    lost: BTreeMap<(Door, Lost), AtomicU64>,
    tallies: BTreeMap<Tally, AtomicU64>,
    impressions: BTreeMap<(Rung, Shown), AtomicU64>,
    page_wait: BTreeMap<Rung, Histogram>,
    sealing: BTreeMap<SealPart, Histogram>,
    deadline_missed: AtomicU64,
}

impl Stage {
    /// Every stage, in order.
    pub const ALL: [Self; 9] = [
        Self::Gate,
        Self::Authenticate,
        Self::Features,
        Self::Query,
        Self::Candidates,
        Self::Eligibility,
        Self::Rank,
        Self::Respond,
        Self::Total,
    ];

    /// The stage's name in answers, labels and logs.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Gate => "gate",
            Self::Authenticate => "authenticate",
            Self::Features => "features",
            Self::Query => "query",
            Self::Candidates => "candidates",
            Self::Eligibility => "eligibility",
            Self::Rank => "rank",
            Self::Respond => "respond",
            Self::Total => "total",
        }
    }
}

impl Outcome {
    /// Every outcome.
    pub const ALL: [Self; 6] =
        [Self::Done, Self::Nothing, Self::Full, Self::Failed, Self::Late, Self::NotStarted];

    /// The outcome's name in labels.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Done => "done",
            Self::Nothing => "nothing",
            Self::Full => "full",
            Self::Failed => "failed",
            Self::Late => "late",
            Self::NotStarted => "not-started",
        }
    }
}

impl Door {
    /// Every listener.
    pub const ALL: [Self; 3] = [Self::Sealed, Self::Direct, Self::Admin];

    /// The listener's name in labels and logs.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Sealed => "sealed",
            Self::Direct => "direct",
            Self::Admin => "admin",
        }
    }
}

impl Lost {
    /// Every cause.
    pub const ALL: [Self; 3] = [Self::Full, Self::Failed, Self::Handshake];

    /// The cause's name in labels.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Full => "full",
            Self::Failed => "failed",
            Self::Handshake => "handshake",
        }
    }
}

impl Telemetry {
    /// Counters for a cell that serves this snapshot.
    pub fn new(snapshot: &str) -> Self {
        let pairs = Stage::ALL.into_iter().flat_map(|stage| Rung::ALL.map(|rung| (stage, rung)));
        let reasons = Rung::ALL.into_iter().flat_map(|rung| Reason::ALL.map(|reason| (rung, reason)));
        let outcomes = GIVING.iter().flat_map(|&(stage, ..)| Outcome::ALL.map(|outcome| (stage, outcome)));
        Self {
            snapshot: snapshot.to_owned(),
            latency: pairs.map(|pair| (pair, Histogram::default())).collect(),
            served: zeroed(reasons),
            features: zeroed(FeatureState::ALL.into_iter()),
            refused: zeroed(Code::ALL.into_iter()),
            turned: zeroed(Turned::all()),
            outcomes: zeroed(outcomes),
            lost: zeroed(Door::ALL.into_iter().flat_map(|door| Lost::ALL.map(|lost| (door, lost)))),
            tallies: zeroed(Tally::ALL.into_iter()),
            impressions: zeroed(Rung::ALL.into_iter().flat_map(|rung| Shown::ALL.map(|shown| (rung, shown)))),
            page_wait: Rung::ALL.into_iter().map(|rung| (rung, Histogram::default())).collect(),
            sealing: SealPart::ALL.into_iter().map(|part| (part, Histogram::default())).collect(),
            deadline_missed: AtomicU64::new(0),
        }
    }

    /// Counts an answer and its stages.
    pub fn served(&self, rung: Rung, reason: Reason, features: FeatureState, stages: &[(Stage, Duration)]) {
        count(self.served.get(&(rung, reason)));
        count(self.features.get(&features));
        for &(stage, took) in stages {
            if let Some(histogram) = self.latency.get(&(stage, rung)) {
                histogram.observe(took);
            }
        }
    }

    /// Counts a ranking that was made after its deadline, the caller's if that was shorter. What was given up without
    /// an answer is [`Turned::Late`] and not counted here: together they are what came too late.
    pub fn missed_deadline(&self) {
        count(Some(&self.deadline_missed));
    }

    /// Counts a problem inside an answer.
    pub fn refused(&self, code: Code) {
        count(self.refused.get(&code));
    }

    /// Counts a request turned away at the gate.
    pub fn turned(&self, turned: Turned) {
        count(self.turned.get(&turned));
    }

    /// Counts what came of `stage`: features, query or candidates.
    pub fn came_of(&self, stage: Stage, outcome: Outcome) {
        count(self.outcomes.get(&(stage, outcome)));
    }

    /// Counts a connection that was not taken.
    pub fn lost(&self, door: Door, lost: Lost) {
        count(self.lost.get(&(door, lost)));
    }

    /// Counts `number` of what is only counted.
    pub fn tally(&self, tally: Tally, number: u64) {
        if let Some(counter) = self.tallies.get(&tally) {
            counter.fetch_add(number, Ordering::Relaxed);
        }
    }

    /// Counts what became of a shelf on its page, and how long the page waited for it where it says so.
    pub fn impression(&self, rung: Rung, shown: Shown, waited: Option<Duration>) {
        count(self.impressions.get(&(rung, shown)));
        if let (Some(waited), Some(histogram)) = (waited, self.page_wait.get(&rung)) {
            histogram.observe(waited);
        }
    }

    /// Counts what a part of sealing took.
    pub fn sealed(&self, part: SealPart, took: Duration) {
        if let Some(histogram) = self.sealing.get(&part) {
            histogram.observe(took);
        }
    }

    /// Answers by rung, for the status page.
    pub fn rungs(&self) -> BTreeMap<&'static str, u64> {
        let mut rungs = BTreeMap::new();
        for ((rung, _), value) in &self.served {
            *rungs.entry(rung.as_str()).or_default() += value.load(Ordering::Relaxed);
        }
        rungs
    }

    /// The exposition. `gauges` are values of the moment with their help text.
    pub fn render(&self, gauges: &[(&str, &str, f64)]) -> String {
        let mut text = String::with_capacity(16 * 1024);
        head(&mut text, "domicile_cell_stage_seconds", "histogram", "Time of a stage by rung and snapshot.");
        for (&(stage, rung), histogram) in &self.latency {
            let labels = format!(
                "stage=\"{}\",rung=\"{}\",snapshot=\"{}\"",
                stage.as_str(),
                rung.as_str(),
                self.snapshot
            );
            histogram.render(&mut text, "domicile_cell_stage_seconds", &labels);
        }
        head(&mut text, "domicile_cell_answers_total", "counter", "Answers by rung and reason.");
        for ((rung, reason), value) in &self.served {
            let labels = format!("rung=\"{}\",reason=\"{}\"", rung.as_str(), reason.as_str());
            line(&mut text, "domicile_cell_answers_total", &labels, value.load(Ordering::Relaxed));
        }
        let states = self.features.iter().map(|(state, value)| (state.as_str(), value));
        labelled(
            &mut text,
            "domicile_cell_features_total",
            "Answers by what was known of the shopper.",
            "state",
            states,
        );
        let codes = self.refused.iter().map(|(code, value)| (code.as_str(), value));
        labelled(
            &mut text,
            "domicile_cell_problems_total",
            "Problems answered inside a message.",
            "code",
            codes,
        );
        let turned = self.turned.iter().map(|(turned, value)| (turned.as_str(), value));
        labelled(
            &mut text,
            "domicile_cell_turned_away_total",
            "Requests turned away at the gate.",
            "cause",
            turned,
        );
        for (stage, name, help) in GIVING {
            let of_stage = self.outcomes.iter().filter(|((of, _), _)| *of == stage);
            let outcomes = of_stage.map(|((_, outcome), value)| (outcome.as_str(), value));
            labelled(&mut text, name, help, "outcome", outcomes);
        }
        let name = "domicile_cell_connections_lost_total";
        head(&mut text, name, "counter", "Connections that were not taken, by listener and cause.");
        for ((door, lost), value) in &self.lost {
            let labels = format!("listener=\"{}\",cause=\"{}\"", door.as_str(), lost.as_str());
            line(&mut text, name, &labels, value.load(Ordering::Relaxed));
        }
        head(
            &mut text,
            "domicile_cell_deadline_missed_total",
            "counter",
            "Rankings that were made after their deadline.",
        );
        line(
            &mut text,
            "domicile_cell_deadline_missed_total",
            "",
            self.deadline_missed.load(Ordering::Relaxed),
        );
        for (name, help, label) in tally::FAMILIES {
            let of_family = self.tallies.iter().filter(|(tally, _)| tally.family() == name);
            labelled(&mut text, name, help, label, of_family.map(|(tally, value)| (tally.label(), value)));
        }
        let name = "domicile_cell_impressions_total";
        head(&mut text, name, "counter", "Shelves on their pages, by rung and by what became of them.");
        for ((rung, shown), value) in &self.impressions {
            let labels = format!("rung=\"{}\",shown=\"{}\"", rung.as_str(), shown.as_str());
            line(&mut text, name, &labels, value.load(Ordering::Relaxed));
        }
        let name = "domicile_cell_page_wait_seconds";
        head(&mut text, name, "histogram", "From the page's request to its shelf, as pages told it.");
        for (rung, histogram) in &self.page_wait {
            histogram.render(&mut text, name, &format!("rung=\"{}\"", rung.as_str()));
        }
        let name = "domicile_cell_seal_seconds";
        head(
            &mut text,
            name,
            "histogram",
            "What sealing takes: opening a request, signing its receipt, sealing its answer.",
        );
        for (part, histogram) in &self.sealing {
            histogram.render(&mut text, name, &format!("part=\"{}\"", part.as_str()));
        }
        for (name, help, value) in gauges {
            head(&mut text, name, "gauge", help);
            line(&mut text, name, "", value);
        }
        text
    }
}

fn zeroed<K: Ord>(keys: impl Iterator<Item = K>) -> BTreeMap<K, AtomicU64> {
    keys.map(|key| (key, AtomicU64::new(0))).collect()
}

fn count(counter: Option<&AtomicU64>) {
    if let Some(counter) = counter {
        counter.fetch_add(1, Ordering::Relaxed);
    }
}

fn labelled<'v>(
    text: &mut String,
    name: &str,
    help: &str,
    label: &str,
    values: impl Iterator<Item = (&'static str, &'v AtomicU64)>,
) {
    head(text, name, "counter", help);
    for (key, value) in values {
        line(text, name, &format!("{label}=\"{key}\""), value.load(Ordering::Relaxed));
    }
}

#[cfg(test)]
mod tests {
    use domicile_wire::FramingError;

    use super::*;

    #[test]
    fn the_text_holds_what_was_counted() {
        let telemetry = Telemetry::new("sha256:aa");
        let stages = [(Stage::Rank, Duration::from_millis(3)), (Stage::Total, Duration::from_millis(7))];
        telemetry.served(Rung::Full, Reason::WithinBudget, FeatureState::Fresh, &stages);
        telemetry.refused(Code::PinExpired);
        telemetry.tally(Tally::EventsAccepted, 3);
        telemetry.impression(Rung::Full, Shown::Used, Some(Duration::from_millis(200)));
        telemetry.turned(Turned::Framing(FramingError::Padding));
        telemetry.came_of(Stage::Features, Outcome::Late);
        let text = telemetry.render(&[("domicile_cell_in_flight", "Requests in the cell.", 2.0)]);
        for expected in [
            "domicile_cell_answers_total{rung=\"full\",reason=\"within-budget\"} 1\n",
            "domicile_cell_stage_seconds_count{stage=\"rank\",rung=\"full\",snapshot=\"sha256:aa\"} 1\n",
            "domicile_cell_problems_total{code=\"pin-expired\"} 1\n",
            "domicile_cell_turned_away_total{cause=\"padding\"} 1\n",
            "domicile_cell_events_total{outcome=\"accepted\"} 3\n",
            "domicile_cell_impressions_total{rung=\"full\",shown=\"used\"} 1\n",
            "domicile_cell_page_wait_seconds_count{rung=\"full\"} 1\n",
            "domicile_cell_feature_reads_total{outcome=\"late\"} 1\n",
            "domicile_cell_feature_reads_total{outcome=\"done\"} 0\n",
            "domicile_cell_in_flight 2\n",
        ] {
            assert!(text.contains(expected), "{expected} in {text}");
        }
        assert_eq!(telemetry.rungs().get("full"), Some(&1));
    }
}
