//! Events in parts that fit a sealed request each.

use domicile_seal::{Kem, size};
use domicile_wire::event::EVENTS_MAX;
use domicile_wire::{Call, Caller, Event, Request};

use crate::Grant;

/// Bytes kept beside the events and everything that is measured: lengths are written in up to eight bytes.
const MARGIN: usize = 32;

/// How many of the first events fit one request; 0 when the first one alone does not.
pub(crate) fn fitting(grant: &Grant, events: &[Event]) -> usize {
    let empty = Request {
        pin: grant.pin.clone(),
        caller: Caller::Token(grant.token.clone()),
        date_s: Some(0),
        budget_ms: Some(u32::MAX),
        call: Call::Events(Vec::new()),
    };
    // Which key it is sealed to is not known yet: the one that leaves less room.
    let room = Kem::ALL.map(size::request_room).into_iter().fold(usize::MAX, usize::min);
    let mut left = room.saturating_sub(empty.encode().len() + MARGIN);
    let fits = |event: &&Event| {
        // And the comma. Text and numbers always make JSON.
        let bytes = serde_json::to_vec(event).map_or(usize::MAX, |json| json.len().saturating_add(1));
        left.checked_sub(bytes).map(|rest| left = rest).is_some()
    };
    events.iter().take(EVENTS_MAX).take_while(fits).count()
}

#[cfg(test)]
mod tests {
    use domicile_wire::{Bearer, EventKind};
    use proptest::prelude::*;

    use super::*;

    fn grant(token: usize) -> Grant {
        Grant {
            token: Bearer::new(&"t".repeat(token)).unwrap(),
            pin: "p".repeat(110),
            class: "eu_only".into(),
            claimed: None,
            home: "eu-a".into(),
            not_after_s: 0,
        }
    }

    fn event(id: usize, item: usize) -> Event {
        Event {
            id: "i".repeat(id),
            kind: EventKind::Purchase,
            item: Some("x".repeat(item)),
            time_s: 1_800_000_000,
            rung: None,
            shown: None,
            client_ms: None,
        }
    }

    proptest! {
        #[test]
        fn what_is_said_to_fit_fits_and_one_more_would_not(token in 1usize..2_048, sizes in prop::collection::vec((1usize..=64, 1usize..=64), 1..120)) {
            let grant = grant(token);
            let events: Vec<Event> = sizes.iter().map(|&(id, item)| event(id, item)).collect();
            let count = fitting(&grant, &events);
            prop_assert!((1..=EVENTS_MAX).contains(&count));
            let length = |count: usize| Request {
                pin: grant.pin.clone(),
                caller: Caller::Token(grant.token.clone()),
                date_s: Some(1_800_000_000),
                budget_ms: Some(900),
                call: Call::Events(events[..count].to_vec()),
            }.encode().len();
            let room = size::request_room(Kem::P256);
            prop_assert!(length(count) <= room);
            let all = count == events.len() || count == EVENTS_MAX;
            prop_assert!(all || length(count + 1) + 2 * MARGIN > room);
        }
    }
}
