//! From topology, overlay, pins and route manifests to the rows of the three components.

use domicile_envelope::SigningKey;
use domicile_overlay::{Item, Overlay};
use domicile_pin::{EpochPolicy, Pin};
use domicile_tables::{
    CellAddress, ClassRow, ListKey, ListPage, Lists, Named, PinRow, RelayTable, RouteKey, RoutePage,
    RoutingTable, SlotWait, UriScheme,
};
use domicile_topology::{Scheme, Topology};
use serde::Serialize;

use crate::SignedRoute;

// The two sides of each length are written in crates that must not know each other; here they meet.
const _: () =
    assert!(domicile_tables::PIN_TEXT == domicile_pin::TEXT, "the router reads pins of another length");
const _: () =
    assert!(domicile_tables::NAME_MAX == domicile_topology::NAME_MAX, "the router reads shorter names");
const _: () = assert!(longest_route() <= domicile_tables::MAX_PATH, "a route is longer than a path may be");

/// `/v1/sealed/{pin}/{cell}/{locale}/{slot}?strict`, every name as long as a name may be.
const fn longest_route() -> usize {
    "/v1/sealed/".len() + domicile_pin::TEXT + 3 * (1 + domicile_topology::NAME_MAX) + "?strict".len()
}

/// The path of a cell's gateway.
const GATEWAY: &str = "/gateway";
/// The path of a cell's sealing keys.
const KEYS: &str = "/keys";

/// The rows of each component: [`domicile_tables::TABLE_ROW`] first.
#[derive(Debug, Clone)]
pub struct Rows {
    /// The router's.
    pub router: Vec<Vec<u8>>,
    /// Popularity's.
    pub popularity: Vec<Vec<u8>>,
    /// The relay's.
    pub relay: Vec<Vec<u8>>,
}

/// A pin an edge accepts, with the time it holds.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct MintedPin {
    /// The pin.
    pub pin: Pin,
    /// The first minute since 1970 it holds in.
    pub from: u32,
    /// The first minute since 1970 it no longer holds in.
    pub until: u32,
}

/// Mints the pins of every class for the epochs live between two minutes.
#[must_use]
pub fn mint(topology: &Topology, key: &SigningKey, from: u32, until: u32) -> Vec<MintedPin> {
    let policy: EpochPolicy = topology.pin;
    let epochs: Vec<_> = policy.live_between(from, until).collect();
    let of_class = |class: u16| {
        epochs.iter().map(move |&epoch| MintedPin {
            pin: Pin::mint(class, epoch, key),
            from: policy.begins(epoch),
            until: policy.ends(epoch),
        })
    };
    topology.classes.iter().flat_map(|class| of_class(class.id.0)).collect()
}

impl Rows {
    /// The rows of an edge for this topology.
    #[must_use]
    pub fn new(topology: &Topology, overlay: &Overlay, pins: &[MintedPin], routes: &[SignedRoute]) -> Self {
        Self {
            router: vec![routing(topology, pins).encode()],
            popularity: popularity(topology, overlay, routes),
            relay: vec![relay(topology).encode()],
        }
    }
}

fn routing(topology: &Topology, pins: &[MintedPin]) -> RoutingTable {
    let named = |id, name: &String| Named { id, name: name.clone() };
    RoutingTable {
        locales: topology.locales.iter().map(|row| named(row.id.0, &row.name)).collect(),
        slots: topology.slots.iter().map(|row| named(row.id.0, &row.name)).collect(),
        cells: topology.cells.iter().map(|row| named(u16::from(row.id.0), &row.name)).collect(),
        classes: topology
            .classes
            .iter()
            .map(|row| ClassRow {
                id: row.id.0,
                name: row.name.clone(),
                cells: row.cells.iter().map(|cell| cell.cell.0).collect(),
            })
            .collect(),
        pins: pins
            .iter()
            .map(|minted| PinRow {
                class: minted.pin.stated_class(),
                epoch: minted.pin.stated_epoch().0,
                from: minted.from,
                until: minted.until,
                text: minted.pin.to_string(),
            })
            .collect(),
    }
}

fn relay(topology: &Topology) -> RelayTable {
    RelayTable {
        cells: topology
            .cells
            .iter()
            .map(|cell| CellAddress {
                id: cell.id.0,
                scheme: match cell.scheme {
                    Scheme::Http => UriScheme::Http,
                    Scheme::Https => UriScheme::Https,
                },
                authority: cell.authority.clone(),
                path: GATEWAY.to_owned(),
                keys: KEYS.to_owned(),
            })
            .collect(),
        slots: topology
            .slots
            .iter()
            .map(|slot| SlotWait { id: slot.id.0, wait_ms: slot.relay_wait_ms })
            .collect(),
        // A client that has no keys yet asks for them before a page's first sealed request: what the page can wait for
        // a shelf, it can wait for them.
        keys_wait_ms: topology.slots.iter().map(|slot| slot.relay_wait_ms).max().unwrap_or(0),
    }
}

/// The table of lists and manifests, then a row for each list, then one for each manifest.
fn popularity(topology: &Topology, overlay: &Overlay, routes: &[SignedRoute]) -> Vec<Vec<u8>> {
    let mut table = Lists { not_after: overlay.not_after_seconds(), ..Lists::default() };
    let mut pages = Vec::new();
    // Row 0 is the table's: the row pushed last has the number of rows pushed.
    let number = |pages: &[Vec<u8>]| u32::try_from(pages.len()).unwrap_or(u32::MAX);
    for locale in &topology.locales {
        for slot in &topology.slots {
            let Some(items) = overlay.rules(&locale.name).and_then(|rules| rules.list(&slot.name)) else {
                continue;
            };
            pages.push(page(&locale.name, &slot.name, overlay, items).encode());
            table.rows.push(ListKey { locale: locale.id.0, slot: slot.id.0, row: number(&pages) });
        }
    }
    for route in routes {
        let (etag, body) = (tag(&route.envelope), route.envelope.clone());
        pages.push(RoutePage { etag, body }.encode());
        table.routes.push(RouteKey { class: route.class.0, row: number(&pages) });
    }
    table.rows.sort_unstable_by_key(ListKey::key);
    pages.insert(0, table.encode());
    pages
}

/// What stands before the flag that only the edge can set.
#[derive(Serialize)]
struct Head<'a> {
    locale: &'a str,
    slot: &'a str,
    rung: &'a str,
    overlay: &'a str,
    not_after: &'a str,
}

fn page(locale: &str, slot: &str, overlay: &Overlay, items: &[Item]) -> ListPage {
    let head = Head { locale, slot, rung: "list", overlay: overlay.id(), not_after: overlay.not_after() };
    // Texts and lists of texts always have a JSON form.
    let mut head = serde_json::to_string(&head).unwrap_or_default();
    head.truncate(head.len().saturating_sub(1));
    head.push_str(r#","stale":"#);
    let items = serde_json::to_string(items).unwrap_or_default();
    let (head, tail) = (inert(&head), inert(&format!(r#","items":{items}}}"#)));
    ListPage { etag: tag(&format!("{head}{tail}")), head, tail }
}

/// An entity tag's text: half a hash is enough to tell the versions of one page apart.
fn tag(text: &str) -> String {
    crate::sha256_hex(text.as_bytes()).get(..32).unwrap_or_default().to_owned()
}

/// JSON that stays JSON wherever a page puts it: a title must not end the script element it stands in (HTML standard,
/// 13.2.5.15), and U+2028 and U+2029 end a line in scripts written before ES2019. In JSON, none of the three can stand
/// outside a text, so each may be replaced by its escape.
fn inert(json: &str) -> String {
    json.replace('<', "\\u003c").replace('\u{2028}', "\\u2028").replace('\u{2029}', "\\u2029")
}
