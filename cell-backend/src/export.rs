//! Pages of an export: everything that is kept of one shopper, in pieces that fit an answer.
//!
//! A page begins after the last item of the one before, by group and id, so that what changes meanwhile leaves nothing
//! out that was there all the time and gives nothing twice.

use domicile_wire::{ExportItem, ExportPage, Group, PageToken};

use crate::features::{ItemHistory, Kept, Kind, Row};

/// Bytes of a page beside its items: the other fields, the next page's token, and the commas.
const AROUND: usize = 512;

/// The page of `kept` that begins after `after`, in at most `room` bytes of JSON; one item at least.
pub(crate) fn page(cell: &str, kept: &Kept, after: Option<&PageToken>, room: usize) -> ExportPage {
    let row = kept.row.as_ref();
    let mut page = ExportPage {
        cell: cell.to_owned(),
        updated_s: row.map(|row| row.updated_s),
        event_ids: row.map_or(0, |row| u32::try_from(row.marks.len()).unwrap_or(u32::MAX)),
        erased_s: kept.erased_s,
        items: Vec::new(),
        next: None,
    };
    let mut left = room.saturating_sub(AROUND);
    for (group, history) in row.map(in_order).unwrap_or_default() {
        if after.is_some_and(|after| (group, &*history.item) <= (after.group, after.item.as_str())) {
            continue;
        }
        let item = item(group, history);
        let length = serde_json::to_vec(&item).map_or(0, |bytes| bytes.len() + 1);
        if length > left && !page.items.is_empty() {
            let last = page.items.last();
            page.next = last.map(|last| PageToken { group: last.group, item: last.item.clone() }.text());
            break;
        }
        left = left.saturating_sub(length);
        page.items.push(item);
    }
    page
}

fn in_order(row: &Row) -> Vec<(Group, &ItemHistory)> {
    let profile = row.profile.items.iter().map(|item| (Group::Profile, item));
    let session = row.session.items.iter().map(|item| (Group::Session, item));
    let mut all: Vec<_> = profile.chain(session).collect();
    all.sort_by(|(a, first), (b, second)| a.cmp(b).then_with(|| first.item.cmp(&second.item)));
    all
}

fn item(group: Group, history: &ItemHistory) -> ExportItem {
    let kind = match history.kind {
        Kind::View => "view",
        Kind::Basket => "basket",
        Kind::Purchase => "purchase",
    };
    ExportItem {
        group,
        item: history.item.to_string(),
        kind: kind.to_owned(),
        count: history.count,
        first_s: history.first_s,
        recent_s: history.recent_s.clone(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::features::Group as RowGroup;

    #[test]
    fn pages_fit_and_together_they_are_everything_once() {
        let history = |n: i64| {
            let mut history = ItemHistory::begin(&format!("{n}{}", "x".repeat(50)), Kind::Basket, n);
            (0..20).for_each(|at| history.add(Kind::View, 1_700_000_000 + at));
            history
        };
        let row = Row {
            updated_s: 9,
            profile: RowGroup { items: (0..300).map(history).collect() },
            session: RowGroup { items: (0..40).rev().map(history).collect() },
            marks: vec![[1; 8]; 40],
        };
        let kept = Kept { row: Some(row), erased_s: Some(3) };
        let (mut after, mut seen, mut pages) = (None, Vec::new(), 0);
        loop {
            let page = page("eu-a", &kept, after.as_ref(), 4_096);
            assert!(serde_json::to_vec(&page).unwrap().len() <= 4_096);
            assert_eq!((page.updated_s, page.event_ids, page.erased_s), (Some(9), 40, Some(3)));
            seen.extend(page.items.iter().map(|item| (item.group, item.item.clone())));
            pages += 1;
            let Some(next) = page.next else { break };
            after = Some(PageToken::parse(&next).unwrap());
        }
        assert!(pages > 10 && seen.is_sorted());
        seen.dedup();
        assert_eq!(seen.len(), 340);
        let nothing = page("eu-a", &Kept::default(), None, 4_096);
        assert_eq!((nothing.items.len(), nothing.next, nothing.updated_s), (0, None, None));
    }
}
