//! The overlay, as far as the edge serves it: the popularity lists.
//!
//! It comes as a DSSE envelope and is refused at build when it is unsigned, stale, or not complete for the topology:
//! every locale has a list for every slot, of exactly the slot's length, so that no size tells two pages apart.

use std::collections::BTreeMap;

use domicile_envelope::{Envelope, EnvelopeError, VerifyingKey};
use domicile_topology::Topology;
use serde::{Deserialize, Serialize};

/// The payload type of an overlay's envelope.
pub const OVERLAY_TYPE: &str = "application/vnd.domicile.overlay+json";

/// The version of the payload this build reads.
const VERSION: u32 = 1;

/// An overlay whose signature, age and completeness have been checked.
#[derive(Debug, Clone)]
pub struct Overlay {
    /// Its id: the hash of its payload.
    pub id: String,
    /// When its lists become stale, as text.
    pub not_after: String,
    /// The same in seconds since 1970.
    pub not_after_seconds: i64,
    /// The lists, by locale and slot.
    pub lists: BTreeMap<(String, String), Vec<Item>>,
}

/// An item of a list: what a page needs to show it. Prices are not part of it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Item {
    /// The item's id.
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

/// Why an overlay is refused.
#[derive(Debug, thiserror::Error)]
pub enum OverlayError {
    /// Not an envelope, unsigned, or signed by another key.
    #[error("the overlay is not trusted")]
    Untrusted(#[from] EnvelopeError),
    /// The payload is not an overlay.
    #[error("the overlay's payload cannot be read")]
    Payload(#[from] serde_json::Error),
    /// The payload is of a version this build does not know.
    #[error("the overlay has version {0}; this build reads version {VERSION}")]
    Version(u32),
    /// Its time is not a time.
    #[error("the overlay's not_after {0:?} is not an RFC 3339 time")]
    Time(String),
    /// Its time is over.
    #[error("the overlay is stale: its lists held until {0}")]
    Stale(String),
    /// A list is missing.
    #[error("the overlay has no list for locale {locale:?} and slot {slot:?}")]
    Missing {
        /// The locale without one.
        locale: String,
        /// The slot without one.
        slot: String,
    },
    /// A list has another length than its slot.
    #[error(
        "the overlay's list for locale {locale:?} and slot {slot:?} has {found} items; the slot holds {wanted}"
    )]
    Length {
        /// The list's locale.
        locale: String,
        /// The list's slot.
        slot: String,
        /// How many items it has.
        found: usize,
        /// How many the slot holds.
        wanted: u16,
    },
}

/// The payload. What only cells read of it is not looked at here.
#[derive(Deserialize)]
struct Payload {
    version: u32,
    not_after: String,
    locales: BTreeMap<String, Locale>,
}

#[derive(Deserialize)]
struct Locale {
    lists: BTreeMap<String, Vec<Item>>,
}

impl Overlay {
    /// Opens an envelope for this topology, at this time in seconds since 1970.
    ///
    /// # Errors
    /// When a key of `trusted` has not signed it, when its time is over, or when a list is missing or has the wrong length.
    pub fn open(
        envelope: &str,
        trusted: &[VerifyingKey],
        topology: &Topology,
        now: i64,
    ) -> Result<Self, OverlayError> {
        let bytes = Envelope::parse(envelope)?.verify(OVERLAY_TYPE, trusted)?;
        let payload: Payload = serde_json::from_slice(&bytes)?;
        if payload.version != VERSION {
            return Err(OverlayError::Version(payload.version));
        }
        let Ok(until) = payload.not_after.parse::<jiff::Timestamp>() else {
            return Err(OverlayError::Time(payload.not_after));
        };
        if until.as_second() <= now {
            return Err(OverlayError::Stale(payload.not_after));
        }
        Ok(Self {
            id: format!("sha256:{}", crate::sha256_hex(&bytes)),
            not_after_seconds: until.as_second(),
            not_after: payload.not_after,
            lists: lists(payload.locales, topology)?,
        })
    }
}

fn lists(
    mut locales: BTreeMap<String, Locale>,
    topology: &Topology,
) -> Result<BTreeMap<(String, String), Vec<Item>>, OverlayError> {
    let mut lists = BTreeMap::new();
    for locale in &topology.locales {
        let mut of_locale = locales.remove(&locale.name).map(|found| found.lists).unwrap_or_default();
        for slot in &topology.slots {
            let (locale, slot_name) = (locale.name.clone(), slot.name.clone());
            let Some(items) = of_locale.remove(&slot.name) else {
                return Err(OverlayError::Missing { locale, slot: slot_name });
            };
            if items.len() != usize::from(slot.items) {
                let (found, wanted) = (items.len(), slot.items);
                return Err(OverlayError::Length { locale, slot: slot_name, found, wanted });
            }
            lists.insert((locale, slot_name), items);
        }
    }
    Ok(lists)
}
