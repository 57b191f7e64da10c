//! Taking events into a row.
//!
//! A batch may come twice: its answer was lost, or somebody replays it. So the row remembers the marks of the events
//! that it took, and the same transaction writes both. What is remembered is bounded; an event that comes again after
//! so many others counts twice, which costs a little weight and no more.

use domicile_wire::{Event, EventKind};
use sha2::{Digest as _, Sha256};

use super::{EventMark, ItemHistory, Kind, Row};

/// Marks of events kept in a row: eight full batches.
pub const EVENT_IDS_MAX: usize = 512;
/// Items of a row's session group: those of the latest events stay.
pub const SESSION_ITEMS_MAX: usize = 512;

/// What came of a batch.
#[derive(Debug, Default, PartialEq, Eq)]
pub struct Taken {
    /// The events that were new.
    pub accepted: Vec<Event>,
    /// How many were known.
    pub duplicates: u32,
    /// How many were from before the shopper's erasure, and dropped.
    pub erased: u32,
}

/// Takes `events` into `row` at `now_s`; those up to `erased_s` are dropped. No event lies after now, whatever the
/// client's clock said.
pub fn taken_in(row: &mut Row, events: Vec<Event>, erased_s: Option<i64>, now_s: i64) -> Taken {
    let mut taken = Taken::default();
    for event in events {
        let mark = mark(&event.id);
        if erased_s.is_some_and(|erased_s| event.time_s <= erased_s) {
            taken.erased += 1;
        } else if row.marks.contains(&mark) {
            taken.duplicates += 1;
        } else {
            row.marks.push(mark);
            add(row, &event, now_s);
            taken.accepted.push(event);
        }
    }
    let surplus = row.marks.len().saturating_sub(EVENT_IDS_MAX);
    row.marks.drain(..surplus);
    if !taken.accepted.is_empty() {
        row.updated_s = now_s;
    }
    taken
}

fn add(row: &mut Row, event: &Event, now_s: i64) {
    let kind = match event.kind {
        EventKind::View => Kind::View,
        EventKind::Basket => Kind::Basket,
        EventKind::Purchase => Kind::Purchase,
        // What was shown is measured, and says nothing of what the shopper wants.
        EventKind::Impression => return,
    };
    let Some(item) = event.item.as_deref() else { return };
    let (items, time_s) = (&mut row.session.items, event.time_s.min(now_s));
    match items.iter_mut().find(|history| *history.item == *item) {
        Some(history) => history.add(kind, time_s),
        None => items.push(ItemHistory::begin(item, kind, time_s)),
    }
    if items.len() > SESSION_ITEMS_MAX {
        let oldest = items.iter().enumerate().min_by_key(|(_, history)| history.last_s()).map(|(at, _)| at);
        oldest.map(|at| items.swap_remove(at));
    }
}

fn mark(id: &str) -> EventMark {
    let digest: [u8; 32] = Sha256::digest(id).into();
    let [a, b, c, d, e, f, g, h, ..] = digest;
    [a, b, c, d, e, f, g, h]
}

#[cfg(test)]
mod tests {
    use super::*;

    fn view(id: usize, item: usize, time_s: i64) -> Event {
        Event {
            id: format!("e{id}"),
            kind: EventKind::View,
            item: Some(item.to_string()),
            time_s,
            rung: None,
            shown: None,
            client_ms: None,
        }
    }

    #[test]
    fn an_event_counts_once_in_one_batch_and_over_several() {
        let mut row = Row::default();
        let batch = vec![view(1, 7, 100), view(1, 7, 100), view(2, 7, 900)];
        let taken = taken_in(&mut row, batch.clone(), None, 500);
        assert_eq!((taken.accepted.len(), taken.duplicates, taken.erased), (2, 1, 0));
        let history = &row.session.items[0];
        assert_eq!((history.count, history.recent_s.as_slice()), (2, &[500, 100][..]), "none lies after now");
        let again = taken_in(&mut row, batch, None, 600);
        assert_eq!((again.accepted.len(), again.duplicates, row.updated_s), (0, 3, 500));
    }

    #[test]
    fn what_is_older_than_the_erasure_is_dropped_and_not_remembered() {
        let mut row = Row::default();
        let taken = taken_in(&mut row, vec![view(1, 7, 100), view(2, 7, 101)], Some(100), 500);
        assert_eq!((taken.accepted.len(), taken.duplicates, taken.erased), (1, 0, 1));
        assert_eq!(row.marks.len(), 1);
    }

    #[test]
    fn a_row_stays_bounded_and_keeps_the_latest() {
        let mut row = Row::default();
        for n in 0..2_000 {
            taken_in(&mut row, vec![view(n, n, n as i64)], None, 1_000_000);
        }
        assert_eq!((row.marks.len(), row.session.items.len()), (EVENT_IDS_MAX, SESSION_ITEMS_MAX));
        assert!(row.session.items.iter().all(|history| history.last_s() >= 2_000 - SESSION_ITEMS_MAX as i64));
        assert_eq!(Row::from_bytes(&row.to_bytes().unwrap()).unwrap(), row);
    }

    #[test]
    fn an_impression_is_remembered_and_no_history() {
        let mut row = Row::default();
        let shown = Event { kind: EventKind::Impression, ..view(1, 7, 100) };
        assert_eq!(taken_in(&mut row, vec![shown], None, 500).accepted.len(), 1);
        assert!(row.session.items.is_empty() && row.marks.len() == 1);
    }
}
