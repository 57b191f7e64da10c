//! Refusals of the pipeline: which code, and a word for whoever writes the caller. None quotes the request.

use domicile_pin::PinRefusal;
use domicile_token::TokenRefusal;
use domicile_topology::Topology;
use domicile_wire::{Code, Problem};

/// Names in a detail at most: enough for a shop, short enough for an answer.
const NAMES: usize = 20;

/// The pin is not good.
pub(crate) fn pin(refusal: PinRefusal) -> Problem {
    Problem::from(match refusal {
        PinRefusal::Malformed => Code::PinMalformed,
        PinRefusal::UnknownKey => Code::PinUnknownKey,
        PinRefusal::Forged => Code::PinForged,
        PinRefusal::Expired => Code::PinExpired,
        PinRefusal::Early => Code::PinEarly,
    })
}

/// The token is not good.
pub(crate) fn token(refusal: TokenRefusal) -> Problem {
    Problem::from(match refusal {
        TokenRefusal::Missing => Code::TokenMissing,
        TokenRefusal::Malformed => Code::TokenMalformed,
        TokenRefusal::UnknownKey => Code::TokenUnknownKey,
        TokenRefusal::Algorithm => Code::TokenAlgorithm,
        TokenRefusal::Forged => Code::TokenForged,
        TokenRefusal::Expired => Code::TokenExpired,
        TokenRefusal::Early => Code::TokenEarly,
        TokenRefusal::TooLong => Code::TokenTooLong,
        TokenRefusal::Issuer => Code::TokenIssuer,
        TokenRefusal::Audience => Code::TokenAudience,
        TokenRefusal::Class => Code::TokenClass,
        TokenRefusal::Home => Code::TokenHome,
        TokenRefusal::Tenant => Code::TokenTenant,
    })
}

/// There is no such slot.
pub(crate) fn slot(topology: &Topology) -> Problem {
    Problem::new(Code::UnknownSlot, known(topology.slots.iter().map(|slot| slot.name.as_str())))
}

/// There is no such locale.
pub(crate) fn locale(topology: &Topology) -> Problem {
    Problem::new(Code::UnknownLocale, known(topology.locales.iter().map(|locale| locale.name.as_str())))
}

/// An anchor is not in the catalogue.
pub(crate) fn anchor((code, at): (Code, usize)) -> Problem {
    Problem::new(code, format!("anchor[{at}] is not in this cell's catalogue"))
}

fn known<'n>(names: impl Iterator<Item = &'n str>) -> String {
    format!("known are {}", names.take(NAMES).collect::<Vec<_>>().join(", "))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_token_s_refusal_keeps_its_name() {
        for refusal in TokenRefusal::ALL {
            assert_eq!(token(refusal).code.as_str(), refusal.as_str());
        }
    }
}
