//! What popularity knows: which list and which route manifest stands in which row, and until when the lists hold.

use crate::bytes::{record, table};

/// The popularity component's table.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Lists {
    /// Seconds since 1970 from which on lists are flagged as stale.
    pub not_after: i64,
    /// The rows of the lists, ordered by [`ListKey::key`].
    pub rows: Vec<ListKey>,
    /// The rows of the route manifests; none for an edge that was built without.
    pub routes: Vec<RouteKey>,
}

impl Lists {
    /// The row of a list.
    #[must_use]
    pub fn row(&self, locale: u16, slot: u16) -> Option<u32> {
        let at = self.rows.binary_search_by_key(&(locale, slot), ListKey::key).ok()?;
        self.rows.get(at).map(|key| key.row)
    }

    /// The row of a class's route manifest. There are a handful.
    #[must_use]
    pub fn route(&self, class: u16) -> Option<u32> {
        self.routes.iter().find(|key| key.class == class).map(|key| key.row)
    }
}

impl ListKey {
    /// What the rows are ordered by: a large retailer has thousands of lists, and every request looks for one.
    #[must_use]
    pub fn key(&self) -> (u16, u16) {
        (self.locale, self.slot)
    }
}

/// Where a list stands.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ListKey {
    /// The locale's number.
    pub locale: u16,
    /// The slot's number.
    pub slot: u16,
    /// The row that holds the [`ListPage`].
    pub row: u32,
}

/// One list, ready to be sent: `head`, then `true` or `false` for *stale*, then `tail` are its JSON.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct ListPage {
    /// The entity tag's text without quotes (RFC 9110, section 8.8.3); that of the stale variant ends in `-stale`.
    pub etag: String,
    /// The JSON up to the flag.
    pub head: String,
    /// The JSON after the flag.
    pub tail: String,
}

/// Where a class's route manifest stands.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RouteKey {
    /// The class's number.
    pub class: u16,
    /// The row that holds the [`RoutePage`].
    pub row: u32,
}

/// A route manifest, ready to be sent.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct RoutePage {
    /// The entity tag's text without quotes (RFC 9110, section 8.8.3).
    pub etag: String,
    /// The signed envelope's JSON.
    pub body: String,
}

record!(Lists { not_after, rows, routes });
record!(ListKey { locale, slot, row });
record!(ListPage { etag, head, tail });
record!(RouteKey { class, row });
record!(RoutePage { etag, body });
table!(Lists);
table!(ListPage);
table!(RoutePage);

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    proptest! {
        #[test]
        fn lists_are_read_as_written(
            not_after: i64,
            rows in prop::collection::vec((any::<u16>(), any::<u16>(), any::<u32>()), 0..9),
            routes in prop::collection::vec((any::<u16>(), any::<u32>()), 0..9),
        ) {
            let rows = rows.into_iter().map(|(locale, slot, row)| ListKey { locale, slot, row }).collect();
            let routes = routes.into_iter().map(|(class, row)| RouteKey { class, row }).collect();
            let table = Lists { not_after, rows, routes };
            prop_assert_eq!(Lists::decode(&table.encode()), Ok(table));
        }

        #[test]
        fn a_list_is_found_among_many(keys in prop::collection::btree_set((0..40u16, 0..40u16), 0..60)) {
            let rows = (1u32..).zip(&keys).map(|(row, &(locale, slot))| ListKey { locale, slot, row }).collect();
            let table = Lists { rows, ..Lists::default() };
            for (row, &(locale, slot)) in (1u32..).zip(&keys) {
                prop_assert_eq!(table.row(locale, slot), Some(row));
            }
            for (locale, slot) in (0..40u16).flat_map(|locale| (0..40u16).map(move |slot| (locale, slot))) {
                prop_assert_eq!(table.row(locale, slot).is_some(), keys.contains(&(locale, slot)));
            }
        }

        #[test]
        fn pages_are_read_as_written(etag in "[a-f0-9]{0,16}", head: String, tail: String) {
            let route = RoutePage { etag: etag.clone(), body: head.clone() };
            prop_assert_eq!(RoutePage::decode(&route.encode()), Ok(route));
            let page = ListPage { etag, head, tail };
            prop_assert_eq!(ListPage::decode(&page.encode()), Ok(page));
        }

        #[test]
        fn no_bytes_make_the_reader_panic(bytes: Vec<u8>) {
            let _ = (Lists::decode(&bytes), ListPage::decode(&bytes), RoutePage::decode(&bytes));
        }
    }
}
