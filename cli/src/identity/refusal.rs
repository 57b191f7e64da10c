//! Why the service does not do what it is asked, as a page is told.

use http::StatusCode;

/// A refusal. None says anything of the request, the session or the shopper.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Refusal {
    /// `Host` is missing, doubled, or no name of this machine: a page elsewhere may have had its name pointed here.
    Host,
    /// A page of an origin that is not listed.
    Origin,
    /// There is no such call.
    UnknownRoute,
    /// The call takes another method.
    Method,
    /// The body is not the JSON of the call.
    Body,
    /// The body is longer than any call's.
    TooLarge,
    /// The body did not come in time.
    Slow,
    /// The storefront has no such locale.
    UnknownLocale,
    /// The locale's class has no cell: its shoppers get the list, and no token could change that.
    ListOnly,
    /// The token key does not sign.
    NotSigned,
    /// The system gave no randomness for a session.
    Randomness,
}

impl Refusal {
    /// Every refusal.
    #[cfg(test)]
    const ALL: [Self; 11] = [
        Self::Host,
        Self::Origin,
        Self::UnknownRoute,
        Self::Method,
        Self::Body,
        Self::TooLarge,
        Self::Slow,
        Self::UnknownLocale,
        Self::ListOnly,
        Self::NotSigned,
        Self::Randomness,
    ];

    /// Its code, stable.
    pub(super) const fn as_str(self) -> &'static str {
        match self {
            Self::Host => "host",
            Self::Origin => "origin-not-allowed",
            Self::UnknownRoute => "unknown-route",
            Self::Method => "method-not-allowed",
            Self::Body => "body-invalid",
            Self::TooLarge => "too-large",
            Self::Slow => "slow",
            Self::UnknownLocale => "unknown-locale",
            Self::ListOnly => "list-only",
            Self::NotSigned => "not-signed",
            Self::Randomness => "no-randomness",
        }
    }

    /// Its status.
    pub(super) const fn status(self) -> StatusCode {
        match self {
            Self::Host => StatusCode::MISDIRECTED_REQUEST,
            Self::Origin => StatusCode::FORBIDDEN,
            Self::UnknownRoute => StatusCode::NOT_FOUND,
            Self::Method => StatusCode::METHOD_NOT_ALLOWED,
            Self::Body => StatusCode::BAD_REQUEST,
            Self::TooLarge => StatusCode::PAYLOAD_TOO_LARGE,
            Self::Slow => StatusCode::REQUEST_TIMEOUT,
            Self::UnknownLocale => StatusCode::UNPROCESSABLE_ENTITY,
            Self::ListOnly => StatusCode::CONFLICT,
            Self::NotSigned => StatusCode::INTERNAL_SERVER_ERROR,
            Self::Randomness => StatusCode::SERVICE_UNAVAILABLE,
        }
    }

    /// A problem document (RFC 9457) that knows nothing but the code.
    pub(super) fn document(self) -> String {
        let (code, status) = (self.as_str(), self.status());
        let (number, title) = (status.as_u16(), status.canonical_reason().unwrap_or_default());
        format!(
            r#"{{"type":"urn:domicile:problem:{code}","title":"{title}","status":{number},"code":"{code}"}}"#
        )
    }
}

#[cfg(test)]
mod tests {
    use super::Refusal;

    #[test]
    fn each_has_a_code_of_its_own_and_is_documented() {
        let page =
            std::fs::read_to_string(concat!(env!("CARGO_MANIFEST_DIR"), "/../docs/identity.md")).unwrap();
        let mut codes = Refusal::ALL.map(Refusal::as_str).to_vec();
        for (refusal, code) in Refusal::ALL.iter().zip(&codes) {
            let row = format!("| `{code}` | {} |", refusal.status().as_u16());
            assert!(page.contains(&row), "docs/identity.md: {row}");
        }
        codes.sort_unstable();
        codes.dedup();
        assert_eq!(codes.len(), Refusal::ALL.len());
    }
}
