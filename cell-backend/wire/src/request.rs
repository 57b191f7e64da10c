//! What a shelf is asked for, and the interim request around it: a plain shopper id in place of a token.

use std::fmt;

use domicile_nearest::nearest;
use serde::{Deserialize, Serialize};
use serde_json::Value;

use crate::{Call, Caller, Code, Problem, Request, ShopperId};

/// Most anchors of a request: a long basket's first items say what it is about.
pub const ANCHORS_MAX: usize = 32;
const BODY_FIELDS: [&str; 3] = ["locale", "slot", "anchor"];

/// What a shelf is asked for.
#[derive(Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct RankRequest {
    /// The locale's BCP 47 tag, as in the topology.
    pub locale: String,
    /// The slot's name, as in the topology.
    pub slot: String,
    /// Ids of the items the page is about: the basket's, or the product's. At most [`ANCHORS_MAX`]; a model looks at
    /// the first few (its snapshot's `limits.anchor`).
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub anchor: Vec<String>,
}

impl fmt::Debug for RankRequest {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "RankRequest({} {}, {} anchors)", self.locale, self.slot, self.anchor.len())
    }
}

/// The interim request: a ranking for a plain shopper id, taken on loopback only.
#[derive(Clone, PartialEq, Eq)]
pub struct InnerRequest {
    /// The pin's text, unchecked.
    pub pin: String,
    /// The shopper, if the caller has one.
    pub shopper: Option<ShopperId>,
    /// What the caller has left, in milliseconds.
    pub budget_ms: Option<u32>,
    /// The body.
    pub rank: RankRequest,
}

impl fmt::Debug for InnerRequest {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("InnerRequest")
            .field("shopper", &self.shopper)
            .field("budget_ms", &self.budget_ms)
            .field("rank", &self.rank)
            .finish_non_exhaustive()
    }
}

impl From<InnerRequest> for Request {
    fn from(request: InnerRequest) -> Self {
        Self {
            pin: request.pin,
            caller: request.shopper.map_or(Caller::Nobody, Caller::Plain),
            date_s: None,
            budget_ms: request.budget_ms,
            call: Call::Rank(request.rank),
        }
    }
}

/// The request as binary HTTP, unpadded.
pub fn encode_request(request: &InnerRequest) -> Vec<u8> {
    Request::from(request.clone()).encode()
}

pub(crate) fn body(bytes: &[u8]) -> Result<RankRequest, Problem> {
    let refused = |detail: String| Problem::new(Code::BodyInvalid, detail);
    let place = |e: serde_json::Error| {
        refused(format!("not the JSON of a ranking request near column {}", e.column()))
    };
    // The names are looked at first: serde's own message would quote what was sent.
    let value: Value = serde_json::from_slice(bytes).map_err(place)?;
    if let Some(nearest) = stranger(&value, BODY_FIELDS) {
        return Err(refused(format!("unknown field; the nearest known one is {nearest:?}")));
    }
    let request: RankRequest = serde_json::from_slice(bytes).map_err(place)?;
    if request.anchor.len() > ANCHORS_MAX {
        return Err(Problem::new(Code::TooManyAnchors, format!("at most {ANCHORS_MAX} anchors")));
    }
    Ok(request)
}

/// The known name nearest to the first unknown one of an object.
pub(crate) fn stranger<const N: usize>(value: &Value, known: [&'static str; N]) -> Option<&'static str> {
    let names = value.as_object().into_iter().flatten().map(|(name, _)| name);
    let unknown = names.into_iter().find(|name| !known.contains(&name.as_str()))?;
    Some(nearest(unknown, known).unwrap_or_default())
}
