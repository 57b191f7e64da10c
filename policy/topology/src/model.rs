//! What a topology says, once it is known to be sound.

use domicile_envelope::{VerifyingKey, is_published};
use domicile_pin::EpochPolicy;
use domicile_route::Transport;
use serde::Deserialize;

/// A cell's number: what crosses into the edge instead of a name.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct CellId(pub u8);

/// A residency class's number; it stands in every pin.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct ClassId(pub u16);

/// A locale's number.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct LocaleId(pub u16);

/// A slot's number.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct SlotId(pub u16);

/// A sound topology: every reference resolves, every id and name is unique, the clocks fit.
#[derive(Clone, Debug, PartialEq)]
pub struct Topology {
    /// Rises with every published change; a consumer refuses a lower one than it has seen.
    pub serial: u64,
    /// The clocks that are not per slot.
    pub clocks: Clocks,
    /// How long pins live.
    pub pin: EpochPolicy,
    /// The legal areas.
    pub boundaries: Vec<Boundary>,
    /// The serving units.
    pub cells: Vec<Cell>,
    /// The residency classes.
    pub classes: Vec<Class>,
    /// The locales that are served.
    pub locales: Vec<Locale>,
    /// The places on a page.
    pub slots: Vec<Slot>,
    /// Public keys, by use.
    pub keys: Vec<Key>,
}

/// The clocks of a page; `relay_wait` is per slot ([`Slot::relay_wait_ms`]).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Clocks {
    /// How long after navigation a shelf may still be swapped in, in milliseconds; held by the client.
    pub page_limit_ms: u32,
    /// A cell's deadline for one answer, in milliseconds.
    pub cell_budget_ms: u32,
    /// The round trip between shopper and edge that the limits are laid out for, in milliseconds.
    pub rtt_ms: u32,
}

/// A legal area.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Boundary {
    /// Its name, e.g. `eu`.
    pub name: String,
    /// ISO 3166-1 alpha-2 codes of the countries in it.
    pub countries: Vec<String>,
}

/// A complete serving unit at one site of one operator inside one boundary.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Cell {
    /// Its number.
    pub id: CellId,
    /// Its name, e.g. `eu-a`; stands in paths.
    pub name: String,
    /// The boundary it stands in.
    pub boundary: String,
    /// The site, e.g. a town or a data centre's code.
    pub site: String,
    /// Who runs it.
    pub operator: String,
    /// The country whose law binds the operator there, ISO 3166-1 alpha-2.
    pub jurisdiction: String,
    /// How the edge reaches it.
    pub scheme: Scheme,
    /// `host:port`, nothing else.
    pub authority: String,
    /// The key it signs its key statements and receipts with. A class whose cells have one each can have a route
    /// manifest.
    pub signing_key: Option<VerifyingKey>,
    /// The key it is about to sign with, while it changes keys: clients take both.
    pub next_signing_key: Option<VerifyingKey>,
    /// The way of clients' sealed requests to it.
    pub transport: Transport,
}

impl Cell {
    /// The cell with its boundary: what a store of its shoppers is marked with.
    pub fn owner(&self) -> String {
        format!("{} in {}", self.name, self.boundary)
    }

    /// The keys it may sign with, the one in use first.
    pub fn signing_keys(&self) -> impl Iterator<Item = &VerifyingKey> {
        self.signing_key.iter().chain(&self.next_signing_key)
    }

    /// Whether everything of it that is spoken to stands on loopback.
    pub fn is_on_loopback(&self) -> bool {
        let authority = crate::check::host_of(&self.authority);
        let direct = match &self.transport {
            Transport::Relay => None,
            Transport::Direct(origin) => Some(crate::reach::host_of_origin(origin)),
        };
        [Some(authority), direct]
            .into_iter()
            .flatten()
            .all(|host| host.is_some_and(crate::check::is_loopback))
    }
}

/// How a cell is reached.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Scheme {
    /// Plain HTTP; only between processes of one machine.
    Http,
    /// HTTP over TLS.
    Https,
}

impl Scheme {
    /// The scheme as it stands in a URL.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Http => "http",
            Self::Https => "https",
        }
    }
}

/// Which cells may process a request, in which order, and what happens when none can.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Class {
    /// Its number.
    pub id: ClassId,
    /// Its name, e.g. `eu_only`.
    pub name: String,
    /// The boundaries that its contract allows.
    pub boundaries: Vec<String>,
    /// The allowed cells, preferred first. Empty: such a shopper only ever gets the list.
    pub cells: Vec<ClassCell>,
    /// What happens when no allowed cell can answer.
    pub on_exhaustion: OnExhaustion,
}

/// One cell of a class.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ClassCell {
    /// The cell.
    pub cell: CellId,
    /// Its share of the class's shoppers, relative to the other cells' weights; 1 to 100.
    pub weight: u32,
}

/// What happens when no allowed cell can answer.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum OnExhaustion {
    /// The popularity list, and no cell outside the class.
    Shed,
}

/// A locale that is served.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Locale {
    /// Its number.
    pub id: LocaleId,
    /// Its BCP 47 tag, e.g. `de-DE`; stands in paths.
    pub name: String,
    /// The residency class of a shopper of this locale who has no contract of another.
    pub class: ClassId,
}

/// A place on a page.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Slot {
    /// Its number.
    pub id: SlotId,
    /// Its name, e.g. `home`; stands in paths.
    pub name: String,
    /// How many items every answer for it holds, list and ranking alike.
    pub items: u16,
    /// How long the edge waits for a cell's first byte, in milliseconds.
    pub relay_wait_ms: u32,
}

/// A public key and what it may sign.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Key {
    /// What it may sign.
    pub purpose: KeyUse,
    /// How far it is to be trusted.
    pub trust: Trust,
    /// The key.
    pub key: VerifyingKey,
}

/// What a key may sign.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum KeyUse {
    /// Topologies. Kept offline: nothing that changes by the day needs it.
    Root,
    /// Pins.
    Pin,
    /// Overlays.
    Overlay,
    /// Snapshots.
    Snapshot,
    /// The manifests of edge artefacts.
    Edge,
}

/// How far a key is to be trusted.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Trust {
    /// Its secret half is known to its owner alone.
    Private,
    /// Its secret half is published with the demo: good on loopback only.
    Demo,
}

impl Topology {
    /// Reads and checks a `topology.toml`.
    ///
    /// # Errors
    /// [`crate::TopologyError`] with every problem found, each with its place and remedy.
    pub fn parse(text: &str) -> Result<Self, crate::TopologyError> {
        crate::check::check(crate::file::read(text)?)
    }

    /// The keys listed for `purpose`.
    pub fn keys_for(&self, purpose: KeyUse) -> Vec<VerifyingKey> {
        self.keys.iter().filter(|k| k.purpose == purpose).map(|k| k.key.clone()).collect()
    }

    /// Whether any listed key is a published demo key.
    pub fn has_demo_keys(&self) -> bool {
        self.keys.iter().any(|k| k.trust == Trust::Demo)
            || self.cells.iter().flat_map(Cell::signing_keys).any(|key| is_published(key.id()))
    }

    /// Whether every cell stands on loopback.
    pub fn is_on_loopback(&self) -> bool {
        self.cells.iter().all(Cell::is_on_loopback)
    }

    /// The cell of this name.
    pub fn cell_named(&self, name: &str) -> Option<&Cell> {
        self.cells.iter().find(|c| c.name == name)
    }

    /// The cell with this number.
    pub fn cell(&self, id: CellId) -> Option<&Cell> {
        self.cells.iter().find(|c| c.id == id)
    }

    /// The class of this name.
    pub fn class_named(&self, name: &str) -> Option<&Class> {
        self.classes.iter().find(|c| c.name == name)
    }

    /// The class with this number.
    pub fn class(&self, id: ClassId) -> Option<&Class> {
        self.classes.iter().find(|c| c.id == id)
    }

    /// The locale of this name.
    pub fn locale_named(&self, name: &str) -> Option<&Locale> {
        self.locales.iter().find(|l| l.name == name)
    }

    /// The slot of this name.
    pub fn slot_named(&self, name: &str) -> Option<&Slot> {
        self.slots.iter().find(|s| s.name == name)
    }
}

impl Class {
    /// Whether this class's requests may be processed in `cell`.
    pub fn allows(&self, cell: CellId) -> bool {
        self.cells.iter().any(|c| c.cell == cell)
    }
}
