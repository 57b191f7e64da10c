//! A request's path through the host, top to bottom.

use std::sync::Arc;
use std::time::Duration;

use bytes::Bytes;
use http::request::Parts;
use http::uri::PathAndQuery;
use http::{Method, Request, Response, Uri};
use http_body::Body as _;
use http_body_util::{BodyExt, LengthLimitError, Limited};
use hyper::body::Incoming;
use tokio::sync::{OwnedSemaphorePermit, Semaphore};
use tokio::time::{Instant, timeout_at};

use crate::clock;
use crate::guest::{Body, Guest};
use crate::inbound::conditional::Known;
use crate::inbound::refusal::Refusal;
use crate::inbound::reply::Reply;
use crate::inbound::route::RouteKind;
use crate::inbound::strip::strip;
use crate::settings::{Settings, Strip};

/// Everything requests share.
pub(crate) struct Exchanges {
    guest: Guest,
    seats: Arc<Semaphore>,
    max_body: usize,
    strip: Strip,
    clock: Duration,
}

impl Exchanges {
    pub(crate) fn new(guest: Guest, settings: &Settings) -> Self {
        Self {
            guest,
            seats: Arc::new(Semaphore::new(usize::from(settings.limits.in_flight))),
            max_body: settings.limits.max_body,
            strip: settings.strip,
            clock: settings.clocks.request,
        }
    }

    /// Answers one request, whatever happens, and writes down what a log may hold of it.
    pub(crate) async fn exchange(&self, request: Request<Incoming>) -> Response<Reply> {
        let begun = clock::now();
        let deadline = Instant::from_std(begun) + self.clock;
        let method = known_method(request.method());
        let route = RouteKind::of(request.uri().path());

        let (response, outcome) = match self.seat() {
            Err(busy) => (busy.response().map(|body| Reply::new(body, None, None)), busy.code()),
            Ok(seat) => match self.answer(request, deadline).await {
                Ok(response) => {
                    (response.map(|body| Reply::new(body, Some(deadline), Some(seat))), "answered")
                }
                Err(refusal) => {
                    (refusal.response().map(|body| Reply::new(body, None, Some(seat))), refusal.code())
                }
            },
        };

        let status = response.status().as_u16();
        let micros = clock::now().duration_since(begun).as_micros();
        tracing::debug!(method, %route, status, outcome, micros, "exchange");
        response
    }

    async fn answer(&self, request: Request<Incoming>, deadline: Instant) -> Result<Response<Body>, Refusal> {
        // The whole body is read before the guest is called: a body that is too large or too slow never holds an
        // instance, the cell gets a length, and the guest's first-byte clock measures the cell, not the caller.
        let (parts, body) = request.into_parts();
        let body = timeout_at(deadline, self.read(body)).await.map_err(|_elapsed| Refusal::BodyTooSlow)??;

        // What the caller already has is noted before its headers are taken off.
        let known = Known::of(&parts.method, &parts.headers);
        let request = self.for_the_guest(parts, body);

        // A second clock, outside the guest's store, in which futures may go unpolled while a guest computes.
        let answered = timeout_at(deadline, self.guest.answer(request))
            .await
            .map_err(|_elapsed| Refusal::GuestTimedOut)?;
        let response = answered.map_err(|failure| {
            tracing::debug!(reason = %failure, "guest gave no answer");
            Refusal::from(failure)
        })?;

        // An answer whose entity tag the caller has becomes a 304. The body of a HEAD is left out by hyper.
        Ok(known.apply(response))
    }

    fn seat(&self) -> Result<OwnedSemaphorePermit, Refusal> {
        Arc::clone(&self.seats).try_acquire_owned().map_err(|_full| Refusal::Busy)
    }

    async fn read(&self, body: Incoming) -> Result<Bytes, Refusal> {
        if body.size_hint().lower() > self.max_body as u64 {
            return Err(Refusal::BodyTooLarge);
        }
        match Limited::new(body, self.max_body).collect().await {
            // Trailers stay here.
            Ok(collected) => Ok(collected.to_bytes()),
            Err(error) if error.is::<LengthLimitError>() => Err(Refusal::BodyTooLarge),
            Err(_broken) => Err(Refusal::BodyBroken),
        }
    }

    /// The target becomes a path whatever its form was, and nobody is named.
    fn for_the_guest(&self, mut parts: Parts, body: Bytes) -> Request<Bytes> {
        let path = parts.uri.path_and_query().cloned().unwrap_or_else(|| PathAndQuery::from_static("/"));
        parts.uri = Uri::from(path);
        if self.strip == Strip::On {
            strip(&mut parts.headers);
        }
        Request::from_parts(parts, body)
    }
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
