//! Why the gate turned a request away: outside the seal, where nobody knows who asks.

use domicile_seal::SealRefusal;
use domicile_wire::FramingError;

/// What the gate did with a request that got no inner answer.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Turned {
    /// Too many in flight.
    Busy,
    /// The body did not arrive in time.
    Slow,
    /// The connection broke while the body came.
    Broken,
    /// The head named no host, several, or none that is one.
    Host,
    /// The cell gave no answer by the deadline.
    Late,
    /// Not a sealed request, and plain ones are not taken here.
    NotSealed,
    /// The bytes were no message.
    Framing(FramingError),
    /// The seal did not open.
    Seal(SealRefusal),
}

impl Turned {
    /// Every cause.
    pub fn all() -> impl Iterator<Item = Self> {
        let own = [Self::Busy, Self::Slow, Self::Broken, Self::Host, Self::Late, Self::NotSealed];
        let seal = [SealRefusal::Size, SealRefusal::UnknownKey, SealRefusal::Suite, SealRefusal::Broken];
        own.into_iter().chain(FramingError::ALL.map(Self::Framing)).chain(seal.map(Self::Seal))
    }

    /// The HTTP status of the answer. 422 and 400 are what a client fetches the keys again for.
    pub const fn status(self) -> u16 {
        match self {
            Self::Busy | Self::Late => 503,
            Self::Slow => 408,
            Self::NotSealed => 415,
            Self::Framing(FramingError::TooLarge) => 413,
            Self::Seal(SealRefusal::UnknownKey | SealRefusal::Suite) => 422,
            Self::Broken | Self::Host | Self::Framing(_) | Self::Seal(_) => 400,
        }
    }

    /// The name in answers, labels and logs.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Busy => "busy",
            Self::Slow => "slow",
            Self::Broken => "broken",
            Self::Host => "host",
            Self::Late => "late",
            Self::NotSealed => "not-sealed",
            Self::Framing(error) => error.as_str(),
            Self::Seal(SealRefusal::Size) => "seal-size",
            Self::Seal(SealRefusal::UnknownKey) => "seal-key",
            Self::Seal(SealRefusal::Suite) => "seal-suite",
            Self::Seal(SealRefusal::Broken) => "seal-broken",
        }
    }

    /// Whether it is the key that was wrong: RFC 9458, section 5.3, has a problem type for that.
    pub const fn is_of_the_key(self) -> bool {
        matches!(self, Self::Seal(SealRefusal::UnknownKey | SealRefusal::Suite | SealRefusal::Broken))
    }
}
