//! The problems the edge answers with, and the reasons it falls back to a list for.

/// A problem document (RFC 9457). The name is the stable code a client sees; docs/edge.md explains each.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[repr(u8)]
pub enum Problem {
    /// The path is none of the edge's routes.
    UnknownRoute = 0,
    /// No such locale.
    UnknownLocale = 1,
    /// No such slot.
    UnknownSlot = 2,
    /// The pin names no class of the topology.
    UnknownClass = 3,
    /// No such cell.
    UnknownCell = 4,
    /// The pin's class does not allow the cell.
    CellNotInClass = 5,
    /// The pin is none of the edge's.
    PinInvalid = 6,
    /// The pin's epoch is over.
    PinExpired = 7,
    /// The shelf route answers GET and HEAD.
    ShelfMethodNotAllowed = 8,
    /// The sealed route answers POST.
    SealedMethodNotAllowed = 9,
    /// The path is longer than any route.
    PathTooLong = 10,
    /// Strict: the cell could not open the request.
    KeyRefused = 11,
    /// Strict: the cell found the request too large.
    TooLarge = 12,
    /// Strict: the cell has no room.
    CellBusy = 13,
    /// Strict, or keys were asked for: the cell failed, or did not answer in time.
    CellFailed = 14,
    /// No such class: its route manifest was asked for.
    NoSuchClass = 15,
    /// The edge was built without route manifests.
    NoManifest = 16,
    /// The manifest route answers GET and HEAD.
    RouteMethodNotAllowed = 17,
    /// The keys route answers GET.
    KeysMethodNotAllowed = 18,
}

impl Problem {
    /// Every problem, in the order of the numbers.
    pub const ALL: [Self; 19] = [
        Self::UnknownRoute,
        Self::UnknownLocale,
        Self::UnknownSlot,
        Self::UnknownClass,
        Self::UnknownCell,
        Self::CellNotInClass,
        Self::PinInvalid,
        Self::PinExpired,
        Self::ShelfMethodNotAllowed,
        Self::SealedMethodNotAllowed,
        Self::PathTooLong,
        Self::KeyRefused,
        Self::TooLarge,
        Self::CellBusy,
        Self::CellFailed,
        Self::NoSuchClass,
        Self::NoManifest,
        Self::RouteMethodNotAllowed,
        Self::KeysMethodNotAllowed,
    ];

    /// The number internal paths use.
    #[must_use]
    pub const fn number(self) -> u8 {
        self as u8
    }

    /// The problem with this number.
    #[must_use]
    pub fn from_number(number: u8) -> Option<Self> {
        Self::ALL.get(usize::from(number)).copied()
    }

    /// The stable code.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::UnknownRoute => "unknown-route",
            Self::UnknownLocale => "unknown-locale",
            Self::UnknownSlot => "unknown-slot",
            Self::UnknownClass | Self::NoSuchClass => "unknown-class",
            Self::UnknownCell => "unknown-cell",
            Self::CellNotInClass => "cell-not-in-class",
            Self::PinInvalid => "pin-invalid",
            Self::PinExpired => "pin-expired",
            Self::ShelfMethodNotAllowed
            | Self::SealedMethodNotAllowed
            | Self::RouteMethodNotAllowed
            | Self::KeysMethodNotAllowed => "method-not-allowed",
            Self::PathTooLong => "path-too-long",
            Self::KeyRefused => "key-refused",
            Self::TooLarge => "too-large",
            Self::CellBusy => "cell-busy",
            Self::CellFailed => "cell-failed",
            Self::NoManifest => "no-manifest",
        }
    }

    /// A sentence for the caller. It never holds anything of the request.
    #[must_use]
    pub const fn title(self) -> &'static str {
        match self {
            Self::UnknownRoute => "This path is not a route of the edge.",
            Self::UnknownLocale => "The edge does not serve this locale.",
            Self::UnknownSlot => "The edge does not serve this slot.",
            Self::UnknownClass => "The pin names a residency class the edge does not know.",
            Self::UnknownCell => "The edge does not know this cell.",
            Self::CellNotInClass => "The residency class of the pin does not allow this cell.",
            Self::PinInvalid => "The edge does not know this pin.",
            Self::PinExpired => "The epoch of this pin is over.",
            Self::ShelfMethodNotAllowed => "The shelf route answers GET and HEAD.",
            Self::SealedMethodNotAllowed => "The sealed route answers POST.",
            Self::PathTooLong => "The path is longer than any route of the edge.",
            Self::KeyRefused => "The cell could not open the sealed request.",
            Self::TooLarge => "The sealed request is too large for the cell.",
            Self::CellBusy => "The cell has no room for another request.",
            Self::CellFailed => "The cell did not answer in time.",
            Self::NoSuchClass => "The edge does not know this residency class.",
            Self::NoManifest => "The edge was built without route manifests.",
            Self::RouteMethodNotAllowed => "The manifest route answers GET and HEAD.",
            Self::KeysMethodNotAllowed => "The keys route answers GET.",
        }
    }

    /// The status (RFC 9110, section 15).
    #[must_use]
    pub const fn status(self) -> u16 {
        match self {
            Self::UnknownRoute
            | Self::UnknownLocale
            | Self::UnknownSlot
            | Self::UnknownCell
            | Self::NoSuchClass
            | Self::NoManifest => 404,
            Self::UnknownClass | Self::CellNotInClass | Self::PinInvalid | Self::PinExpired => 403,
            Self::ShelfMethodNotAllowed
            | Self::SealedMethodNotAllowed
            | Self::RouteMethodNotAllowed
            | Self::KeysMethodNotAllowed => 405,
            Self::PathTooLong => 414,
            Self::KeyRefused | Self::TooLarge | Self::CellBusy | Self::CellFailed => 503,
        }
    }

    /// The methods a 405 has to name (RFC 9110, section 15.5.6).
    #[must_use]
    pub const fn allow(self) -> Option<&'static str> {
        match self {
            Self::ShelfMethodNotAllowed | Self::RouteMethodNotAllowed => Some("GET, HEAD, OPTIONS"),
            Self::SealedMethodNotAllowed => Some("POST, OPTIONS"),
            Self::KeysMethodNotAllowed => Some("GET, OPTIONS"),
            _ => None,
        }
    }

    /// Seconds after which another attempt makes sense (RFC 9110, section 10.2.3). Static: the edge has no view of
    /// the cells' health.
    #[must_use]
    pub const fn retry_after(self) -> Option<u32> {
        match self {
            Self::KeyRefused | Self::CellBusy => Some(1),
            Self::CellFailed => Some(5),
            Self::TooLarge => Some(60),
            _ => None,
        }
    }
}

/// Why a sealed request was answered with a list.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[repr(u8)]
pub enum FallbackReason {
    /// The cell could not open the request: 400 or 422.
    KeyRefused = 0,
    /// The cell found the request too large: 413.
    TooLarge = 1,
    /// The cell has no room: 429 or 503.
    CellBusy = 2,
    /// Anything else, an error, or no answer in time.
    CellFailed = 3,
}

impl FallbackReason {
    /// Every reason, in the order of the numbers.
    pub const ALL: [Self; 4] = [Self::KeyRefused, Self::TooLarge, Self::CellBusy, Self::CellFailed];

    /// What a cell's status stands for; none for 200, the only success.
    #[must_use]
    pub const fn of_status(status: u16) -> Option<Self> {
        match status {
            200 => None,
            400 | 422 => Some(Self::KeyRefused),
            413 => Some(Self::TooLarge),
            429 | 503 => Some(Self::CellBusy),
            _ => Some(Self::CellFailed),
        }
    }

    /// The number internal paths use.
    #[must_use]
    pub const fn number(self) -> u8 {
        self as u8
    }

    /// The reason with this number.
    #[must_use]
    pub fn from_number(number: u8) -> Option<Self> {
        Self::ALL.get(usize::from(number)).copied()
    }

    /// The problem a strict caller gets instead of the list; its name is the reason's.
    #[must_use]
    pub const fn problem(self) -> Problem {
        match self {
            Self::KeyRefused => Problem::KeyRefused,
            Self::TooLarge => Problem::TooLarge,
            Self::CellBusy => Problem::CellBusy,
            Self::CellFailed => Problem::CellFailed,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_name_what_they_came_from() {
        for problem in Problem::ALL {
            assert_eq!(Problem::from_number(problem.number()), Some(problem));
        }
        for reason in FallbackReason::ALL {
            assert_eq!(FallbackReason::from_number(reason.number()), Some(reason));
        }
        assert_eq!(Problem::from_number(19), None);
        assert_eq!(FallbackReason::from_number(4), None);
    }

    #[test]
    fn only_200_is_success() {
        let successes: Vec<u16> = (0..=999).filter(|s| FallbackReason::of_status(*s).is_none()).collect();
        assert_eq!(successes, [200]);
    }

    #[test]
    fn a_strict_problem_says_when_to_come_back() {
        for reason in FallbackReason::ALL {
            assert_eq!(reason.problem().status(), 503);
            assert!(reason.problem().retry_after().is_some());
        }
    }

    #[test]
    fn a_405_names_the_methods() {
        for problem in Problem::ALL {
            assert_eq!(problem.status() == 405, problem.allow().is_some());
        }
    }
}
