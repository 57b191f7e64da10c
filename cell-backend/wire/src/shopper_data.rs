//! What a shopper can ask of what is kept about them: a copy, and its end.

use std::fmt;

use base64::Engine as _;
use base64::engine::general_purpose::URL_SAFE_NO_PAD as BASE64URL;
use serde::{Deserialize, Serialize};

/// Which part of a row an item is in.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Group {
    /// What imports brought.
    Profile,
    /// What events brought.
    Session,
}

/// Where the next page of an export begins: after this item. Opaque to clients. Its `Debug` shows nothing of it.
#[derive(Clone, PartialEq, Eq)]
pub struct PageToken {
    /// The group of the last item that was given.
    pub group: Group,
    /// Its id.
    pub item: String,
}

impl PageToken {
    /// Longest token in characters.
    const MAX: usize = 128;

    /// The token's text, base64url.
    pub fn text(&self) -> String {
        let group = match self.group {
            Group::Profile => b'p',
            Group::Session => b's',
        };
        let mut bytes = vec![group];
        bytes.extend_from_slice(self.item.as_bytes());
        BASE64URL.encode(bytes)
    }

    /// Reads a token; none when it is none that a cell gave.
    pub fn parse(text: &str) -> Option<Self> {
        if text.len() > Self::MAX {
            return None;
        }
        let bytes = BASE64URL.decode(text).ok()?;
        let (group, item) = bytes.split_first()?;
        let group = match group {
            b'p' => Group::Profile,
            b's' => Group::Session,
            _ => return None,
        };
        Some(Self { group, item: str::from_utf8(item).ok()?.to_owned() })
    }
}

impl fmt::Debug for PageToken {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("PageToken(redacted)")
    }
}

/// What is kept of one shopper and one item.
#[derive(Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ExportItem {
    /// The part of the row.
    pub group: Group,
    /// The item's id.
    pub item: String,
    /// The strongest kind so far: `view`, `basket`, `purchase`.
    pub kind: String,
    /// Number of events.
    pub count: u32,
    /// Time of the first one, seconds since 1970.
    pub first_s: i64,
    /// Times of the latest ones, newest first.
    pub recent_s: Vec<i64>,
}

impl fmt::Debug for ExportItem {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("ExportItem(redacted)")
    }
}

/// One page of an export.
#[derive(Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ExportPage {
    /// The cell that keeps it.
    pub cell: String,
    /// When it was last brought up to date, seconds since 1970; left out when nothing is kept.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub updated_s: Option<i64>,
    /// How many ids of events are remembered, so that none is counted twice.
    pub event_ids: u32,
    /// When the shopper was last erased here, seconds since 1970; left out when never.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub erased_s: Option<i64>,
    /// The items, by group and id.
    pub items: Vec<ExportItem>,
    /// The next page's token: `?page=`; left out on the last one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub next: Option<String>,
}

impl fmt::Debug for ExportPage {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "ExportPage({} items)", self.items.len())
    }
}

/// How far an erasure is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum ErasureState {
    /// Nothing is kept any more, in any cell that could have had it.
    Complete,
    /// Some cell still has to follow.
    Pending,
}

/// The answer to an erasure.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ErasureAnswer {
    /// The cell that erased.
    pub cell: String,
    /// How far it is.
    pub state: ErasureState,
    /// The cells that still have to follow.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub pending: Vec<String>,
    /// What is older than this is never taken in again, seconds since 1970.
    pub erased_s: i64,
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    proptest! {
        #[test]
        fn a_token_survives_and_any_text_is_read_or_refused(item in "\\PC{0,16}", text in "\\PC{0,200}") {
            let token = PageToken { group: Group::Session, item };
            prop_assert_eq!(PageToken::parse(&token.text()), Some(token));
            let _ = PageToken::parse(&text);
        }
    }
}
