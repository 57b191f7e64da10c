//! What popularity knows: which list stands in which row, and until when the lists hold.

use crate::bytes::{record, table};

/// The popularity component's table.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Lists {
    /// Seconds since 1970 from which on lists are flagged as stale.
    pub not_after: i64,
    /// The rows of the lists.
    pub rows: Vec<ListKey>,
}

impl Lists {
    /// The row of a list.
    #[must_use]
    pub fn row(&self, locale: u16, slot: u16) -> Option<u32> {
        self.rows.iter().find(|key| key.locale == locale && key.slot == slot).map(|key| key.row)
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

record!(Lists { not_after, rows });
record!(ListKey { locale, slot, row });
record!(ListPage { etag, head, tail });
table!(Lists);
table!(ListPage);

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    proptest! {
        #[test]
        fn lists_are_read_as_written(
            not_after: i64,
            rows in prop::collection::vec((any::<u16>(), any::<u16>(), any::<u32>()), 0..9),
        ) {
            let rows = rows.into_iter().map(|(locale, slot, row)| ListKey { locale, slot, row }).collect();
            let table = Lists { not_after, rows };
            prop_assert_eq!(Lists::decode(&table.encode()), Ok(table));
        }

        #[test]
        fn pages_are_read_as_written(etag in "[a-f0-9]{0,16}", head: String, tail: String) {
            let page = ListPage { etag, head, tail };
            prop_assert_eq!(ListPage::decode(&page.encode()), Ok(page));
        }

        #[test]
        fn no_bytes_make_the_reader_panic(bytes: Vec<u8>) {
            let _ = (Lists::decode(&bytes), ListPage::decode(&bytes));
        }
    }
}
