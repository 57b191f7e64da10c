//! An edge with cells behind it, a page before it, and a time that passes only when everybody waits.

use std::collections::BTreeSet;
use std::pin::pin;
use std::sync::atomic::{AtomicI64, AtomicU64, Ordering};
use std::sync::{Arc, Mutex};
use std::task::{Context, Poll, Waker};
use std::time::Duration;

use bytes::Bytes;
use domicile_client::{Ask, Cells, Client, Grant, Lost, Outside, Page, Seen};
use domicile_deadline::Moment;
use domicile_envelope::SigningKey;
use domicile_route::{Clocks, KeyStatement, RouteCell, RouteManifest, RouteSlot, Transport};
use domicile_seal::config::encode_list;
use domicile_seal::{Kem, KeyRing, SealingKey};
use http::{Method, Request, Response};

use crate::tricks::{Keys, Route, Sealed, answer, document, edge_statement};

/// When the tests play, in seconds since 1970.
pub(crate) const NOW_S: i64 = 1_800_000_000;
/// The page's limit.
pub(crate) const LIMIT: Duration = Duration::from_millis(900);
/// Bytes of every answer.
pub(crate) const ANSWER: u32 = 8_192;

const EDGE: &str = "http://edge";
const DIRECT: &str = "http://direct.";

/// A cell's secrets.
pub(crate) struct CellSide {
    pub(crate) name: &'static str,
    pub(crate) signer: SigningKey,
    /// The key it is about to sign with: the manifest names both.
    pub(crate) next: SigningKey,
    pub(crate) keys: Vec<SealingKey>,
    pub(crate) ring: KeyRing,
    /// How far its clock is ahead of the page's.
    pub(crate) ahead_s: i64,
}

impl CellSide {
    pub(crate) fn new(name: &'static str, seed: u8) -> Self {
        let keys = vec![
            SealingKey::from_seed(1, Kem::X25519, NOW_S, [seed; 32]),
            SealingKey::from_seed(2, Kem::P256, NOW_S, [seed; 32]),
        ];
        let ring = KeyRing::new(&keys).unwrap();
        let (signer, next) = (SigningKey::generate(), SigningKey::generate());
        Self { name, signer, next, keys, ring, ahead_s: 0 }
    }

    /// Its statement of these keys, good for an hour from `issued_s`.
    pub(crate) fn statement(&self, keys: &[SealingKey], issued_s: i64) -> String {
        self.stated(keys, issued_s).sign(&self.signer)
    }

    /// The same, not signed yet.
    pub(crate) fn stated(&self, keys: &[SealingKey], issued_s: i64) -> KeyStatement {
        let configs: Vec<_> = keys.iter().map(|key| key.config().unwrap()).collect();
        let list = encode_list(configs.iter().map(Vec::as_slice));
        KeyStatement::new(self.name, &list, issued_s, issued_s + 3_600)
    }
}

/// A sealed request as it was sent.
#[derive(Clone)]
pub(crate) struct Posted {
    pub(crate) cell: String,
    pub(crate) body: Bytes,
    pub(crate) headers: usize,
    pub(crate) at: Moment,
}

/// What the edge and its cells do, and what they saw.
pub(crate) struct Script {
    pub(crate) route: Route,
    /// By cell, in the order of [`World::cells`].
    pub(crate) keys: [Keys; 4],
    /// For one sealed request each; then [`Sealed::Answer`].
    pub(crate) sealed: Vec<Sealed>,
    pub(crate) posted: Vec<Posted>,
    pub(crate) fetched: Vec<(String, bool)>,
}

/// Everything outside of the client.
pub(crate) struct World {
    pub(crate) root: SigningKey,
    /// `a`, `b` and `c` of the class, and `us` of another.
    pub(crate) cells: [CellSide; 4],
    pub(crate) manifest: RouteManifest,
    /// When its documents were made.
    pub(crate) made_s: i64,
    pub(crate) script: Mutex<Script>,
    now: AtomicU64,
    wall: AtomicI64,
    waits: Mutex<BTreeSet<u64>>,
    random: AtomicU64,
}

/// What the client holds: the world, shared with the test.
#[derive(Clone)]
pub(crate) struct Shared(pub(crate) Arc<World>);

impl World {
    pub(crate) fn whole() -> Shared {
        Self::with(&["a", "b", "c"], &[])
    }

    /// A world whose class has these cells, of which some are reached directly.
    pub(crate) fn with(class: &[&str], direct: &[&str]) -> Shared {
        Self::at(NOW_S, class, direct)
    }

    /// The same at another time.
    pub(crate) fn at(made_s: i64, class: &[&str], direct: &[&str]) -> Shared {
        let cells =
            [CellSide::new("a", 1), CellSide::new("b", 2), CellSide::new("c", 3), CellSide::new("us", 4)];
        let clocks = Clocks { page_limit_ms: 900, cell_budget_ms: 120 };
        let mut manifest = RouteManifest::new("eu_only", 7, clocks, made_s - 60, made_s + 86_400);
        manifest.locales = vec!["de-DE".into()];
        manifest.slots = vec![RouteSlot { name: "home".into(), items: 2, relay_wait_ms: 350 }];
        manifest.cells = cells
            .iter()
            .filter(|cell| class.contains(&cell.name))
            .map(|cell| RouteCell {
                name: cell.name.into(),
                boundary: "eu".into(),
                weight: 1,
                transport: if direct.contains(&cell.name) {
                    Transport::Direct(format!("{DIRECT}{}", cell.name))
                } else {
                    Transport::Relay
                },
                answer_bytes: ANSWER,
                signing_key: cell.signer.verifying_key().to_jwk(),
                next_signing_key: Some(cell.next.verifying_key().to_jwk()),
            })
            .collect();
        let script = Script {
            route: Route::Good,
            keys: [Keys::Good; 4],
            sealed: Vec::new(),
            posted: Vec::new(),
            fetched: Vec::new(),
        };
        Shared(Arc::new(Self {
            root: SigningKey::generate(),
            cells,
            manifest,
            script: Mutex::new(script),
            now: AtomicU64::new(0),
            made_s,
            wall: AtomicI64::new(made_s),
            waits: Mutex::default(),
            random: AtomicU64::new(0),
        }))
    }

    fn handle(&self, request: &Request<Bytes>) -> (Duration, Result<Response<Bytes>, Lost>) {
        let uri = request.uri().to_string();
        let mut script = self.script.lock().unwrap();
        if request.method() == Method::POST {
            let (cell, relayed) = destination(&uri);
            let posted = Posted {
                cell: cell.to_owned(),
                body: request.body().clone(),
                headers: request.headers().len(),
                at: self.moment(),
            };
            script.posted.push(posted);
            let trick = if script.sealed.is_empty() { Sealed::Answer } else { script.sealed.remove(0) };
            let side = self.cells.iter().find(|side| side.name == cell).unwrap();
            return answer(self, side, relayed, request.body(), &trick);
        }
        let past_caches = request.headers().get("cache-control").is_some_and(|value| value == "no-cache");
        script.fetched.push((uri.clone(), past_caches));
        let path = uri.strip_prefix(EDGE).unwrap();
        if let Some(name) = path.strip_prefix("/v1/keys/") {
            let at = self.cells.iter().position(|side| side.name == name).unwrap();
            return edge_statement(self, at, script.keys[at], past_caches);
        }
        assert_eq!(path, "/v1/route/eu_only");
        document(self, script.route)
    }

    fn moment(&self) -> Moment {
        Moment::from_micros(self.now.load(Ordering::Relaxed))
    }
}

/// The cell that a sealed request goes to, and whether through the edge.
fn destination(uri: &str) -> (&str, bool) {
    if let Some(direct) = uri.strip_prefix(DIRECT) {
        return (direct.strip_suffix("/gateway").unwrap(), false);
    }
    let parts: Vec<&str> = uri.strip_prefix("http://edge/v1/sealed/").unwrap().split('/').collect();
    assert_eq!((parts.len(), parts[0], parts[2], parts[3]), (4, "PIN", "de-DE", "home"), "{uri}");
    (parts[1], true)
}

impl Shared {
    /// A client of this world's edge that trusts its root key.
    pub(crate) fn client(&self) -> Client<Self> {
        Client::new("http://edge/", vec![self.0.root.verifying_key()], Seen::default(), self.clone())
    }

    /// A shopper's grant with this home.
    pub(crate) fn grant(&self, home: &str) -> Grant {
        let text = format!(
            r#"{{"token":"aa.bb.cc","pin":"PIN","class":"eu_only","home":"{home}","not_after":{}}}"#,
            NOW_S + 600
        );
        Grant::from_json(text.as_bytes()).unwrap()
    }

    /// Runs work to its end. Time passes when nothing else can happen.
    pub(crate) fn run<T>(&self, work: impl Future<Output = T>) -> T {
        let mut work = pin!(work);
        let mut context = Context::from_waker(Waker::noop());
        loop {
            if let Poll::Ready(output) = work.as_mut().poll(&mut context) {
                return output;
            }
            let next = self.0.waits.lock().unwrap().pop_first().unwrap();
            self.0.now.fetch_max(next, Ordering::Relaxed);
        }
    }

    /// Lets time pass, on both clocks.
    pub(crate) fn pass(&self, time: Duration) {
        self.0.now.fetch_add(time.as_micros().try_into().unwrap(), Ordering::Relaxed);
        self.0.wall.fetch_add(time.as_secs().try_into().unwrap(), Ordering::Relaxed);
    }

    /// The next random number.
    pub(crate) fn draw(&self, random: u64) {
        self.0.random.store(random, Ordering::Relaxed);
    }

    /// Changes the script.
    pub(crate) fn script(&self, change: impl FnOnce(&mut Script)) {
        change(&mut self.0.script.lock().unwrap());
    }

    /// The sealed requests since the last call, in order.
    pub(crate) fn posted(&self) -> Vec<Posted> {
        std::mem::take(&mut self.0.script.lock().unwrap().posted)
    }

    /// The cells of those.
    pub(crate) fn asked(&self) -> Vec<String> {
        self.posted().into_iter().map(|posted| posted.cell).collect()
    }
}

/// An ask of any cell, within the page's limit from now.
pub(crate) fn ask<'a>(client: &Client<Shared>, grant: &'a Grant, page: &'a Page) -> Ask<'a> {
    Ask { grant, page, cells: Cells::Any, deadline: client.deadline(LIMIT) }
}

/// The page of the tests.
pub(crate) fn page() -> Page {
    Page::new("de-DE", "home").unwrap()
}

impl Outside for Shared {
    async fn send(&self, request: Request<Bytes>) -> Result<Response<Bytes>, Lost> {
        let (delay, answer) = self.0.handle(&request);
        self.sleep(delay).await;
        answer
    }

    fn now(&self) -> Moment {
        self.0.moment()
    }

    fn sleep(&self, time: Duration) -> impl Future<Output = ()> + Send {
        let until = self.now().plus(time);
        std::future::poll_fn(move |_context| {
            if self.now() >= until {
                return Poll::Ready(());
            }
            self.0.waits.lock().unwrap().insert(until.as_micros());
            Poll::Pending
        })
    }

    fn unix_seconds(&self) -> i64 {
        self.0.wall.load(Ordering::Relaxed)
    }

    fn random(&self) -> u64 {
        self.0.random.load(Ordering::Relaxed)
    }
}
