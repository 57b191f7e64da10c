//! Events: what a shopper did, told in batches that may be told again.

use std::fmt;

use domicile_ladder::Rung;
use serde::{Deserialize, Serialize};
use serde_json::Value;

use crate::request::stranger;
use crate::{Code, Problem};

/// Most events of a batch. A client splits a larger one: a sealed request has one size.
pub const EVENTS_MAX: usize = 64;
/// Longest event id in bytes; a UUID fits.
pub const EVENT_ID_MAX: usize = 64;
/// Longest item id in bytes.
pub const ITEM_ID_MAX: usize = 64;

const FIELDS: [&str; 7] = ["id", "kind", "item", "time_s", "rung", "shown", "client_ms"];
/// Seconds of the year 2200: a later time is in another unit.
const TIME_MAX_S: i64 = 7_258_118_400;

/// What happened.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum EventKind {
    /// An item was looked at.
    View,
    /// An item was put into the basket.
    Basket,
    /// An item was bought.
    Purchase,
    /// A shelf was answered: what became of it on the page.
    Impression,
}

/// What became of an answered shelf.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Shown {
    /// It was shown.
    Used,
    /// It came after the page's limit, and the list stayed.
    Late,
}

impl Shown {
    /// Both.
    pub const ALL: [Self; 2] = [Self::Used, Self::Late];

    /// The name in labels.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Used => "used",
            Self::Late => "late",
        }
    }
}

/// One event. Its `Debug` shows its kind alone.
#[derive(Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Event {
    /// Its id, made by the client once: 1 to [`EVENT_ID_MAX`] visible ASCII characters. The same one again is the same
    /// event.
    pub id: String,
    /// What happened.
    pub kind: EventKind,
    /// The item; left out for impressions only.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub item: Option<String>,
    /// When, in seconds since 1970 by the client's clock.
    pub time_s: i64,
    /// An impression's rung.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub rung: Option<Rung>,
    /// What became of an impression's shelf.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub shown: Option<Shown>,
    /// Milliseconds from the request to the shelf, as the page saw it; for impressions.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub client_ms: Option<u32>,
}

impl fmt::Debug for Event {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Event({:?}, redacted)", self.kind)
    }
}

/// The answer to a batch: what is in it is durable.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct EventsAnswer {
    /// Events taken.
    pub accepted: u32,
    /// Events that the cell had already.
    pub duplicates: u32,
    /// Events older than the shopper's erasure: dropped.
    pub erased: u32,
}

/// A batch's body.
pub(crate) fn encode(events: &[Event]) -> Vec<u8> {
    #[derive(Serialize)]
    struct Batch<'e> {
        events: &'e [Event],
    }
    serde_json::to_vec(&Batch { events }).unwrap_or_default()
}

/// Reads a batch's body. A complaint names the event by its place and quotes nothing.
pub(crate) fn decode(bytes: &[u8]) -> Result<Vec<Event>, Problem> {
    let refused = |detail: String| Problem::new(Code::EventsInvalid, detail);
    let form = || refused("not the JSON of a batch, {\"events\": […]}".into());
    let value: Value = serde_json::from_slice(bytes).map_err(|_| form())?;
    if let Some(nearest) = stranger(&value, ["events"]) {
        return Err(refused(format!("unknown field; the nearest known one is {nearest:?}")));
    }
    let events = value.get("events").and_then(Value::as_array).ok_or_else(form)?;
    if events.is_empty() || events.len() > EVENTS_MAX {
        return Err(refused(format!("a batch holds 1 to {EVENTS_MAX} events; split a larger one")));
    }
    let read = |(at, event): (usize, &Value)| {
        one(event).map_err(|detail| refused(format!("events[{at}]: {detail}")))
    };
    events.iter().enumerate().map(read).collect()
}

fn one(value: &Value) -> Result<Event, String> {
    if let Some(nearest) = stranger(value, FIELDS) {
        return Err(format!("unknown field; the nearest known one is {nearest:?}"));
    }
    let event = Event::deserialize(value)
        .map_err(|_| "an event has id, kind, time_s, and item or rung, shown, client_ms".to_owned())?;
    let visible = |text: &str, max: usize| {
        !text.is_empty() && text.len() <= max && text.bytes().all(|b| b.is_ascii_graphic())
    };
    if !visible(&event.id, EVENT_ID_MAX) {
        return Err(format!("id has to be 1 to {EVENT_ID_MAX} visible ASCII characters"));
    }
    if event.item.as_ref().is_some_and(|item| item.is_empty() || item.len() > ITEM_ID_MAX) {
        return Err(format!("item has to be 1 to {ITEM_ID_MAX} bytes"));
    }
    if !(0..TIME_MAX_S).contains(&event.time_s) {
        return Err("time_s has to be whole seconds since 1970".to_owned());
    }
    let shelf = (event.rung.is_some(), event.shown.is_some());
    match (event.kind, event.item.is_some(), shelf, event.client_ms) {
        (EventKind::Impression, _, (true, true), _) => Ok(event),
        (EventKind::Impression, ..) => Err("an impression has rung and shown".to_owned()),
        (_, true, (false, false), None) => Ok(event),
        (_, false, ..) => Err("item is missing".to_owned()),
        _ => Err("rung, shown and client_ms are an impression's".to_owned()),
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn view(id: &str) -> Event {
        Event {
            id: id.into(),
            kind: EventKind::View,
            item: Some("4711".into()),
            time_s: 1_800_000_000,
            rung: None,
            shown: None,
            client_ms: None,
        }
    }

    #[test]
    fn a_batch_survives_and_debug_shows_no_item() {
        let impression = Event {
            kind: EventKind::Impression,
            item: None,
            rung: Some(Rung::Full),
            shown: Some(Shown::Late),
            client_ms: Some(310),
            ..view("b")
        };
        let batch = vec![view("a"), impression];
        assert_eq!(decode(&encode(&batch)), Ok(batch.clone()));
        assert!(!format!("{batch:?}").contains("4711"));
    }

    #[test]
    fn each_fault_is_named_by_its_place_and_nothing_is_quoted() {
        let of = |change: &dyn Fn(&mut Event)| {
            let mut event = view("a");
            change(&mut event);
            decode(&encode(&[view("first"), event])).unwrap_err()
        };
        for (change, part) in [
            (&(|e: &mut Event| e.id.clear()) as &dyn Fn(&mut Event), "id has to be"),
            (&|e| e.id = "secret secret".into(), "id has to be"),
            (&|e| e.item = None, "item is missing"),
            (&|e| e.item = Some("x".repeat(65)), "item has to be"),
            (&|e| e.time_s = -1, "time_s"),
            (&|e| e.time_s = 1_800_000_000_000, "time_s"),
            (&|e| e.rung = Some(Rung::Full), "an impression's"),
            (&|e| e.kind = EventKind::Impression, "rung and shown"),
        ] {
            let problem = of(change);
            assert_eq!((problem.code, problem.status), (Code::EventsInvalid, 422));
            assert!(
                problem.detail.starts_with("events[1]: ") && problem.detail.contains(part),
                "{problem:?}"
            );
            assert!(!problem.detail.contains("secret"));
        }
        for body in ["", "[]", "{}", r#"{"events":{}}"#, r#"{"events":[]}"#, r#"{"evnets":[]}"#] {
            assert_eq!(decode(body.as_bytes()).unwrap_err().code, Code::EventsInvalid);
        }
        let crowd: Vec<Event> = (0..=EVENTS_MAX).map(|n| view(&n.to_string())).collect();
        assert!(decode(&encode(&crowd)).unwrap_err().detail.contains("split"));
        let problem = decode(br#"{"events":[{"id":"a","kind":"secret","time_s":1}]}"#).unwrap_err();
        assert!(problem.detail.starts_with("events[0]: ") && !problem.detail.contains("secret"));
    }

    proptest! {
        #[test]
        fn any_body_is_read_or_refused(body in "\\PC{0,200}") {
            let _ = decode(body.as_bytes());
        }
    }
}
