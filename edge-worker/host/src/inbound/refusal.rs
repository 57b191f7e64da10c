//! What the host answers where the guest does not.

use bytes::Bytes;
use domicile_tables::FIXED_HEADERS;
use http::{HeaderValue, Response, StatusCode, header};
use http_body_util::{BodyExt, Full};

use crate::guest::{Body, GuestFailure};

/// Why the host answered itself. Its code is the problem's `code` and the log's `outcome`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Refusal {
    /// Not a request that two parsers would read alike: no or several `Host`, a fragment, a bare line feed, a length
    /// beside chunks.
    Malformed,
    /// The address has used up its rate.
    RateLimited,
    /// The request's body is larger than `--max-body`.
    BodyTooLarge,
    /// The request's body did not arrive within its clock.
    BodyTooSlow,
    /// The request's body broke off, or has a broken form.
    BodyBroken,
    /// As many requests as `--in-flight` are being answered.
    Busy,
    /// The guest trapped or gave an error.
    GuestFailed,
    /// The guest did not answer within the request's clock.
    GuestTimedOut,
}

impl Refusal {
    /// Every cause.
    pub(crate) const ALL: [Self; 8] = [
        Self::Malformed,
        Self::RateLimited,
        Self::BodyTooLarge,
        Self::BodyTooSlow,
        Self::BodyBroken,
        Self::Busy,
        Self::GuestFailed,
        Self::GuestTimedOut,
    ];

    pub(crate) fn code(self) -> &'static str {
        match self {
            Self::Malformed => "edge-malformed",
            Self::RateLimited => "edge-rate-limited",
            Self::BodyTooLarge => "edge-body-too-large",
            Self::BodyTooSlow => "edge-body-too-slow",
            Self::BodyBroken => "edge-body-broken",
            Self::Busy => "edge-busy",
            Self::GuestFailed => "edge-failed",
            Self::GuestTimedOut => "edge-timed-out",
        }
    }

    fn status(self) -> StatusCode {
        match self {
            Self::BodyTooLarge => StatusCode::PAYLOAD_TOO_LARGE,
            Self::BodyTooSlow => StatusCode::REQUEST_TIMEOUT,
            Self::BodyBroken | Self::Malformed => StatusCode::BAD_REQUEST,
            Self::RateLimited => StatusCode::TOO_MANY_REQUESTS,
            Self::Busy => StatusCode::SERVICE_UNAVAILABLE,
            Self::GuestFailed => StatusCode::BAD_GATEWAY,
            Self::GuestTimedOut => StatusCode::GATEWAY_TIMEOUT,
        }
    }

    /// How long to wait before asking again, seconds: the same for everybody, so that it tells nobody anything.
    fn retry_after(self) -> Option<&'static str> {
        match self {
            Self::Busy => Some("1"),
            Self::RateLimited => Some("10"),
            _ => None,
        }
    }

    /// Whether bytes of this request may still be coming, so that its connection cannot be used again.
    pub(crate) fn closes(self) -> bool {
        matches!(self, Self::Malformed | Self::BodyTooLarge | Self::BodyTooSlow | Self::BodyBroken)
    }

    /// An RFC 9457 problem with the code and nothing about the cause.
    pub(crate) fn response(self) -> Response<Body> {
        let status = self.status();
        let code = self.code();
        let title = status.canonical_reason().unwrap_or("Error");
        let problem = format!(
            r#"{{"type":"urn:domicile:problem:{code}","title":"{title}","status":{},"code":"{code}"}}"#,
            status.as_u16()
        );
        let mut response =
            Response::new(Full::new(Bytes::from(problem)).map_err(|never| match never {}).boxed_unsync());
        *response.status_mut() = status;
        let headers = response.headers_mut();
        headers.insert(header::CONTENT_TYPE, HeaderValue::from_static("application/problem+json"));
        headers.insert(header::CACHE_CONTROL, HeaderValue::from_static("no-store"));
        for (name, value) in FIXED_HEADERS {
            headers.insert(name, HeaderValue::from_static(value));
        }
        if let Some(seconds) = self.retry_after() {
            headers.insert(header::RETRY_AFTER, HeaderValue::from_static(seconds));
        }
        response
    }
}

impl From<GuestFailure> for Refusal {
    fn from(failure: GuestFailure) -> Self {
        match failure {
            GuestFailure::Trapped | GuestFailure::GaveAnError => Self::GuestFailed,
            GuestFailure::TimedOut => Self::GuestTimedOut,
            GuestFailure::NoInstance => Self::Busy,
        }
    }
}

/// What came of a request.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Outcome {
    /// The guest answered.
    Answered,
    /// The host did.
    Refused(Refusal),
}

impl Outcome {
    /// Every outcome.
    pub(crate) fn all() -> impl Iterator<Item = Self> {
        std::iter::once(Self::Answered).chain(Refusal::ALL.map(Self::Refused))
    }

    /// The name in logs and labels.
    pub(crate) fn code(self) -> &'static str {
        match self {
            Self::Answered => "answered",
            Self::Refused(refusal) => refusal.code(),
        }
    }
}
