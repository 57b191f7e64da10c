//! What kind of route a request is for, as much of a path as a log may hold.

use std::fmt;

/// The route's first segments, closed: a pin, a locale or a slot never gets into a log through it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum RouteKind {
    Shelf,
    Sealed,
    Route,
    Keys,
    Internal,
    Other,
}

impl RouteKind {
    /// Every kind.
    pub(crate) const ALL: [Self; 6] =
        [Self::Shelf, Self::Sealed, Self::Route, Self::Keys, Self::Internal, Self::Other];

    pub(crate) fn of(path: &str) -> Self {
        let mut segments = path.split('/').skip(1);
        match (segments.next(), segments.next()) {
            (Some("v1"), Some("shelf")) => Self::Shelf,
            (Some("v1"), Some("sealed")) => Self::Sealed,
            (Some("v1"), Some("route")) => Self::Route,
            (Some("v1"), Some("keys")) => Self::Keys,
            (Some("_"), _) => Self::Internal,
            _ => Self::Other,
        }
    }
}

impl RouteKind {
    /// The kind's name in logs and labels.
    pub(crate) const fn as_str(self) -> &'static str {
        match self {
            Self::Shelf => "/v1/shelf",
            Self::Sealed => "/v1/sealed",
            Self::Route => "/v1/route",
            Self::Keys => "/v1/keys",
            Self::Internal => "/_",
            Self::Other => "other",
        }
    }
}

impl fmt::Display for RouteKind {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(self.as_str())
    }
}

#[cfg(test)]
mod tests {
    use super::RouteKind;

    #[test]
    fn knows_a_route_by_its_first_segments_only() {
        for (path, kind) in [
            ("/v1/shelf/de-DE/home", RouteKind::Shelf),
            ("/v1/sealed/pin/cell/de-DE/home", RouteKind::Sealed),
            ("/v1/route/eu", RouteKind::Route),
            ("/v1/keys/paris", RouteKind::Keys),
            ("/_/list/de-DE/home/x", RouteKind::Internal),
            ("/v1", RouteKind::Other),
            ("//v1/shelf", RouteKind::Other),
            ("*", RouteKind::Other),
            ("", RouteKind::Other),
        ] {
            assert_eq!(RouteKind::of(path), kind, "{path}");
        }
    }
}
