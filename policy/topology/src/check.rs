//! Every check between the file's form and a sound [`Topology`]. All problems are collected.

use std::collections::BTreeSet;
use std::net::IpAddr;

use domicile_envelope::is_published;
use domicile_nearest::nearest;
use domicile_pin::EpochPolicy;

use crate::file::{CellTable, ClassTable, File, KeyTable, LocaleTable, SlotTable};
use crate::{
    Boundary, Cell, CellId, Class, ClassCell, ClassId, Clocks, Key, KeyUse, Locale, LocaleId, Problem,
    Scheme, Slot, SlotId, Topology, TopologyError, Transport, Trust,
};

/// Longest name that may stand in a path, in bytes.
pub const NAME_MAX: usize = 32;
/// Highest weight of a cell in a class; the home hash draws once per unit.
const WEIGHT_MAX: u32 = 100;
/// Most items a slot may ask for.
const ITEMS_MAX: u16 = 100;

pub(crate) fn check(file: File) -> Result<Topology, TopologyError> {
    let mut found = Problems::default();
    let boundaries: Vec<Boundary> =
        file.boundary.into_iter().map(|b| Boundary { name: b.name, countries: b.countries }).collect();
    found.names("boundary", boundaries.iter().map(|b| b.name.as_str()));
    for country in boundaries.iter().flat_map(|b| &b.countries) {
        found.country("boundary", country);
    }

    found.ids("cell", file.cell.iter().map(|c| c.id.into()));
    found.names("cell", file.cell.iter().map(|c| c.name.as_str()));
    let cells: Vec<Cell> = file.cell.into_iter().map(|c| found.cell(c, &boundaries)).collect();
    found.authorities(&cells);

    found.ids("class", file.class.iter().map(|c| c.id));
    found.names("class", file.class.iter().map(|c| c.name.as_str()));
    let classes: Vec<Class> = file.class.into_iter().map(|c| found.class(c, &boundaries, &cells)).collect();

    found.ids("locale", file.locale.iter().map(|l| l.id));
    found.names("locale", file.locale.iter().map(|l| l.name.as_str()));
    let locales: Vec<Locale> = file.locale.into_iter().map(|l| found.locale(l, &classes)).collect();

    found.ids("slot", file.slot.iter().map(|s| s.id));
    found.names("slot", file.slot.iter().map(|s| s.name.as_str()));
    let clocks = Clocks {
        page_limit_ms: file.clocks.page_limit_ms,
        cell_budget_ms: file.clocks.cell_budget_ms,
        rtt_ms: file.clocks.rtt_ms,
    };
    let slots: Vec<Slot> = file.slot.into_iter().map(|s| found.slot(&s, clocks)).collect();

    let keys: Vec<Key> = file.key.iter().enumerate().filter_map(|(at, key)| found.key(at, key)).collect();
    found.cell_keys(&keys, &cells);
    found.demo_keys(&keys, &cells);
    for (what, is_empty) in
        [("locale", locales.is_empty()), ("slot", slots.is_empty()), ("class", classes.is_empty())]
    {
        if is_empty {
            found.add(what, format!("none is defined; write at least one [[{what}]]"));
        }
    }
    if !keys.iter().any(|k| k.purpose == KeyUse::Pin) {
        found.add("key", "no key of use \"pin\": nobody could make a pin (`domicile key sign new`)");
    }
    if file.pin.epoch_minutes == 0 || file.pin.overlap_minutes >= file.pin.epoch_minutes {
        found.add("pin", "epoch_minutes has to be at least 1 and longer than overlap_minutes");
    }
    let pin =
        EpochPolicy { epoch_minutes: file.pin.epoch_minutes, overlap_minutes: file.pin.overlap_minutes };
    found.finish(Topology {
        serial: file.serial,
        clocks,
        pin,
        boundaries,
        cells,
        classes,
        locales,
        slots,
        keys,
    })
}

#[derive(Default)]
pub(crate) struct Problems(Vec<Problem>);

impl Problems {
    pub(crate) fn add(&mut self, place: impl Into<String>, text: impl Into<String>) {
        self.0.push(Problem { place: place.into(), text: text.into() });
    }

    fn finish(self, topology: Topology) -> Result<Topology, TopologyError> {
        if self.0.is_empty() { Ok(topology) } else { Err(TopologyError { problems: self.0 }) }
    }

    fn ids(&mut self, what: &str, ids: impl Iterator<Item = u16>) {
        let mut seen = BTreeSet::new();
        for id in ids {
            if !seen.insert(id) {
                self.add(what, format!("id {id} is given twice; ids are for ever, take a fresh one"));
            }
        }
    }

    fn names<'a>(&mut self, what: &str, names: impl Iterator<Item = &'a str>) {
        let mut seen = BTreeSet::new();
        for name in names {
            let sound = |b: u8| b.is_ascii_alphanumeric() || b == b'-' || b == b'_';
            if name.is_empty() || name.len() > NAME_MAX || !name.bytes().all(sound) {
                self.add(
                    format!("{what} {name:?}"),
                    format!("a name stands in paths: 1 to {NAME_MAX} of A-Z a-z 0-9 - _"),
                );
            }
            if !seen.insert(name) {
                self.add(format!("{what} {name:?}"), "the name is given twice");
            }
        }
    }

    /// Two cells behind one address would have one boundary's requests sent into the other.
    fn authorities(&mut self, cells: &[Cell]) {
        let mut seen = BTreeSet::new();
        for cell in cells {
            if !seen.insert(one_spelling(&cell.authority)) {
                self.add(
                    format!("cell {:?}: authority", cell.name),
                    format!(
                        "{:?} is another cell's already, whatever its spelling; every cell has its own",
                        cell.authority
                    ),
                );
            }
        }
    }

    fn country(&mut self, place: &str, code: &str) {
        if code.len() != 2 || !code.bytes().all(|b| b.is_ascii_uppercase()) {
            self.add(place, format!("{code:?} is no ISO 3166-1 alpha-2 code such as \"DE\""));
        }
    }

    fn boundary(&mut self, place: &str, name: &str, boundaries: &[Boundary]) {
        if !boundaries.iter().any(|b| b.name == name) {
            self.add(place, unknown("boundary", name, boundaries.iter().map(|b| b.name.as_str())));
        }
    }

    fn cell(&mut self, cell: CellTable, boundaries: &[Boundary]) -> Cell {
        let place = format!("cell {:?}", cell.name);
        self.boundary(&place, &cell.boundary, boundaries);
        self.country(&place, &cell.jurisdiction);
        match host_of(&cell.authority) {
            None => self.add(
                format!("{place}: authority"),
                format!("{:?} is not `host:port` (no scheme, path or credentials)", cell.authority),
            ),
            Some(host) if cell.scheme == Scheme::Http && !is_loopback(host) => self
                .add(format!("{place}: scheme"), "plain http is for loopback only; write scheme = \"https\""),
            Some(_) => {}
        }
        let signing_key =
            cell.signing_key.and_then(|jwk| self.public_key(&format!("{place}: signing_key"), &jwk));
        let next_signing_key = cell
            .next_signing_key
            .and_then(|jwk| self.public_key(&format!("{place}: next_signing_key"), &jwk));
        if next_signing_key.is_some() && signing_key.is_none() {
            self.add(
                format!("{place}: next_signing_key"),
                "follows a signing_key, and there is none; write it as signing_key",
            );
        }
        let transport = cell.direct.map_or(Transport::Relay, |origin| self.direct(&place, origin));
        Cell {
            id: CellId(cell.id),
            name: cell.name,
            boundary: cell.boundary,
            site: cell.site,
            operator: cell.operator,
            jurisdiction: cell.jurisdiction,
            scheme: cell.scheme,
            authority: cell.authority,
            signing_key,
            next_signing_key,
            transport,
        }
    }

    fn class(&mut self, class: ClassTable, boundaries: &[Boundary], cells: &[Cell]) -> Class {
        let place = format!("class {:?}", class.name);
        for boundary in &class.boundaries {
            self.boundary(&place, boundary, boundaries);
        }
        let mut members = Vec::new();
        for member in class.cells {
            let Some(cell) = cells.iter().find(|c| c.name == member.cell) else {
                self.add(&place, unknown("cell", &member.cell, cells.iter().map(|c| c.name.as_str())));
                continue;
            };
            if !class.boundaries.contains(&cell.boundary) {
                self.add(
                    &place,
                    format!(
                        "cell {:?} stands in {:?}, which the class does not allow",
                        cell.name, cell.boundary
                    ),
                );
            }
            if !(1..=WEIGHT_MAX).contains(&member.weight) {
                self.add(&place, format!("cell {:?}: weight is 1 to {WEIGHT_MAX}", cell.name));
            }
            if members.iter().any(|m: &ClassCell| m.cell == cell.id) {
                self.add(&place, format!("cell {:?} is listed twice", cell.name));
            }
            members.push(ClassCell { cell: cell.id, weight: member.weight.min(WEIGHT_MAX) });
        }
        Class {
            id: ClassId(class.id),
            name: class.name,
            boundaries: class.boundaries,
            cells: members,
            on_exhaustion: class.on_exhaustion,
        }
    }

    fn locale(&mut self, locale: LocaleTable, classes: &[Class]) -> Locale {
        let class = classes.iter().find(|c| c.name == locale.class).map(|c| c.id);
        if class.is_none() {
            self.add(
                format!("locale {:?}", locale.name),
                unknown("class", &locale.class, classes.iter().map(|c| c.name.as_str())),
            );
        }
        Locale { id: LocaleId(locale.id), name: locale.name, class: class.unwrap_or(ClassId(0)) }
    }

    fn slot(&mut self, slot: &SlotTable, clocks: Clocks) -> Slot {
        let place = format!("slot {:?}", slot.name);
        if !(1..=ITEMS_MAX).contains(&slot.items) {
            self.add(&place, format!("items is 1 to {ITEMS_MAX}"));
        }
        // Two attempts have to fit into the page's life: the first, and one failover.
        let needed = 2 * (u64::from(slot.relay_wait_ms) + u64::from(clocks.rtt_ms));
        if u64::from(clocks.page_limit_ms) < needed {
            self.add(
                &place,
                format!(
                    "page_limit_ms {} is below 2 × (relay_wait_ms {} + rtt_ms {}) = {needed}; raise the first or lower the second",
                    clocks.page_limit_ms, slot.relay_wait_ms, clocks.rtt_ms
                ),
            );
        }
        if slot.relay_wait_ms < clocks.cell_budget_ms {
            self.add(
                &place,
                format!(
                    "relay_wait_ms {} gives up before the cell's budget of {} ms",
                    slot.relay_wait_ms, clocks.cell_budget_ms
                ),
            );
        }
        Slot {
            id: SlotId(slot.id),
            name: slot.name.clone(),
            items: slot.items,
            relay_wait_ms: slot.relay_wait_ms,
        }
    }

    /// A key has no name: its place is its number in the file's order, from 0, and its use.
    fn key(&mut self, at: usize, key: &KeyTable) -> Option<Key> {
        let verifying =
            self.public_key(&format!("key[{at}] (use {:?}): jwk", key.purpose.as_str()), &key.jwk)?;
        let trust = if is_published(verifying.id()) { Trust::Demo } else { key.trust };
        Some(Key { purpose: key.purpose, trust, key: verifying })
    }

    fn demo_keys(&mut self, keys: &[Key], cells: &[Cell]) {
        let of_a_cell = |cell: &Cell| cell.signing_keys().any(|key| is_published(key.id()));
        if !keys.iter().any(|k| k.trust == Trust::Demo) && !cells.iter().any(of_a_cell) {
            return;
        }
        // An address that is none has been named already.
        let elsewhere = |cell: &&Cell| host_of(&cell.authority).is_some() && !cell.is_on_loopback();
        for cell in cells.iter().filter(elsewhere) {
            self.add(
                format!("cell {:?}", cell.name),
                "published demo keys are good on loopback only; make your own with `domicile key sign new`",
            );
        }
    }
}

impl KeyUse {
    /// The use as it stands in the file.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Root => "root",
            Self::Pin => "pin",
            Self::Overlay => "overlay",
            Self::Snapshot => "snapshot",
            Self::Edge => "edge",
        }
    }
}

fn unknown<'a>(what: &str, name: &str, known: impl Iterator<Item = &'a str>) -> String {
    match nearest(name, known) {
        Some(nearest) => format!("unknown {what} {name:?}; the nearest known one is {nearest:?}"),
        None => format!("unknown {what} {name:?}; no {what} is defined"),
    }
}

/// The host of `host:port` (RFC 3986 §3.2 without userinfo), or none when it is anything else.
pub(crate) fn host_of(authority: &str) -> Option<&str> {
    let (host, port) = authority.rsplit_once(':')?;
    let port_sound = !port.is_empty()
        && port.bytes().all(|b| b.is_ascii_digit())
        && port.parse::<u16>().is_ok_and(|p| p > 0);
    let bracketed = host.strip_prefix('[').and_then(|h| h.strip_suffix(']'));
    let host_sound = match bracketed {
        Some(inner) => inner.parse::<std::net::Ipv6Addr>().is_ok(),
        None => !host.is_empty() && host.bytes().all(|b| b.is_ascii_alphanumeric() || b == b'.' || b == b'-'),
    };
    let host = bracketed.unwrap_or(host);
    (port_sound && host_sound && !is_short_address(host)).then_some(host)
}

/// Whether a resolver takes it for an IPv4 address and this crate does not: `127.1`, `0x7f000001`, `0177.0.0.1` (WHATWG
/// URL, "ends in a number"). Such a name would be judged as if it were none of loopback, nor another cell's.
fn is_short_address(host: &str) -> bool {
    let host = host.strip_suffix('.').unwrap_or(host);
    let last = host.rsplit('.').next().unwrap_or(host);
    let is_number = |digits: &str| !digits.is_empty() && digits.bytes().all(|b| b.is_ascii_digit());
    let is_hex = |last: &str| {
        last.get(..2).is_some_and(|start| start.eq_ignore_ascii_case("0x"))
            && last.bytes().skip(2).all(|b| b.is_ascii_hexdigit())
    };
    (is_number(last) || is_hex(last)) && host.parse::<IpAddr>().is_err()
}

pub(crate) fn is_loopback(host: &str) -> bool {
    let host = host.strip_suffix('.').unwrap_or(host);
    host.eq_ignore_ascii_case("localhost")
        || host.parse::<IpAddr>().is_ok_and(|ip| ip.to_canonical().is_loopback())
}

/// An authority in the one spelling that all of it have in common: names are in lower case and without the root's dot
/// (RFC 3986 §3.2.2, RFC 1034 §3.1), addresses in their shortest form, an IPv4 address as one (RFC 4291 §2.5.5.2), and
/// the port is a number.
fn one_spelling(authority: &str) -> String {
    let Some(host) = host_of(authority) else { return authority.to_ascii_lowercase() };
    let host = host.strip_suffix('.').unwrap_or(host);
    let port = authority.rsplit_once(':').map_or("", |(_, port)| port.trim_start_matches('0'));
    match host.parse::<IpAddr>() {
        Ok(address) => format!("{} {port}", address.to_canonical()),
        Err(_) => format!("{} {port}", host.to_ascii_lowercase()),
    }
}

#[cfg(test)]
#[path = "check_tests.rs"]
mod tests;
