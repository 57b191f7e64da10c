//! One shopper's items while the file is read, bounded: a row without end, a robot's say, would take the memory of the
//! import and then the time of each of its requests.

use std::collections::HashMap;

use crate::features::{ITEMS_MAX, ItemHistory, Kind};

/// The items, and how many events of dropped ones there were.
#[derive(Default)]
pub(super) struct Items {
    by_id: HashMap<Box<str>, ItemHistory>,
    dropped: u64,
}

impl Items {
    /// Takes in an event. With twice as many items as are kept, those whose last event is longest ago go; one that
    /// comes again after that begins anew. In a file in order of time only items go that would go at its end as well.
    pub(super) fn add(&mut self, item: &str, kind: Kind, time_s: i64) {
        if let Some(history) = self.by_id.get_mut(item) {
            history.add(kind, time_s);
            return;
        }
        if self.by_id.len() >= 2 * ITEMS_MAX {
            self.keep_latest();
        }
        self.by_id.insert(item.into(), ItemHistory::begin(item, kind, time_s));
    }

    /// Keeps the latest items only; returns how many events were dropped in all.
    pub(super) fn settle(&mut self) -> u64 {
        self.keep_latest();
        self.dropped
    }

    /// The histories by item id.
    pub(super) fn into_sorted(self) -> Vec<ItemHistory> {
        let mut items: Vec<ItemHistory> = self.by_id.into_values().collect();
        items.sort_unstable_by(|a, b| a.item.cmp(&b.item));
        items
    }

    /// Ties go to the smaller id, so that an import can be repeated.
    fn keep_latest(&mut self) {
        let Some(surplus) = self.by_id.len().checked_sub(ITEMS_MAX).filter(|&surplus| surplus > 0) else {
            return;
        };
        let mut order: Vec<(i64, Box<str>)> =
            self.by_id.iter().map(|(item, history)| (history.last_s(), item.clone())).collect();
        order.sort_unstable_by(|(a, first), (b, second)| a.cmp(b).then(second.cmp(first)));
        for (_, item) in order.into_iter().take(surplus) {
            self.dropped += self.by_id.remove(&item).map_or(0, |history| u64::from(history.count));
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_shopper_without_end_is_bounded_and_every_event_is_accounted_for() {
        let (mut items, all) = (Items::default(), 5 * ITEMS_MAX as i64);
        for number in 0..all {
            items.add(&number.to_string(), Kind::View, number);
            items.add("always", Kind::View, number);
            assert!(items.by_id.len() <= 2 * ITEMS_MAX);
        }
        let dropped = items.settle();
        let kept = items.into_sorted();
        assert_eq!(kept.len(), ITEMS_MAX);
        let events: u64 = kept.iter().map(|history| u64::from(history.count)).sum();
        assert_eq!(events + dropped, 2 * all as u64);
        let oldest = all - ITEMS_MAX as i64 + 1;
        assert!(kept.iter().all(|history| history.item == "always".into() || history.first_s >= oldest));
        assert!(
            kept.iter().any(|history| history.item == "always".into() && i64::from(history.count) == all)
        );
    }
}
