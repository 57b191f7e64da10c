//! A shopper's row and its compact, versioned form.

use std::fmt;

use serde::{Deserialize, Serialize};

use super::StoreError;

/// How many of an item's latest events are kept with their time.
pub const RECENT_MAX: usize = 16;
/// How many items of a shopper an import keeps: several times what ranks, and a row that is read in one piece.
pub const ITEMS_MAX: usize = 4_096;
/// The form's version: a row's first byte. Version 1 had no marks of events, and is read.
const VERSION: u8 = 2;
const WITHOUT_MARKS: u8 = 1;

/// What is kept of an event's id: the beginning of its SHA-256. Of one shopper's some hundred, two are the same once in
/// 10^13 shoppers.
pub type EventMark = [u8; 8];

/// What a shopper did with an item; the stronger the later.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
pub enum Kind {
    /// Looked at it.
    View = 1,
    /// Put it into the basket.
    Basket = 2,
    /// Bought it.
    Purchase = 3,
}

/// What is known of one shopper and one item.
#[derive(Clone, PartialEq, Eq)]
pub struct ItemHistory {
    /// The item's external id.
    pub item: Box<str>,
    /// The strongest kind so far.
    pub kind: Kind,
    /// Number of events.
    pub count: u32,
    /// Time of the first event, seconds since the Unix epoch.
    pub first_s: i64,
    /// Times of the latest events, newest first; at least one, at most [`RECENT_MAX`].
    pub recent_s: Vec<i64>,
}

/// A group of features.
#[derive(Clone, Default, PartialEq, Eq)]
pub struct Group {
    /// One entry for each distinct item.
    pub items: Vec<ItemHistory>,
}

/// A shopper's row.
#[derive(Clone, Default, PartialEq, Eq)]
pub struct Row {
    /// When the row was last brought up to date, seconds since the Unix epoch.
    pub updated_s: i64,
    /// The slow group.
    pub profile: Group,
    /// The fast group.
    pub session: Group,
    /// The latest events that were taken, oldest first: what comes again is known by them.
    pub marks: Vec<EventMark>,
}

impl fmt::Debug for ItemHistory {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("ItemHistory(redacted)")
    }
}

impl fmt::Debug for Group {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Group(redacted)")
    }
}

impl fmt::Debug for Row {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Row(redacted)")
    }
}

impl ItemHistory {
    /// The history of an item after its first event.
    pub fn begin(item: &str, kind: Kind, time_s: i64) -> Self {
        Self { item: item.into(), kind, count: 1, first_s: time_s, recent_s: vec![time_s] }
    }

    /// Takes in one more event, in any order of time.
    pub fn add(&mut self, kind: Kind, time_s: i64) {
        self.kind = self.kind.max(kind);
        self.count = self.count.saturating_add(1);
        self.first_s = self.first_s.min(time_s);
        let at = self.recent_s.partition_point(|&known| known >= time_s);
        if at < RECENT_MAX {
            self.recent_s.insert(at, time_s);
            self.recent_s.truncate(RECENT_MAX);
        }
    }

    /// This history and another of the same item together.
    #[must_use]
    pub fn joined(&self, other: &Self) -> Self {
        let mut recent_s = [self.recent_s.as_slice(), &other.recent_s].concat();
        recent_s.sort_unstable_by(|a, b| b.cmp(a));
        recent_s.truncate(RECENT_MAX);
        Self {
            item: self.item.clone(),
            kind: self.kind.max(other.kind),
            count: self.count.saturating_add(other.count),
            first_s: self.first_s.min(other.first_s),
            recent_s,
        }
    }

    /// Moves every event by `by_s` seconds.
    pub fn shift(&mut self, by_s: i64) {
        self.first_s = self.first_s.saturating_add(by_s);
        self.recent_s.iter_mut().for_each(|time| *time = time.saturating_add(by_s));
    }

    /// Time of the last event.
    pub fn last_s(&self) -> i64 {
        self.recent_s.first().copied().unwrap_or(self.first_s)
    }
}

/// The stored form: times as differences, which are short as variable-length integers.
#[derive(Serialize, Deserialize)]
struct Stored {
    updated_s: i64,
    groups: [Vec<StoredItem>; 2],
}

#[derive(Serialize, Deserialize)]
struct StoredItem {
    item: Box<str>,
    kind: Kind,
    count: u32,
    /// From the update back to the last event.
    since_last_s: i64,
    /// From the first event to the last.
    span_s: u64,
    /// From each recent event back to the one before.
    steps_s: Vec<u64>,
}

impl Row {
    /// The row as bytes.
    ///
    /// # Errors
    /// [`StoreError::Row`]; in practice never.
    pub fn to_bytes(&self) -> Result<Vec<u8>, StoreError> {
        let stored = Stored {
            updated_s: self.updated_s,
            groups: [&self.profile, &self.session].map(|group| group.stored(self.updated_s)),
        };
        let bytes = postcard::to_extend(&stored, vec![VERSION]).map_err(|_| StoreError::Row)?;
        postcard::to_extend(&self.marks, bytes).map_err(|_| StoreError::Row)
    }

    /// Reads a row.
    ///
    /// # Errors
    /// [`StoreError::Row`] when the bytes are of another version or damaged.
    pub fn from_bytes(bytes: &[u8]) -> Result<Self, StoreError> {
        let (&version, body) = bytes.split_first().ok_or(StoreError::Row)?;
        let (stored, rest) = postcard::take_from_bytes::<Stored>(body).map_err(|_| StoreError::Row)?;
        let marks = match version {
            VERSION => postcard::from_bytes(rest).map_err(|_| StoreError::Row)?,
            WITHOUT_MARKS => Vec::new(),
            _ => return Err(StoreError::Row),
        };
        let [profile, session] = stored.groups.map(|items| Group {
            items: items.into_iter().map(|item| item.restore(stored.updated_s)).collect(),
        });
        Ok(Self { updated_s: stored.updated_s, profile, session, marks })
    }
}

impl Group {
    fn stored(&self, updated_s: i64) -> Vec<StoredItem> {
        let store = |history: &ItemHistory| StoredItem {
            item: history.item.clone(),
            kind: history.kind,
            count: history.count,
            since_last_s: updated_s.wrapping_sub(history.last_s()),
            span_s: history.last_s().abs_diff(history.first_s),
            steps_s: history
                .recent_s
                .iter()
                .zip(history.recent_s.iter().skip(1))
                .map(|(a, b)| a.abs_diff(*b))
                .collect(),
        };
        self.items.iter().map(store).collect()
    }
}

impl StoredItem {
    fn restore(self, updated_s: i64) -> ItemHistory {
        let last_s = updated_s.wrapping_sub(self.since_last_s);
        let mut recent_s = Vec::with_capacity(self.steps_s.len() + 1);
        let mut time = last_s;
        recent_s.push(time);
        for step in self.steps_s {
            time = time.saturating_sub_unsigned(step);
            recent_s.push(time);
        }
        let first_s = last_s.saturating_sub_unsigned(self.span_s);
        ItemHistory { item: self.item, kind: self.kind, count: self.count, first_s, recent_s }
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn history() -> impl Strategy<Value = ItemHistory> {
        let kind = prop::sample::select(vec![Kind::View, Kind::Basket, Kind::Purchase]);
        let events = prop::collection::vec((kind, 0i64..2_000_000_000), 1..40);
        ("[0-9]{1,9}", events).prop_map(|(item, events)| {
            let ((kind, time), rest) = (events[0], &events[1..]);
            let mut history = ItemHistory::begin(&item, kind, time);
            rest.iter().for_each(|&(kind, time)| history.add(kind, time));
            history
        })
    }

    proptest! {
        #[test]
        fn a_row_survives(items in prop::collection::vec(history(), 0..20), updated_s in 0i64..2_000_000_000) {
            let row = Row { updated_s, profile: Group { items: items.clone() }, session: Group { items }, marks: vec![[7; 8]; 3] };
            prop_assert_eq!(Row::from_bytes(&row.to_bytes().unwrap()).unwrap(), row);
        }

        #[test]
        fn a_row_of_version_1_is_read(items in prop::collection::vec(history(), 0..20), updated_s in 0i64..2_000_000_000) {
            let row = Row { updated_s, profile: Group { items }, ..Row::default() };
            let mut bytes = row.to_bytes().unwrap();
            prop_assert_eq!(bytes.pop(), Some(0));
            bytes[0] = WITHOUT_MARKS;
            prop_assert_eq!(Row::from_bytes(&bytes).unwrap(), row);
        }

        #[test]
        fn histories_of_an_item_join_as_if_they_were_one(events in prop::collection::vec(0i64..1_000, 2..40), at in 1usize..39) {
            let at = at.min(events.len() - 1);
            let of = |times: &[i64]| {
                let mut history = ItemHistory::begin("1", Kind::View, times[0]);
                times[1..].iter().for_each(|&time| history.add(Kind::View, time));
                history
            };
            prop_assert_eq!(of(&events[..at]).joined(&of(&events[at..])), of(&events));
        }

        #[test]
        fn the_newest_events_are_kept_whatever_their_order(mut times in prop::collection::vec(0i64..1_000, 1..60)) {
            let mut history = ItemHistory::begin("1", Kind::View, times[0]);
            times[1..].iter().for_each(|&time| history.add(Kind::View, time));
            times.sort_by(|a, b| b.cmp(a));
            prop_assert_eq!(history.count as usize, times.len());
            prop_assert_eq!(history.first_s, *times.last().unwrap());
            times.truncate(RECENT_MAX);
            prop_assert_eq!(&history.recent_s, &times);
        }

        #[test]
        fn any_bytes_are_read_or_refused(bytes in prop::collection::vec(any::<u8>(), 0..200)) {
            let _ = Row::from_bytes(&bytes);
            let _ = Row::from_bytes(&[&[VERSION], bytes.as_slice()].concat());
        }
    }

    #[test]
    fn debug_shows_nothing() {
        let row = Row {
            profile: Group { items: vec![ItemHistory::begin("4711", Kind::View, 3)] },
            ..Row::default()
        };
        assert_eq!(format!("{row:?}"), "Row(redacted)");
    }
}
