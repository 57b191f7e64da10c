//! The service's calls.
//!
//! | call | answer |
//! |---|---|
//! | `POST /v1/login` `{"shopper"}` | 204, and a session cookie |
//! | `POST /v1/token` `{"locale"}` | `{token, pin, class, home, not_after}` for the session, or for an anonymous one |
//! | `POST /v1/logout` | 204; the session is over, the cookie gone |
//! | `GET /v1/keys` | the JWK Set that cells verify with |

use bytes::Bytes;
use domicile_token::Subject;
use http::{HeaderMap, HeaderValue, Method, Request, Response, StatusCode, header};
use http_body_util::Full;
use serde::Deserialize;

use super::issuer::Issuer;
use super::origins::Origins;
use super::refusal::Refusal;
use super::sessions::{SESSION_S, SessionId, Sessions};

/// The session's cookie.
const COOKIE: &str = "domicile_session";
/// How long a page may remember that it may ask, in seconds.
const PREFLIGHT_S: &str = "600";

/// An answer.
pub(super) type Answer = Response<Full<Bytes>>;

/// What requests share.
pub(super) struct Service {
    issuer: Issuer,
    sessions: Sessions,
    key_set: String,
    origins: Origins,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Login {
    shopper: Subject,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Wanted {
    locale: String,
}

impl Service {
    pub(super) fn new(issuer: Issuer, key_set: String, origins: Origins) -> Self {
        Self { issuer, sessions: Sessions::default(), key_set, origins }
    }

    /// Answers a request whose body is there, or was not to be had, at `now_s` (seconds since 1970).
    pub(super) fn answer(&self, request: &Request<Result<Bytes, Refusal>>, now_s: i64) -> Answer {
        let (origin, answer) = match self.origins.judge(request.headers()) {
            Ok(origin) => (origin, self.call(request, now_s)),
            Err(refusal) => (None, Err(refusal)),
        };
        let mut answer = answer.unwrap_or_else(refuse);
        let headers = answer.headers_mut();
        headers.insert(header::VARY, HeaderValue::from_static("origin"));
        if let Some(origin) = origin {
            headers.insert(header::ACCESS_CONTROL_ALLOW_ORIGIN, origin);
            headers.insert(header::ACCESS_CONTROL_ALLOW_CREDENTIALS, HeaderValue::from_static("true"));
        }
        answer
    }

    fn call(&self, request: &Request<Result<Bytes, Refusal>>, now_s: i64) -> Result<Answer, Refusal> {
        let (method, path) = (request.method(), request.uri().path());
        let expected = match path {
            "/v1/login" | "/v1/token" | "/v1/logout" => Method::POST,
            "/v1/keys" => Method::GET,
            _ => return Err(Refusal::UnknownRoute),
        };
        if *method == Method::OPTIONS {
            return Ok(preflight());
        }
        if *method != expected {
            return Err(Refusal::Method);
        }
        let body = request.body().as_ref().map_err(|&refusal| refusal)?;
        let session = session(request.headers());
        match path {
            "/v1/login" => self.login(body, session.as_ref(), now_s),
            "/v1/token" => self.token(body, session.as_ref(), now_s),
            "/v1/logout" => Ok(self.logout(session.as_ref())),
            _ => Ok(self.keys()),
        }
    }

    fn login(&self, body: &[u8], before: Option<&SessionId>, now_s: i64) -> Result<Answer, Refusal> {
        let Login { shopper } = parsed(body)?;
        // A new name for a new standing: one that somebody else planted before is worth nothing.
        before.into_iter().for_each(|id| self.sessions.log_out(id));
        let id = self.sessions.log_in(shopper, now_s).ok_or(Refusal::Randomness)?;
        Ok(with_cookie(empty(), id.as_str(), SESSION_S))
    }

    fn token(&self, body: &[u8], id: Option<&SessionId>, now_s: i64) -> Result<Answer, Refusal> {
        let Wanted { locale } = parsed(body)?;
        let known = id.and_then(|id| self.sessions.of(id, now_s)).map(|session| (None, session));
        let opened = || self.sessions.anonymous(now_s).map(|(id, session)| (Some(id), session));
        let (new, session) = known.or_else(opened).ok_or(Refusal::Randomness)?;
        let issued = self.issuer.issue(&session, &locale, now_s)?;
        // Texts and a number always make JSON.
        let issued = serde_json::to_vec(&issued).unwrap_or_default();
        let answer = content("application/json", "no-store", issued);
        Ok(match new {
            Some(id) => with_cookie(answer, id.as_str(), SESSION_S),
            None => answer,
        })
    }

    fn logout(&self, id: Option<&SessionId>) -> Answer {
        id.into_iter().for_each(|id| self.sessions.log_out(id));
        with_cookie(empty(), "", 0)
    }

    fn keys(&self) -> Answer {
        content("application/jwk-set+json", "public, max-age=60", self.key_set.clone())
    }
}

/// A call's body. An object, which serde alone would not insist on.
fn parsed<'b, T: Deserialize<'b>>(body: &'b [u8]) -> Result<T, Refusal> {
    let object = body.trim_ascii_start().starts_with(b"{");
    object.then(|| serde_json::from_slice(body).ok()).flatten().ok_or(Refusal::Body)
}

fn preflight() -> Answer {
    let mut answer = empty();
    let headers = answer.headers_mut();
    headers.insert(header::ACCESS_CONTROL_ALLOW_METHODS, HeaderValue::from_static("GET, POST"));
    headers.insert(header::ACCESS_CONTROL_ALLOW_HEADERS, HeaderValue::from_static("content-type"));
    headers.insert(header::ACCESS_CONTROL_MAX_AGE, HeaderValue::from_static(PREFLIGHT_S));
    answer
}

/// The session that a request states; the first, where it states several.
fn session(headers: &HeaderMap) -> Option<SessionId> {
    let cookies = headers.get_all(header::COOKIE).iter().filter_map(|value| value.to_str().ok());
    let mut pairs =
        cookies.flat_map(|cookies| cookies.split(';')).filter_map(|pair| pair.trim().split_once('='));
    pairs.find(|(name, _)| *name == COOKIE).and_then(|(_, value)| SessionId::of_cookie(value))
}

/// A cookie that no script reads and no other site's request carries (RFC 6265bis, section 5.7). Without `Secure`: it
/// is for loopback.
fn with_cookie(mut answer: Answer, value: &str, seconds: i64) -> Answer {
    let cookie = format!("{COOKIE}={value}; Path=/; HttpOnly; SameSite=Lax; Max-Age={seconds}");
    if let Ok(cookie) = HeaderValue::from_str(&cookie) {
        answer.headers_mut().insert(header::SET_COOKIE, cookie);
    }
    answer
}

fn empty() -> Answer {
    let mut answer = Response::new(Full::default());
    *answer.status_mut() = StatusCode::NO_CONTENT;
    answer.headers_mut().insert(header::CACHE_CONTROL, HeaderValue::from_static("no-store"));
    answer
}

fn content(media: &'static str, kept: &'static str, body: impl Into<Bytes>) -> Answer {
    let mut answer = Response::new(Full::new(body.into()));
    let headers = answer.headers_mut();
    headers.insert(header::CONTENT_TYPE, HeaderValue::from_static(media));
    headers.insert(header::CACHE_CONTROL, HeaderValue::from_static(kept));
    answer
}

fn refuse(refusal: Refusal) -> Answer {
    let mut answer = content("application/problem+json", "no-store", refusal.document());
    *answer.status_mut() = refusal.status();
    answer
}
