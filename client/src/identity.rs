//! A client of the retailer's identity service: of its own origin, in the region, never behind the edge.

use bytes::Bytes;
use domicile_deadline::Deadline;
use http::header::{CONTENT_TYPE, COOKIE, SET_COOKIE};
use http::{Request, Response, StatusCode};
use serde_json::{Value, json};

use crate::outside::within;
use crate::{Grant, GrantError, Lost, Outside};

/// The cookie that a session lies in.
const SESSION: &str = "domicile_session=";

/// Why there is no session or no grant.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum IdentityError {
    /// Nobody answered, or not to the end.
    #[error("the identity service: {0}")]
    Lost(Lost),
    /// It refused.
    #[error("the identity service answers {status}{}", words(.code))]
    Refused {
        /// The HTTP status.
        status: u16,
        /// The problem's code, or empty.
        code: String,
    },
    /// A login without a session.
    #[error("the identity service gives no session")]
    NoSession,
    /// What it gives is no grant.
    #[error("the identity service: {0}")]
    Grant(#[from] GrantError),
}

fn words(code: &str) -> String {
    if code.is_empty() { String::new() } else { format!(" ({code})") }
}

/// One shopper's session with the identity service. Without a login the service makes an anonymous one.
pub struct Identity<'o, O> {
    outside: &'o O,
    origin: String,
    session: Option<String>,
}

impl<'o, O: Outside> Identity<'o, O> {
    /// The service at `origin`, such as `https://shop.example`, with no session.
    pub fn new(origin: &str, outside: &'o O) -> Self {
        Self { outside, origin: origin.trim_end_matches('/').to_owned(), session: None }
    }

    /// Begins a shopper's session.
    ///
    /// # Errors
    /// [`IdentityError`].
    pub async fn login(&mut self, shopper: &str, deadline: Deadline) -> Result<(), IdentityError> {
        let answer = self.post("/v1/login", Some(json!({ "shopper": shopper })), deadline).await?;
        self.session = session(&answer);
        if self.session.is_some() { Ok(()) } else { Err(IdentityError::NoSession) }
    }

    /// A grant for a page of a locale.
    ///
    /// # Errors
    /// [`IdentityError`].
    pub async fn grant(&mut self, locale: &str, deadline: Deadline) -> Result<Grant, IdentityError> {
        let answer = self.post("/v1/token", Some(json!({ "locale": locale })), deadline).await?;
        // An anonymous session begins here.
        self.session = session(&answer).or_else(|| self.session.take());
        Ok(Grant::from_json(answer.body())?)
    }

    /// Ends the session. Grants that were given out are good until their end; drop them.
    ///
    /// # Errors
    /// [`IdentityError`].
    pub async fn logout(&mut self, deadline: Deadline) -> Result<(), IdentityError> {
        let ended = self.post("/v1/logout", None, deadline).await;
        self.session = None;
        ended.map(|_answer| ())
    }

    async fn post(
        &self,
        path: &str,
        body: Option<Value>,
        deadline: Deadline,
    ) -> Result<Response<Bytes>, IdentityError> {
        let lost = IdentityError::Lost;
        let mut request = Request::post(format!("{}{path}", self.origin));
        if let Some(session) = &self.session {
            request = request.header(COOKIE, format!("{SESSION}{session}"));
        }
        if body.is_some() {
            request = request.header(CONTENT_TYPE, "application/json");
        }
        let body = body.map(|body| Bytes::from(body.to_string())).unwrap_or_default();
        let request = request.body(body).map_err(|_error| lost(Lost::Unreachable))?;
        let answer = within(self.outside, deadline, self.outside.send(request)).await;
        let answer = answer.unwrap_or(Err(Lost::BrokeOff)).map_err(lost)?;
        let status = answer.status();
        if status == StatusCode::OK || status == StatusCode::NO_CONTENT {
            return Ok(answer);
        }
        let said: Value = serde_json::from_slice(answer.body()).unwrap_or_default();
        let code = said.get("code").and_then(Value::as_str).unwrap_or_default().to_owned();
        Err(IdentityError::Refused { status: status.as_u16(), code })
    }
}

/// The session in an answer's cookies.
fn session(answer: &Response<Bytes>) -> Option<String> {
    let cookies = answer.headers().get_all(SET_COOKIE).iter().filter_map(|cookie| cookie.to_str().ok());
    let mut ours = cookies.filter_map(|cookie| cookie.strip_prefix(SESSION));
    let value = ours.next()?.split(';').next()?.trim();
    (!value.is_empty()).then(|| value.to_owned())
}
