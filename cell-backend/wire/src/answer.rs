//! A ranking as it is answered.

use std::collections::BTreeMap;
use std::fmt;

use domicile_ladder::{FeatureState, Reason, Rung};
use serde::{Deserialize, Serialize};

use crate::message::FramingError;
use crate::{Problem, Reply};

/// Where a candidate came from. An item of several sources shows the first of this order.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Source {
    /// The shopper's own history.
    Own,
    /// Nearest to the query tower's vector.
    Ann,
    /// The popular items.
    Popular,
}

impl Source {
    /// The source's name in answers.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Own => "own",
            Self::Ann => "ann",
            Self::Popular => "popular",
        }
    }
}

/// One item of a shelf. Its `Debug` is redacted: a ranking says who it is for.
#[derive(Clone, PartialEq, Serialize, Deserialize)]
pub struct RankedItem {
    /// Its id in the catalogue.
    pub id: String,
    /// Its title, plain text.
    pub title: String,
    /// Its category, a slug.
    pub category: String,
    /// Path of its image.
    pub image: String,
    /// Path of its page.
    pub url: String,
    /// Where it came from.
    pub source: Source,
    /// The ranker's score; comparable within this answer only. Absent where nothing was scored.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub score: Option<f32>,
}

impl fmt::Debug for RankedItem {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("RankedItem(redacted)")
    }
}

/// What the ranking knew of the shopper.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Features {
    /// The state.
    pub state: FeatureState,
    /// Seconds since the features were last brought up to date; 0 when there are none.
    pub age_s: u64,
}

/// How many candidates came from where; one of several sources counts for each of them.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Candidates {
    /// From the shopper's own history.
    pub own: u32,
    /// From the index.
    pub ann: u32,
    /// From the popular items.
    pub popular: u32,
    /// Taken out: denied by the overlay, or an anchor, which the page shows already.
    pub ineligible: u32,
}

/// A ranked shelf and what stands behind it.
#[derive(Clone, PartialEq, Serialize, Deserialize)]
pub struct RankAnswer {
    /// The items, best first: exactly as many as the slot holds, none twice.
    pub items: Vec<RankedItem>,
    /// The rung that served it.
    pub rung: Rung,
    /// Why that rung.
    pub reason: Reason,
    /// Id of the snapshot that ranked it (of the last good ranking on that rung).
    pub snapshot: String,
    /// Id of the overlay that filtered it.
    pub overlay: String,
    /// Name of the cell that served it.
    pub cell: String,
    /// What was known of the shopper.
    pub features: Features,
    /// How many candidates there were.
    pub candidates: Candidates,
    /// Time in the cell, from the gate to here, in microseconds.
    pub elapsed_us: u64,
    /// Time of each stage, in microseconds.
    pub stages_us: BTreeMap<String, u64>,
}

impl fmt::Debug for RankAnswer {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (count, rung, reason) = (self.items.len(), self.rung.as_str(), self.reason.as_str());
        write!(f, "RankAnswer({count} items, {rung}, {reason}, {} µs)", self.elapsed_us)
    }
}

/// Reads a ranking of at most [`ANSWER_MAX`](crate::ANSWER_MAX) bytes, or the problem in its place.
///
/// # Errors
/// [`FramingError`] when the bytes are no answer of a cell.
pub fn decode_response(bytes: &[u8]) -> Result<Result<RankAnswer, Problem>, FramingError> {
    Reply::decode(bytes)?.parse()
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::{Code, Marks, encode_content, encode_problem};

    fn encoded() -> Vec<u8> {
        encode_content(&serde_json::to_vec(&answer()).unwrap(), Marks::default())
    }

    fn answer() -> RankAnswer {
        let item = RankedItem {
            id: "4711".into(),
            title: "Oat milk, 1 l".into(),
            category: "milk".into(),
            image: "/images/milk.svg".into(),
            url: "/p/4711".into(),
            source: Source::Own,
            score: Some(1.5),
        };
        RankAnswer {
            items: vec![item.clone(), RankedItem { score: None, source: Source::Popular, ..item }],
            rung: Rung::Full,
            reason: Reason::WithinBudget,
            snapshot: "sha256:aa".into(),
            overlay: "sha256:bb".into(),
            cell: "eu-a".into(),
            features: Features { state: FeatureState::Fresh, age_s: 4 },
            candidates: Candidates { own: 1, ann: 2, popular: 3, ineligible: 0 },
            elapsed_us: 9_000,
            stages_us: BTreeMap::from([("rank".into(), 5_000)]),
        }
    }

    #[test]
    fn answers_and_problems_survive_and_debug_shows_no_item() {
        assert_eq!(decode_response(&encoded()), Ok(Ok(answer())));
        for code in Code::ALL {
            let problem = Problem::new(code, "detail");
            assert_eq!(decode_response(&encode_problem(&problem, Marks::default())), Ok(Err(problem)));
        }
        let shown = format!("{:?}", answer());
        assert!(!shown.contains("4711") && !shown.contains("milk"), "{shown}");
    }

    proptest! {
        #[test]
        fn any_bytes_are_read_or_refused(bytes in prop::collection::vec(any::<u8>(), 0..400)) {
            let _ = decode_response(&bytes);
        }

        #[test]
        fn an_altered_answer_is_read_or_refused(at in 0usize..1_000, byte in any::<u8>()) {
            let mut bytes = encoded();
            let at = at % bytes.len();
            bytes[at] = byte;
            let _ = decode_response(&bytes);
        }
    }
}
