//! The payload's form, version 1.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt;
use std::marker::PhantomData;

use domicile_nearest::with_nearest;
use serde::de::{Error as _, MapAccess, Visitor};
use serde::{Deserialize, Deserializer, Serialize};

use crate::{OverlayError, VERSION};

/// The payload.
#[derive(Deserialize)]
#[serde(deny_unknown_fields, expecting = "an overlay, an object")]
pub(crate) struct Document {
    #[serde(rename = "version")]
    _version: u64,
    /// For whoever reads the file.
    #[serde(rename = "name", default)]
    _name: String,
    pub(crate) vocabulary: String,
    pub(crate) not_after: String,
    #[serde(deserialize_with = "unique")]
    pub(crate) slots: BTreeMap<String, u16>,
    #[serde(deserialize_with = "unique")]
    pub(crate) locales: BTreeMap<String, LocaleDocument>,
}

/// One locale of it.
#[derive(Deserialize)]
#[serde(deny_unknown_fields, expecting = "a locale, an object with lists")]
pub(crate) struct LocaleDocument {
    #[serde(default)]
    pub(crate) deny_categories: BTreeSet<String>,
    #[serde(default)]
    pub(crate) deny_items: BTreeSet<String>,
    #[serde(deserialize_with = "unique")]
    pub(crate) lists: BTreeMap<String, Vec<Item>>,
}

/// An item of a list: what a page needs to show it. Prices are not part of it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, expecting = "an item, an object with id, title, category, image and url")]
pub struct Item {
    /// The item's id in the overlay's vocabulary.
    pub id: String,
    /// Its title.
    pub title: String,
    /// Its category.
    pub category: String,
    /// The path of its image.
    pub image: String,
    /// The path of its page.
    pub url: String,
}

/// All that every version has.
#[derive(Deserialize)]
#[serde(expecting = "an overlay, an object with version, vocabulary, not_after, slots and locales")]
struct Versioned {
    version: u64,
}

/// Reads a payload's form. The version is looked at first: a later version's fields are not typing mistakes.
pub(crate) fn read(payload: &[u8]) -> Result<Document, OverlayError> {
    let Versioned { version } = serde_json::from_slice(payload).map_err(|error| form(&error))?;
    if version != VERSION {
        return Err(OverlayError::Version(version));
    }
    serde_json::from_slice(payload).map_err(|error| form(&error))
}

fn form(error: &serde_json::Error) -> OverlayError {
    let (line, column) = (error.line(), error.column());
    let text = error.to_string();
    let text = text.strip_suffix(&format!(" at line {line} column {column}")).unwrap_or(&text);
    OverlayError::Form { line, column, problem: with_nearest(text) }
}

/// Reads an object that names no key twice. JSON leaves open which one holds (RFC 8259, section 4), and the last one
/// would quietly replace what a locale denies.
fn unique<'de, D, T>(deserializer: D) -> Result<BTreeMap<String, T>, D::Error>
where
    D: Deserializer<'de>,
    T: Deserialize<'de>,
{
    struct Unique<T>(PhantomData<T>);

    impl<'de, T: Deserialize<'de>> Visitor<'de> for Unique<T> {
        type Value = BTreeMap<String, T>;

        fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
            f.write_str("a map")
        }

        fn visit_map<A: MapAccess<'de>>(self, mut access: A) -> Result<Self::Value, A::Error> {
            let mut map = BTreeMap::new();
            while let Some((key, value)) = access.next_entry::<String, T>()? {
                if map.contains_key(&key) {
                    return Err(A::Error::custom(format_args!("{key:?} is given twice")));
                }
                map.insert(key, value);
            }
            Ok(map)
        }
    }

    deserializer.deserialize_map(Unique(PhantomData))
}
