//! What reached the edge, kept for a while: of each exchange all that the edge's host could write down.
//!
//! It is a recorder of the demo's own, in front of the edge and on loopback. Headers are kept as they came, in their
//! order; of bodies the length and the first bytes, since the rest is as unreadable as they are. Nothing of it is
//! logged, and the oldest exchange makes room for the newest.

use std::collections::VecDeque;
use std::sync::Mutex;

use http::{HeaderMap, Method, StatusCode};
use serde::Serialize;

/// Exchanges kept.
const KEPT: usize = 256;
/// Bytes of a body that are shown.
pub(crate) const SHOWN: usize = 96;

/// A body: how long it was and how it begins.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub(crate) struct Body {
    pub(crate) bytes: usize,
    /// Hexadecimal.
    pub(crate) first: String,
}

impl Body {
    pub(crate) fn of(bytes: &[u8]) -> Self {
        let first = bytes.iter().take(SHOWN).map(|byte| format!("{byte:02x}")).collect();
        Self { bytes: bytes.len(), first }
    }
}

/// A request, as it arrived.
#[derive(Clone, Debug, Serialize)]
pub(crate) struct Asked {
    pub(crate) method: String,
    pub(crate) target: String,
    pub(crate) headers: Vec<(String, String)>,
    pub(crate) body: Body,
}

impl Asked {
    pub(crate) fn of(method: &Method, target: &str, headers: &HeaderMap, body: &[u8]) -> Self {
        let (method, target) = (method.to_string(), target.to_owned());
        Self { method, target, headers: listed(headers), body: Body::of(body) }
    }
}

/// An answer, as the edge gave it.
#[derive(Clone, Debug, Serialize)]
pub(crate) struct Answer {
    pub(crate) status: u16,
    pub(crate) headers: Vec<(String, String)>,
    pub(crate) body: Body,
    /// Milliseconds from the request's end to the answer's.
    pub(crate) ms: u64,
}

impl Answer {
    pub(crate) fn of(status: StatusCode, headers: &HeaderMap, body: &[u8], ms: u64) -> Self {
        Self { status: status.as_u16(), headers: listed(headers), body: Body::of(body), ms }
    }
}

fn listed(headers: &HeaderMap) -> Vec<(String, String)> {
    let text = |value: &http::HeaderValue| String::from_utf8_lossy(value.as_bytes()).into_owned();
    headers.iter().map(|(name, value)| (name.to_string(), text(value))).collect()
}

/// How far an exchange is.
#[derive(Clone, Debug, Serialize)]
#[serde(rename_all = "kebab-case")]
pub(crate) enum Came {
    /// The edge has it.
    Awaited,
    /// The edge answered.
    Answer(Answer),
    /// The edge could not be reached, or its answer broke off.
    Nothing,
}

/// A request and what came of it.
#[derive(Clone, Debug, Serialize)]
pub(crate) struct Exchange {
    /// Counts exchanges, from 1.
    pub(crate) number: u64,
    pub(crate) asked: Asked,
    pub(crate) came: Came,
    #[serde(skip)]
    changed: u64,
}

/// Exchanges that changed, and what to ask for next time.
#[derive(Debug, Serialize)]
pub(crate) struct Changes {
    pub(crate) next: u64,
    pub(crate) exchanges: Vec<Exchange>,
}

/// The exchanges of the last while.
#[derive(Default)]
pub(crate) struct Capture(Mutex<Kept>);

#[derive(Default)]
struct Kept {
    exchanges: VecDeque<Exchange>,
    numbers: u64,
    /// Counts changes: of an exchange that was begun, and of one that was answered.
    changes: u64,
}

impl Capture {
    /// Keeps a request. Its number is for [`Capture::came`].
    pub(crate) fn asked(&self, asked: Asked) -> u64 {
        let mut kept = self.lock();
        kept.numbers += 1;
        kept.changes += 1;
        if kept.exchanges.len() == KEPT {
            kept.exchanges.pop_front();
        }
        let (number, changed) = (kept.numbers, kept.changes);
        kept.exchanges.push_back(Exchange { number, asked, came: Came::Awaited, changed });
        number
    }

    /// Keeps what came of it, if it is still there.
    pub(crate) fn came(&self, number: u64, came: Came) {
        let mut kept = self.lock();
        kept.changes += 1;
        let changed = kept.changes;
        if let Some(exchange) = kept.exchanges.iter_mut().find(|exchange| exchange.number == number) {
            (exchange.came, exchange.changed) = (came, changed);
        }
    }

    /// What began or was answered after `since`, by number.
    pub(crate) fn since(&self, since: u64) -> Changes {
        let kept = self.lock();
        let exchanges = kept.exchanges.iter().filter(|exchange| exchange.changed > since).cloned().collect();
        Changes { next: kept.changes, exchanges }
    }

    fn lock(&self) -> std::sync::MutexGuard<'_, Kept> {
        // Whoever failed while it held the lock left a whole list behind.
        self.0.lock().unwrap_or_else(std::sync::PoisonError::into_inner)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn asked(target: &str) -> Asked {
        Asked::of(&Method::POST, target, &HeaderMap::new(), &[0xab; 200])
    }

    #[test]
    fn an_exchange_is_told_when_it_begins_and_when_it_is_answered() {
        let capture = Capture::default();
        let number = capture.asked(asked("/a"));
        let begun = capture.since(0);
        assert!(matches!(begun.exchanges[..], [Exchange { came: Came::Awaited, .. }]));
        assert!(capture.since(begun.next).exchanges.is_empty());
        capture.came(number, Came::Answer(Answer::of(StatusCode::OK, &HeaderMap::new(), b"hi", 3)));
        let answered = capture.since(begun.next);
        assert!(
            matches!(&answered.exchanges[..], [Exchange { number: 1, came: Came::Answer(a), .. }] if a.ms == 3)
        );
        assert!(capture.since(answered.next).exchanges.is_empty());
    }

    #[test]
    fn the_oldest_makes_room_and_a_late_answer_to_it_is_dropped() {
        let capture = Capture::default();
        let first = capture.asked(asked("/first"));
        for _ in 0..KEPT {
            capture.asked(asked("/more"));
        }
        capture.came(first, Came::Nothing);
        let all = capture.since(0).exchanges;
        assert_eq!(all.len(), KEPT);
        assert!(all.iter().all(|one| one.asked.target == "/more" && matches!(one.came, Came::Awaited)));
    }

    #[test]
    fn a_body_is_its_length_and_its_beginning() {
        assert_eq!(Body::of(&[]), Body { bytes: 0, first: String::new() });
        let long = Body::of(&[0x0f; SHOWN + 1]);
        assert_eq!((long.bytes, long.first.len(), &long.first[..4]), (SHOWN + 1, 2 * SHOWN, "0f0f"));
    }

    #[test]
    fn headers_stay_in_their_order_with_bytes_that_are_no_text() {
        let mut headers = HeaderMap::new();
        headers.insert("b", http::HeaderValue::from_static("1"));
        headers.insert("a", http::HeaderValue::from_bytes(b"\xff").unwrap());
        assert_eq!(listed(&headers), [("b".into(), "1".into()), ("a".into(), "\u{fffd}".into())]);
    }
}
