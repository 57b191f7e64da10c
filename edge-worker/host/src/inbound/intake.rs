//! A request's way in: whether it is one, and its whole body, before it takes anybody's place.
//!
//! A body is read before its request counts as in flight, so that slow ones hold nobody up. What they hold instead is
//! memory: bytes that have come, never bytes that were promised, against one allowance for all.

use std::sync::Arc;

use bytes::{Bytes, BytesMut};
use http::request::Parts;
use http::{HeaderMap, Method, Version, header};
use http_body::Body as _;
use http_body_util::BodyExt;
use hyper::body::Incoming;
use tokio::sync::{OwnedSemaphorePermit, Semaphore};
use tokio::time::{Instant, timeout_at};

use super::refusal::Refusal;
use crate::server::Head;

/// A body that has come, and its part of the allowance until it is gone.
pub(crate) struct Taken {
    pub(crate) body: Bytes,
    pub(crate) share: Option<OwnedSemaphorePermit>,
}

/// Bodies' size, each and together.
pub(crate) struct Intake {
    max_body: usize,
    allowance: Arc<Semaphore>,
}

/// So many bodies of the largest size, for each request in flight, may be waiting or on their way in.
const BODIES_PER_SEAT: usize = 4;

impl Intake {
    pub(crate) fn new(max_body: usize, in_flight: u16) -> Self {
        let bytes = max_body.saturating_mul(BODIES_PER_SEAT).saturating_mul(usize::from(in_flight));
        Self { max_body, allowance: Arc::new(Semaphore::new(bytes.min(Semaphore::MAX_PERMITS))) }
    }

    /// The whole body, by the deadline.
    pub(crate) async fn take(
        &self,
        method: &Method,
        body: Incoming,
        deadline: Instant,
    ) -> Result<Taken, Refusal> {
        // These have none that means anything (RFC 9110 §9.3.1); nothing waits for one.
        if [Method::GET, Method::HEAD, Method::OPTIONS].contains(method) || body.is_end_stream() {
            return Ok(Taken { body: Bytes::new(), share: None });
        }
        if body.size_hint().lower() > self.max_body as u64 {
            return Err(Refusal::BodyTooLarge);
        }
        timeout_at(deadline, self.read(body)).await.map_err(|_elapsed| Refusal::BodyTooSlow)?
    }

    async fn read(&self, mut body: Incoming) -> Result<Taken, Refusal> {
        let mut whole = BytesMut::new();
        let mut share: Option<OwnedSemaphorePermit> = None;
        while let Some(frame) = body.frame().await {
            // Trailers stay here.
            let Ok(piece) = frame.map_err(|_broken| Refusal::BodyBroken)?.into_data() else { continue };
            if whole.len().saturating_add(piece.len()) > self.max_body {
                return Err(Refusal::BodyTooLarge);
            }
            let part = self.allow(piece.len())?;
            match share.as_mut() {
                Some(share) => share.merge(part),
                None => share = Some(part),
            }
            whole.extend_from_slice(&piece);
        }
        Ok(Taken { body: whole.freeze(), share })
    }

    fn allow(&self, bytes: usize) -> Result<OwnedSemaphorePermit, Refusal> {
        let bytes = u32::try_from(bytes).map_err(|_larger| Refusal::BodyTooLarge)?;
        Arc::clone(&self.allowance).try_acquire_many_owned(bytes).map_err(|_spent| Refusal::Busy)
    }
}

/// Whether this is a request that any other server would take for the same one.
pub(crate) fn is_sound(parts: &Parts, head: Head) -> bool {
    match head {
        Head::Odd => false,
        Head::Framed => true,
        Head::Sound | Head::Last => hosts(parts.version, &parts.headers),
    }
}

/// HTTP/1.1 needs exactly one `Host`, 1.0 may do without (RFC 9112 §3.2).
fn hosts(version: Version, headers: &HeaderMap) -> bool {
    match headers.get_all(header::HOST).iter().count() {
        1 => true,
        0 => version == Version::HTTP_10,
        _ => false,
    }
}
