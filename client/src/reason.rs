//! Why the list stays.

use std::fmt;

use domicile_route::{KeyStatementError, RouteError};
use domicile_seal::SealError;

/// Why a call has no answer of a cell. The name is what a page's telemetry counts and a script acts on.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Reason {
    /// The route manifest could not be fetched.
    ManifestLost,
    /// It is not signed by the root key or its successor.
    ManifestUntrusted,
    /// It is signed and not of a manifest's form.
    ManifestInvalid,
    /// Its time is over.
    ManifestStale,
    /// An older version than was seen before.
    ManifestRolledBack,
    /// It is another class's than the token's.
    OtherClass,
    /// The class has no cell: the list is the lawful answer.
    NoCell,
    /// The token's home is no cell of the class: the grant is older than the manifest, or the other way round.
    HomeNotInClass,
    /// The caller named a cell that is none of the class.
    CellNotInClass,
    /// The class has no such locale, or nobody has such a slot.
    PageNotInManifest,
    /// The grant's time is over; get another.
    GrantExpired,
    /// The cell's keys could not be fetched.
    KeysLost,
    /// They are not signed by the cell's key that the manifest names.
    KeysUntrusted,
    /// They are signed and not of their form, another cell's, or of no suite used here.
    KeysInvalid,
    /// Their time is over.
    KeysStale,
    /// The message does not fit a request.
    TooLong,
    /// Every cell that could be asked failed a moment ago.
    BackingOff,
    /// The cell does not know the key, or could not open the request.
    KeyRefused,
    /// The cell finds the request too large.
    TooLarge,
    /// The cell has no room.
    CellBusy,
    /// The cell failed, or did not answer in time.
    CellFailed,
    /// The edge refused the request itself; it says why.
    EdgeRefused,
    /// Nobody answered, or the answer broke off.
    AnswerLost,
    /// What came is said to be an answer and is none: another type or size, or it does not open.
    NotAnAnswer,
    /// The answer has no receipt of the cell that was asked.
    ReceiptRefused,
    /// The time was over first.
    PageLimit,
}

impl Reason {
    /// Every reason.
    pub const ALL: [Self; 26] = [
        Self::ManifestLost,
        Self::ManifestUntrusted,
        Self::ManifestInvalid,
        Self::ManifestStale,
        Self::ManifestRolledBack,
        Self::OtherClass,
        Self::NoCell,
        Self::HomeNotInClass,
        Self::CellNotInClass,
        Self::PageNotInManifest,
        Self::GrantExpired,
        Self::KeysLost,
        Self::KeysUntrusted,
        Self::KeysInvalid,
        Self::KeysStale,
        Self::TooLong,
        Self::BackingOff,
        Self::KeyRefused,
        Self::TooLarge,
        Self::CellBusy,
        Self::CellFailed,
        Self::EdgeRefused,
        Self::AnswerLost,
        Self::NotAnAnswer,
        Self::ReceiptRefused,
        Self::PageLimit,
    ];

    /// The stable name.
    #[must_use]
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::ManifestLost => "manifest-lost",
            Self::ManifestUntrusted => "manifest-untrusted",
            Self::ManifestInvalid => "manifest-invalid",
            Self::ManifestStale => "manifest-stale",
            Self::ManifestRolledBack => "manifest-rolled-back",
            Self::OtherClass => "other-class",
            Self::NoCell => "no-cell",
            Self::HomeNotInClass => "home-not-in-class",
            Self::CellNotInClass => "cell-not-in-class",
            Self::PageNotInManifest => "page-not-in-manifest",
            Self::GrantExpired => "grant-expired",
            Self::KeysLost => "keys-lost",
            Self::KeysUntrusted => "keys-untrusted",
            Self::KeysInvalid => "keys-invalid",
            Self::KeysStale => "keys-stale",
            Self::TooLong => "too-long",
            Self::BackingOff => "backing-off",
            Self::KeyRefused => "key-refused",
            Self::TooLarge => "too-large",
            Self::CellBusy => "cell-busy",
            Self::CellFailed => "cell-failed",
            Self::EdgeRefused => "edge-refused",
            Self::AnswerLost => "answer-lost",
            Self::NotAnAnswer => "not-an-answer",
            Self::ReceiptRefused => "receipt-refused",
            Self::PageLimit => "page-limit",
        }
    }

    /// Whether nothing came: what a call that ran out of time was waiting for.
    pub(crate) const fn is_of_waiting(self) -> bool {
        matches!(self, Self::ManifestLost | Self::KeysLost | Self::AnswerLost | Self::CellFailed)
    }

    /// The reason of a fallback that the edge names; none for a name that is none of the edge's.
    pub(crate) fn of_edge(name: &str) -> Option<Self> {
        let edge = [Self::KeyRefused, Self::TooLarge, Self::CellBusy, Self::CellFailed];
        edge.into_iter().find(|reason| reason.as_str() == name)
    }

    /// The reason for a cell's status where there is no edge between: the table of the edge's relay.
    pub(crate) const fn of_status(status: u16) -> Self {
        match status {
            400 | 422 => Self::KeyRefused,
            413 => Self::TooLarge,
            429 | 503 => Self::CellBusy,
            _ => Self::CellFailed,
        }
    }
}

impl fmt::Display for Reason {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.as_str())
    }
}

impl From<&RouteError> for Reason {
    fn from(error: &RouteError) -> Self {
        match error {
            RouteError::Untrusted(_) => Self::ManifestUntrusted,
            RouteError::Stale(_) => Self::ManifestStale,
            RouteError::RolledBack { .. } => Self::ManifestRolledBack,
            RouteError::OtherClass { .. } => Self::OtherClass,
            RouteError::Form { .. }
            | RouteError::UnknownForm(_)
            | RouteError::Time(_)
            | RouteError::CellKey(_) => Self::ManifestInvalid,
        }
    }
}

impl From<&KeyStatementError> for Reason {
    fn from(error: &KeyStatementError) -> Self {
        match error {
            KeyStatementError::Untrusted(_) => Self::KeysUntrusted,
            KeyStatementError::Stale(_) => Self::KeysStale,
            KeyStatementError::Form { .. }
            | KeyStatementError::UnknownForm(_)
            | KeyStatementError::OtherCell { .. }
            | KeyStatementError::Time(_)
            | KeyStatementError::Configs => Self::KeysInvalid,
        }
    }
}

impl From<SealError> for Reason {
    fn from(error: SealError) -> Self {
        match error {
            SealError::NoKey | SealError::Key => Self::KeysInvalid,
            SealError::TooLong { .. } => Self::TooLong,
            SealError::Broken => Self::NotAnAnswer,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::Reason;

    #[test]
    fn names_are_distinct_and_the_edge_s_own_are_read_back() {
        let names: std::collections::BTreeSet<_> = Reason::ALL.map(Reason::as_str).into();
        assert_eq!(names.len(), Reason::ALL.len());
        for (name, reason) in [("key-refused", Reason::KeyRefused), ("cell-failed", Reason::CellFailed)] {
            assert_eq!(Reason::of_edge(name), Some(reason));
        }
        assert_eq!(Reason::of_edge("page-limit"), None, "an edge cannot say what only a client knows");
    }
}
