//! What the shop's server does not do, and why.

use axum::response::{IntoResponse, Response};
use http::{StatusCode, header};
use serde_json::json;

/// Why not.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Refusal {
    /// `Host` does not name this machine, once.
    Host,
    /// The page that asks is not the shop's.
    Origin,
    /// Nothing is there.
    Unknown,
    /// No such cell, or nothing that can be done to one.
    Cell,
    /// Nobody is there who could do it.
    NoControls,
}

impl Refusal {
    fn code(self) -> (&'static str, StatusCode) {
        match self {
            Self::Host => ("host", StatusCode::MISDIRECTED_REQUEST),
            Self::Origin => ("origin-not-allowed", StatusCode::FORBIDDEN),
            Self::Unknown => ("unknown-route", StatusCode::NOT_FOUND),
            Self::Cell => ("unknown-cell", StatusCode::NOT_FOUND),
            Self::NoControls => ("no-controls", StatusCode::CONFLICT),
        }
    }
}

impl IntoResponse for Refusal {
    fn into_response(self) -> Response {
        let (code, status) = self.code();
        let problem = json!({ "type": format!("urn:domicile:problem:{code}"), "code": code, "status": status.as_u16() });
        (status, [(header::CONTENT_TYPE, "application/problem+json")], problem.to_string()).into_response()
    }
}
