//! The manifest: what a snapshot consists of and how its features are made.

mod features;

use domicile_nearest::with_nearest;
use serde::Deserialize;

use crate::features::RECENT_MAX;

#[cfg(test)]
pub(crate) use features::made;
pub use features::{CONTEXT, CROSS, Feature, Features, SHOPPER};

/// The version this build reads.
const VERSION: u32 = 1;

/// Longest array that a model is given, and longest embedding: far above what ranks in time, and what a start can
/// hold in memory to warm a model.
const LENGTH_MAX: usize = 65_536;

/// A snapshot's manifest, version 1.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Manifest {
    /// The version: 1.
    pub version: u32,
    /// Its name.
    pub name: String,
    /// What its items are, in words.
    #[serde(default)]
    pub catalogue: String,
    /// Whose data it was trained on, in words.
    #[serde(default)]
    pub trained_on: Vec<String>,
    /// How it was judged; for people.
    #[serde(default)]
    pub metrics: serde_json::Value,
    /// The seed of its training.
    #[serde(default)]
    pub seed: Option<u64>,
    /// The features that its models were trained on.
    pub features: Features,
    /// The item vocabulary it speaks of; an overlay has to name the same.
    pub vocabulary: String,
    /// Number of items, N.
    pub items: usize,
    /// Length of an embedding, D.
    pub dim: usize,
    /// Lengths of the models' inputs.
    pub limits: Limits,
    /// After how many days an event counts half.
    pub half_life_days: f64,
    /// How many of an item's latest events the decayed count looks at.
    pub recent_events_per_item: usize,
    /// How many candidates each source gives at most.
    pub candidates: Candidates,
    /// Ids of the popular items, best first.
    pub popular: Vec<String>,
    /// The files.
    pub files: Files,
}

/// Lengths of the models' inputs.
#[derive(Clone, Copy, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Limits {
    /// Items of the history, H.
    pub history: usize,
    /// Items of the anchor, A.
    pub anchor: usize,
    /// Most candidates, C.
    pub candidates: usize,
    /// Columns of `cross`.
    pub cross: usize,
    /// Columns of `shopper`.
    pub shopper: usize,
    /// Columns of `context`.
    pub context: usize,
}

/// How many candidates each source gives at most.
#[derive(Clone, Copy, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Candidates {
    /// The shopper's own items, heaviest first.
    pub own: usize,
    /// The index.
    pub ann: usize,
    /// The popular items.
    pub popular: usize,
}

/// The files of a snapshot.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Files {
    /// The query tower.
    pub tower: File,
    /// The full ranker.
    pub full: File,
    /// The compact ranker.
    pub compact: File,
    /// The embeddings.
    pub embeddings: File,
    /// The item table.
    pub items: File,
}

/// One file.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct File {
    /// Its name within the snapshot's directory.
    pub path: String,
    /// Its SHA-256, hexadecimal.
    pub sha256: String,
    /// Its length.
    pub bytes: u64,
}

impl Manifest {
    /// Reads a manifest.
    ///
    /// # Errors
    /// What was found instead of a manifest that this build can serve.
    pub fn parse(payload: &[u8]) -> Result<Self, String> {
        #[derive(Deserialize)]
        struct Versioned {
            version: u32,
        }
        let versioned: Versioned = serde_json::from_slice(payload).map_err(|e| e.to_string())?;
        if versioned.version != VERSION {
            return Err(format!("version {} where this build reads {VERSION}", versioned.version));
        }
        let manifest: Self = serde_json::from_slice(payload).map_err(|e| with_nearest(&e.to_string()))?;
        manifest.check()?;
        Ok(manifest)
    }

    fn check(&self) -> Result<(), String> {
        let limits = &self.limits;
        for (name, found, expected) in [
            ("cross", limits.cross, CROSS),
            ("shopper", limits.shopper, SHOPPER),
            ("context", limits.context, CONTEXT),
        ] {
            if found != expected {
                return Err(format!("limits.{name} = {found} where this build makes {expected} features"));
            }
        }
        for (name, found) in [
            ("dim", self.dim),
            ("limits.history", limits.history),
            ("limits.anchor", limits.anchor),
            ("limits.candidates", limits.candidates),
        ] {
            if found > LENGTH_MAX {
                return Err(format!("{name} = {found} where this build takes at most {LENGTH_MAX}"));
            }
        }
        let Candidates { own, ann, popular } = self.candidates;
        let sum = own.saturating_add(ann).saturating_add(popular);
        if sum == 0 {
            return Err("candidates of 0 together, which leaves nothing to rank".into());
        }
        if sum > limits.candidates {
            return Err(format!(
                "candidates of {sum} together where limits.candidates is {}",
                limits.candidates
            ));
        }
        if self.items == 0 || self.dim == 0 || limits.history == 0 || limits.anchor == 0 {
            return Err("items, dim, limits.history or limits.anchor of 0".into());
        }
        if !(self.half_life_days > 0.0 && self.recent_events_per_item > 0) {
            return Err("half_life_days or recent_events_per_item not above 0".into());
        }
        if self.recent_events_per_item > RECENT_MAX {
            let found = self.recent_events_per_item;
            return Err(format!("recent_events_per_item = {found} where this build keeps {RECENT_MAX}"));
        }
        self.features.check()?;
        let files = &self.files;
        for file in [&files.tower, &files.full, &files.compact, &files.embeddings, &files.items] {
            let plain = |b: u8| b.is_ascii_alphanumeric() || matches!(b, b'.' | b'-' | b'_');
            if file.path.starts_with('.') || !file.path.bytes().all(plain) {
                return Err(format!("file path {:?}, which is not a plain file name", file.path));
            }
        }
        Ok(())
    }
}
