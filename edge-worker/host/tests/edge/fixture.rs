//! Artefacts for tests, in files of their own.

use std::net::SocketAddr;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicUsize, Ordering};

use domicile_forge::{Part, componentise, compose, rewrite};
use domicile_tables::{
    CellAddress, ClassRow, ListKey, ListPage, Lists, Named, PinRow, RelayTable, RouteKey, RoutePage,
    RoutingTable, SlotWait, UriScheme,
};

use crate::guests::{self, Wrong};

/// The pin of the one class that [`Artefact::relay`] knows.
const PIN: &str = concat!(
    "AAEAAAAB",
    "eeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeee",
    "eeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeee"
);

/// How long the edge waits for a cell's answer to begin, in its tables: long where a test must not depend on it.
const PATIENT_MS: u32 = 4_000;
const IMPATIENT_MS: u32 = 200;
/// The entity tag of the one list.
pub(crate) const ETAG: &str = "\"feed\"";

/// An artefact in a file that goes away with it.
pub(crate) struct Artefact {
    path: PathBuf,
}

impl Artefact {
    pub(crate) fn of(bytes: &[u8]) -> Self {
        static NEXT: AtomicUsize = AtomicUsize::new(0);
        let name = format!("edge-{}-{}.wasm", std::process::id(), NEXT.fetch_add(1, Ordering::Relaxed));
        let path = Path::new(env!("CARGO_TARGET_TMPDIR")).join(name);
        std::fs::write(&path, bytes).unwrap();
        Self { path }
    }

    /// A guest that goes wrong.
    pub(crate) fn wrong(wrong: Wrong) -> Self {
        Self::of(&guests::component(wrong))
    }

    /// The product's own edge, for one locale, one slot and one cell.
    pub(crate) fn relay(cell: SocketAddr) -> Self {
        Self::of(&edge(UriScheme::Http, &cell.to_string(), PATIENT_MS, "milk"))
    }

    /// The same, soon tired of waiting for a cell.
    pub(crate) fn impatient(cell: SocketAddr) -> Self {
        Self::of(&edge(UriScheme::Http, &cell.to_string(), IMPATIENT_MS, "milk"))
    }

    /// The same, for a cell that is reached over TLS by this authority.
    pub(crate) fn relay_tls(authority: &str) -> Self {
        Self::of(&edge(UriScheme::Https, authority, PATIENT_MS, "milk"))
    }

    /// One whose relay reads the header `cookie`: a fixture that no build would let through, put together without the
    /// pass that takes such instructions away.
    pub(crate) fn reading_a_header() -> Self {
        let relay = std::fs::read(built("fixtures/reads-header.wasm")).unwrap();
        let (router, popularity, _) = parts(UriScheme::Http, "127.0.0.1:9", PATIENT_MS, "milk");
        Self::of(&compose(&router, &popularity, &componentise(&relay).unwrap()).unwrap())
    }

    /// One that lists this item, for nobody's cell.
    pub(crate) fn listing(item: &str) -> Self {
        Self::of(&edge(UriScheme::Http, "127.0.0.1:9", PATIENT_MS, item))
    }

    /// Puts what another artefact is into this one's file, as a build does: in one step.
    pub(crate) fn becomes(&self, bytes: &[u8]) {
        let aside = self.path.with_extension("next");
        std::fs::write(&aside, bytes).unwrap();
        std::fs::rename(&aside, &self.path).unwrap();
    }

    pub(crate) fn bytes(&self) -> Vec<u8> {
        std::fs::read(&self.path).unwrap()
    }

    pub(crate) fn sha256(&self) -> String {
        domicile_edge_manifest::sha256_hex(&self.bytes())
    }

    pub(crate) fn path(&self) -> PathBuf {
        self.path.clone()
    }

    /// A path beside it.
    pub(crate) fn beside(&self, extension: &str) -> PathBuf {
        self.path.with_extension(extension)
    }
}

fn edge(scheme: UriScheme, authority: &str, wait_ms: u32, item: &str) -> Vec<u8> {
    let (router, popularity, relay) = parts(scheme, authority, wait_ms, item);
    compose(&router, &popularity, &relay).unwrap()
}

/// Router, popularity and relay, with their tables.
fn parts(scheme: UriScheme, authority: &str, wait_ms: u32, item: &str) -> (Vec<u8>, Vec<u8>, Vec<u8>) {
    let routing = RoutingTable {
        locales: vec![named("de-DE")],
        slots: vec![named("home")],
        cells: vec![named("eu-a")],
        classes: vec![ClassRow { id: 1, name: "eu_only".to_owned(), cells: vec![1] }],
        pins: vec![PinRow { class: 1, epoch: 1, from: 0, until: u32::MAX, text: PIN.to_owned() }],
    };
    let address = CellAddress {
        id: 1,
        scheme,
        authority: authority.to_owned(),
        path: "/gateway".to_owned(),
        keys: "/keys".to_owned(),
    };
    let slots = vec![SlotWait { id: 1, wait_ms }];
    let relay = RelayTable { cells: vec![address], slots, keys_wait_ms: wait_ms };
    let lists = Lists {
        not_after: i64::MAX,
        rows: vec![ListKey { locale: 1, slot: 1, row: 1 }],
        routes: vec![RouteKey { class: 1, row: 2 }],
    };
    let manifest = RoutePage { etag: "route".to_owned(), body: MANIFEST.to_owned() };
    let page = ListPage {
        etag: ETAG.trim_matches('"').to_owned(),
        head: r#"{"stale":"#.to_owned(),
        tail: format!(r#","items":["{item}"]}}"#),
    };
    let part = |part: Part, rows: &[Vec<u8>]| {
        let rewritten = rewrite(&module(part), part, rows).unwrap();
        componentise(&rewritten.bytes).unwrap()
    };
    let router = part(Part::Router, &[routing.encode()]);
    let popularity = part(Part::Popularity, &[lists.encode(), page.encode(), manifest.encode()]);
    let relay = part(Part::Relay, &[relay.encode()]);
    (router, popularity, relay)
}

impl Drop for Artefact {
    fn drop(&mut self) {
        for path in [self.path.clone(), self.beside("manifest.dsse.json")] {
            drop(std::fs::remove_file(path));
        }
    }
}

/// The list that [`Artefact::relay`] serves.
pub(crate) const LIST: &str = r#"{"stale":false,"items":["milk"]}"#;
/// Where it serves it.
pub(crate) const SHELF: &str = "/v1/shelf/de-DE/home";

/// The route manifest of its class; what is in it is for clients to judge.
pub(crate) const MANIFEST: &str = r#"{"payload":"","signatures":[]}"#;

/// Where it takes sealed requests.
pub(crate) fn sealed() -> String {
    format!("/v1/sealed/{PIN}/eu-a/de-DE/home")
}

/// What `cargo xtask modules --fixtures` builds, below the target folder that these tests are built in.
pub(crate) fn built(name: &str) -> PathBuf {
    let path = Path::new(env!("CARGO_TARGET_TMPDIR")).join("../edge").join(name);
    assert!(path.is_file(), "{} is missing: run `cargo xtask modules --fixtures`", path.display());
    path
}

fn module(part: Part) -> Vec<u8> {
    std::fs::read(built(&format!("modules/{part}.wasm"))).unwrap()
}

fn named(name: &str) -> Named {
    Named { id: 1, name: name.to_owned() }
}
