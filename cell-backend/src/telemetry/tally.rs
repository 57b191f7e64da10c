//! What is only counted: calls, events, keys; and the parts of sealing, whose time is.

/// One counter.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Tally {
    /// A ranking was answered.
    Ranked,
    /// A batch of events was answered.
    EventsTaken,
    /// A page of an export was answered.
    Exported,
    /// An erasure was answered.
    Erased,
    /// An event was taken.
    EventsAccepted,
    /// An event was known.
    EventsDuplicate,
    /// An event was older than its shopper's erasure.
    EventsErased,
    /// A sealing key was made.
    KeysMade,
    /// A sealing key was deleted.
    KeysDeleted,
    /// A sealing key was not made, not read or not deleted.
    KeysFailed,
    /// The token keys were read anew.
    TokenKeysTaken,
    /// The file of the token keys was not good: the old ones were kept.
    TokenKeysKept,
}

const CALLS: &str = "domicile_cell_calls_total";
const EVENTS: &str = "domicile_cell_events_total";
const SEAL_KEYS: &str = "domicile_cell_seal_keys_total";
const TOKEN_KEYS: &str = "domicile_cell_token_keys_total";

/// The families: name, help, label.
pub(super) const FAMILIES: [(&str, &str, &str); 4] = [
    (CALLS, "Calls that were answered without a problem.", "call"),
    (EVENTS, "Events by what came of them.", "outcome"),
    (SEAL_KEYS, "Changes of sealing keys.", "change"),
    (TOKEN_KEYS, "Changes of the token keys' file.", "change"),
];

impl Tally {
    /// Every counter.
    pub const ALL: [Self; 12] = [
        Self::Ranked,
        Self::EventsTaken,
        Self::Exported,
        Self::Erased,
        Self::EventsAccepted,
        Self::EventsDuplicate,
        Self::EventsErased,
        Self::KeysMade,
        Self::KeysDeleted,
        Self::KeysFailed,
        Self::TokenKeysTaken,
        Self::TokenKeysKept,
    ];

    pub(super) const fn family(self) -> &'static str {
        match self {
            Self::Ranked | Self::EventsTaken | Self::Exported | Self::Erased => CALLS,
            Self::EventsAccepted | Self::EventsDuplicate | Self::EventsErased => EVENTS,
            Self::KeysMade | Self::KeysDeleted | Self::KeysFailed => SEAL_KEYS,
            Self::TokenKeysTaken | Self::TokenKeysKept => TOKEN_KEYS,
        }
    }

    pub(super) const fn label(self) -> &'static str {
        match self {
            Self::Ranked => "rank",
            Self::EventsTaken => "events",
            Self::Exported => "export",
            Self::Erased => "erasure",
            Self::EventsAccepted => "accepted",
            Self::EventsDuplicate => "duplicate",
            Self::EventsErased => "erased",
            Self::KeysMade => "made",
            Self::KeysDeleted => "deleted",
            Self::KeysFailed => "failed",
            Self::TokenKeysTaken => "taken",
            Self::TokenKeysKept => "kept",
        }
    }
}

/// What sealing takes.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum SealPart {
    /// Opening a request.
    Open,
    /// Signing the receipt.
    Receipt,
    /// Sealing the answer.
    Answer,
}

impl SealPart {
    /// Every part.
    pub const ALL: [Self; 3] = [Self::Open, Self::Receipt, Self::Answer];

    /// The name in labels.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Open => "open",
            Self::Receipt => "receipt",
            Self::Answer => "answer",
        }
    }
}
