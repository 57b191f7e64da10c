//! A request's path through the host, top to bottom.

use std::sync::{Arc, PoisonError, RwLock};
use std::time::{Duration, Instant};

use bytes::Bytes;
use http::header::{CONNECTION, CONTENT_LENGTH, HeaderValue, TRANSFER_ENCODING};
use http::request::Parts;
use http::uri::PathAndQuery;
use http::{HeaderMap, Method, Request, Response, Uri, Version};
use http_body::Body as _;
use http_body_util::{BodyExt as _, Limited};
use hyper::body::Incoming;
use tokio::sync::{OwnedSemaphorePermit, Semaphore};
use tokio::time::{Instant as Deadline, timeout_at};

use crate::body::{self, Held, Watched};
use crate::clock;
use crate::guest::{Body, BodyError};
use crate::inbound::conditional::Known;
use crate::inbound::intake::{Intake, is_sound};
use crate::inbound::refusal::{Outcome, Refusal};
use crate::inbound::route::RouteKind;
use crate::inbound::strip::strip;
use crate::metrics::{Count, Gauge, Metrics, Up};
use crate::rate::{Allowed, RateLimit};
use crate::server::Caller;
use crate::serving::Serving;
use crate::settings::{KeepShelves, Settings, Strip};
use crate::shelves::{BODY_MAX, lifetime, may_be_kept};

/// Everything requests share.
pub(crate) struct Exchanges {
    serving: Arc<RwLock<Arc<Serving>>>,
    intake: Intake,
    seats: Arc<Semaphore>,
    rate: Option<RateLimit>,
    strip: Strip,
    keep_shelves: KeepShelves,
    body_clock: Duration,
    request_clock: Duration,
    metrics: Arc<Metrics>,
}

/// What a request holds until the last byte of its answer.
pub(crate) struct Seat {
    _seat: Option<OwnedSemaphorePermit>,
    _body: Option<OwnedSemaphorePermit>,
    _in_flight: Option<Up>,
}

impl Held for Seat {}

/// An answer on its way out.
pub(crate) type Reply = Watched<Body, Seat>;

impl Exchanges {
    pub(crate) fn new(
        serving: Arc<RwLock<Arc<Serving>>>,
        settings: &Settings,
        metrics: Arc<Metrics>,
    ) -> Self {
        Self {
            serving,
            intake: Intake::new(settings.limits.max_body, settings.limits.in_flight),
            seats: Arc::new(Semaphore::new(usize::from(settings.limits.in_flight))),
            rate: settings.rate.map(|rate| RateLimit::new(rate, clock::now())),
            strip: settings.strip,
            keep_shelves: settings.keep_shelves,
            body_clock: settings.clocks.body,
            request_clock: settings.clocks.request,
            metrics,
        }
    }

    /// Answers one request, whatever happens, and writes down what a log may hold of it.
    pub(crate) async fn exchange(&self, request: Request<Incoming>, caller: Caller) -> Response<Reply> {
        let begun = clock::now();
        let method = known_method(request.method());
        let route = RouteKind::of(request.uri().path());
        let version = request.version();

        let (response, outcome) = match self.answer(request, caller, begun).await {
            Ok(response) => (response, Outcome::Answered),
            Err(refusal) => (refused(refusal, version), Outcome::Refused(refusal)),
        };

        let (status, took) = (response.status().as_u16(), clock::now().duration_since(begun));
        self.metrics.answered(route, outcome, status, took);
        tracing::debug!(
            method, %route, status, outcome = outcome.code(), micros = took.as_micros(), "exchange"
        );
        response
    }

    async fn answer(
        &self,
        request: Request<Incoming>,
        caller: Caller,
        begun: Instant,
    ) -> Result<Response<Reply>, Refusal> {
        // Who asks too often costs nothing more than this.
        self.within_rate(&caller, begun)?;

        // What two parsers could read as two different requests is none.
        let (parts, body) = request.into_parts();
        if !is_sound(&parts, caller.head) {
            return Err(Refusal::Malformed);
        }

        // The whole body is read before the request takes a place: one that is too large or too slow never holds a
        // seat or an instance, the cell gets a length, and the guest's clock measures the cell, not the caller.
        let taken = self.intake.take(&parts.method, body, (begun + self.body_clock).into()).await?;

        // From here on it is in flight, with a clock around everything.
        let seat = self.seat(taken.share)?;
        let deadline = (clock::now() + self.request_clock).into();

        // What the caller already has is noted before its headers are taken off.
        let known = Known::of(&parts.method, &parts.headers);

        // The artefact of this moment answers, even if another one comes before it is done: from a list it said
        // lately, or by an instance.
        let serving = self.serving();
        let shelf = (self.keep_shelves == KeepShelves::On && may_be_kept(&parts.method, &parts.uri))
            .then(|| parts.uri.path().to_owned());
        let kept = shelf.as_deref().and_then(|path| serving.shelves.get(path, clock::now()));
        let response = match kept {
            Some(response) => {
                self.metrics.count(Count::ShelfKept);
                response
            }
            None => {
                let may_keep = shelf.filter(|_| parts.method == Method::GET);
                let response = self.ask(&serving, self.for_the_guest(parts, taken.body), deadline).await?;
                match may_keep {
                    Some(path) => keep(&serving, &path, response, deadline).await?,
                    None => response,
                }
            }
        };

        // An answer whose entity tag the caller has becomes a 304. The body of a HEAD is left out by hyper. An answer
        // that goes on past its deadline breaks off.
        let late = || BodyError::HttpResponseTimeout;
        Ok(known.apply(response).map(|body| Watched::until(body, seat, deadline, late)))
    }

    /// Lets an instance answer. The clock is a second one, outside the guest's store, in which futures may go unpolled
    /// while a guest computes.
    async fn ask(
        &self,
        serving: &Serving,
        request: Request<Bytes>,
        deadline: Deadline,
    ) -> Result<Response<Body>, Refusal> {
        let answered = timeout_at(deadline, serving.guest.answer(request))
            .await
            .map_err(|_elapsed| Refusal::GuestTimedOut)?;
        answered.map_err(|failure| {
            tracing::debug!(reason = %failure, "guest gave no answer");
            Refusal::from(failure)
        })
    }

    fn within_rate(&self, caller: &Caller, now: Instant) -> Result<(), Refusal> {
        let Some(rate) = &self.rate else { return Ok(()) };
        match rate.take(caller.address, now) {
            Allowed::Yes => Ok(()),
            Allowed::No => Err(Refusal::RateLimited),
        }
    }

    fn seat(&self, body: Option<OwnedSemaphorePermit>) -> Result<Seat, Refusal> {
        let seat = Arc::clone(&self.seats).try_acquire_owned().map_err(|_full| Refusal::Busy)?;
        Ok(Seat { _seat: Some(seat), _body: body, _in_flight: Some(self.metrics.up(Gauge::InFlight)) })
    }

    fn serving(&self) -> Arc<Serving> {
        Arc::clone(&self.serving.read().unwrap_or_else(PoisonError::into_inner))
    }

    /// The target becomes a path whatever its form was, and nobody is named.
    fn for_the_guest(&self, mut parts: Parts, body: Bytes) -> Request<Bytes> {
        let path = parts.uri.path_and_query().cloned().unwrap_or_else(|| PathAndQuery::from_static("/"));
        parts.uri = Uri::from(path);
        if self.strip == Strip::On {
            strip(&mut parts.headers);
        }
        frame(&mut parts.headers, body.len());
        Request::from_parts(parts, body)
    }
}

/// Keeps a list that says it is for everybody.
async fn keep(
    serving: &Serving,
    path: &str,
    response: Response<Body>,
    deadline: Deadline,
) -> Result<Response<Body>, Refusal> {
    let (parts, body) = response.into_parts();
    let size = body.size_hint().exact().and_then(|bytes| usize::try_from(bytes).ok());
    let stated = parts.headers.get(CONTENT_LENGTH).and_then(|length| length.to_str().ok()?.parse().ok());
    let small = size.or(stated).is_some_and(|bytes| bytes <= BODY_MAX);
    let Some(lifetime) = lifetime(&parts).filter(|_| small) else {
        return Ok(Response::from_parts(parts, body));
    };
    let bytes = timeout_at(deadline, Limited::new(body, BODY_MAX).collect())
        .await
        .map_err(|_elapsed| Refusal::GuestTimedOut)?
        .map_err(|_broken| Refusal::GuestFailed)?
        .to_bytes();
    serving.shelves.keep(path, &parts.headers, &bytes, lifetime, clock::now());
    Ok(Response::from_parts(parts, body::full(bytes)))
}

/// States the length that the body has, not what the caller said of it.
fn frame(headers: &mut HeaderMap, length: usize) {
    headers.remove(TRANSFER_ENCODING);
    headers.remove(CONTENT_LENGTH);
    if length > 0 {
        headers.insert(CONTENT_LENGTH, HeaderValue::from(length));
    }
}

/// The host's own refusals are in memory and have no deadline, or the one for a missed deadline could not be sent.
fn refused(refusal: Refusal, version: Version) -> Response<Reply> {
    let mut response = refusal.response();
    if refusal.closes() && version < Version::HTTP_2 {
        response.headers_mut().insert(CONNECTION, HeaderValue::from_static("close"));
    }
    response.map(|body| Watched::holding(body, Seat { _seat: None, _body: None, _in_flight: None }))
}

/// A method as a log may hold it: a made-up one could carry anything.
fn known_method(method: &Method) -> &'static str {
    match *method {
        Method::GET => "GET",
        Method::HEAD => "HEAD",
        Method::POST => "POST",
        Method::OPTIONS => "OPTIONS",
        _ => "other",
    }
}
