//! The optional sections: sealing keys and tokens.

use std::path::PathBuf;

use domicile_rotation::Policy;
use domicile_token::Terms;
use serde::Deserialize;

/// How this cell takes sealed requests. Without the section it takes none.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Seal {
    /// The directory of the sealing keys, of this cell alone; made when there is none. Keys are made and deleted in it.
    pub key_dir: PathBuf,
    /// The cell's secret signing key (JWK): signs key statements and receipts.
    pub signing_key: PathBuf,
    /// A new key every so many seconds, 60 or more. Longer lets whoever steals a key read more.
    #[serde(default = "rotate_every_s")]
    pub rotate_every_s: u32,
    /// For how many seconds a key is still accepted once the next is made; at least `statement_s`, or clients with a
    /// statement that holds would be refused.
    #[serde(default = "overlap_s")]
    pub overlap_s: u32,
    /// For how many seconds a statement of keys holds, 14400 or more. Caches may keep it for a quarter of that; it is
    /// signed anew at half. Shorter, an edge's caches, which keep every cell's statement for an hour, would hand out one
    /// that is over.
    #[serde(default = "statement_s")]
    pub statement_s: u32,
    /// How far a request's date may be from this cell's clock, in seconds, 1 to 3600. Longer lets a replay live longer;
    /// too short refuses honest clocks.
    #[serde(default = "date_window_s")]
    pub date_window_s: u32,
}

/// Whose tokens this cell takes. Without the section it takes none.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct TokenTerms {
    /// The identity service's public keys (JWK Set). Read again while serving.
    pub keys: PathBuf,
    /// The identity services (`iss`); any when empty, since the key set binds already.
    #[serde(default)]
    pub issuers: Vec<String>,
    /// The storefronts (`tenant`) served here; any when empty.
    #[serde(default)]
    pub tenants: Vec<String>,
    /// How far the identity service's clock may be off, in seconds, 3600 at most.
    #[serde(default = "skew_s")]
    pub skew_s: u32,
    /// Longest life of a token in seconds: how long a logout may take to be noticed everywhere.
    #[serde(default = "longest_s")]
    pub longest_s: u32,
    /// How often the key file is looked at, in seconds, 1 or more: how long a removed key is still taken.
    #[serde(default = "reload_s")]
    pub reload_s: u32,
}

const HOUR_S: u32 = 3_600;
/// An edge cannot read a statement and says of every one that it may be kept for an hour (`docs/edge.md`); what it hands
/// out first has half of its time left at least, so that a cached one has a quarter.
const STATEMENT_LEAST_S: u32 = 4 * HOUR_S;

const fn rotate_every_s() -> u32 {
    24 * HOUR_S
}

/// As long as a statement holds.
const fn overlap_s() -> u32 {
    statement_s()
}

/// The least: a key that is thought to be stolen is out of statements soonest.
const fn statement_s() -> u32 {
    STATEMENT_LEAST_S
}

const fn date_window_s() -> u32 {
    120
}

const fn skew_s() -> u32 {
    60
}

const fn longest_s() -> u32 {
    HOUR_S
}

const fn reload_s() -> u32 {
    10
}

impl Seal {
    /// When keys change.
    ///
    /// # Errors
    /// What does not fit together.
    pub fn policy(&self) -> Result<Policy, String> {
        Policy::new(self.rotate_every_s.into(), self.overlap_s.into(), self.statement_s.into())
            .map_err(|error| format!("seal: {error}"))
    }

    pub(super) fn check(&self) -> Result<(), String> {
        super::within("seal", "statement_s", self.statement_s, STATEMENT_LEAST_S, u32::MAX)?;
        super::within("seal", "date_window_s", self.date_window_s, 1, HOUR_S)?;
        self.policy().map(|_policy| ())
    }
}

impl TokenTerms {
    /// What is asked of every token in a cell of `boundary`.
    pub fn terms(&self, boundary: &str) -> Terms {
        Terms {
            issuers: self.issuers.clone(),
            boundary: boundary.to_owned(),
            tenants: self.tenants.clone(),
            skew_s: self.skew_s.into(),
            longest_s: self.longest_s.into(),
        }
    }

    pub(super) fn check(&self) -> Result<(), String> {
        super::within("tokens", "skew_s", self.skew_s, 0, HOUR_S)?;
        super::within("tokens", "longest_s", self.longest_s, 1, u32::MAX)?;
        super::within("tokens", "reload_s", self.reload_s, 1, u32::MAX)
    }
}
