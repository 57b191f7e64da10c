//! A cell in this process that takes sealed requests, and a client of it.

use std::sync::Arc;

use axum::Router;
use axum::body::{Body, to_bytes};
use axum::http::{Request as HttpRequest, StatusCode, header};
use domicile_cell::cell::{Cell, Parts, Reach};
use domicile_cell::clock::Clock;
use domicile_cell::config::{Config, Seal, TokenTerms};
use domicile_cell::features::embedded::EmbeddedStore;
use domicile_cell::gateway::Gateway;
use domicile_cell::ranker::Ranker;
use domicile_cell::retrieval::exact::Exact;
use domicile_cell::sealing::{Place, Sealing};
use domicile_cell::tokens::Tokens;
use domicile_cell::{overlay, snapshots};
use domicile_envelope::SigningKey;
use domicile_jwt::TokenKey;
use domicile_route::KeyStatement;
use domicile_seal::config::{PublicConfig, read_list};
use domicile_seal::{ANSWER_TYPE, REQUEST_TYPE, Sealer};
use domicile_token::{Audience, Claims, Subject};
use domicile_topology::{KeyUse, Topology};
use domicile_wire::{Bearer, Call, Caller, GATEWAY_PATH, KEYS_PATH, RankRequest, Reply, Request};
use tower::Service as _;

use crate::world::{World, runtime};

/// The cell `eu-a`, with everything around it.
pub(super) struct Desk {
    pub(super) world: World,
    pub(super) cell: Arc<Cell>,
    pub(super) identity: TokenKey,
    pub(super) signer: SigningKey,
    routes: Router,
}

/// An answer outside the seal.
pub(super) struct Outer {
    pub(super) status: StatusCode,
    pub(super) media: String,
    /// The origins whose pages may read it.
    pub(super) allowed: Option<String>,
    pub(super) body: Vec<u8>,
}

impl Desk {
    pub(super) fn new() -> Self {
        Self::with(|_| {})
    }

    /// A desk whose cell was changed before it began to serve.
    pub(super) fn with(change: impl FnOnce(&mut Cell)) -> Self {
        let world = World::new();
        let config = Config::load(Some(&world.patient()), 340).unwrap();
        let text = std::fs::read_to_string(world.at("topology.toml")).unwrap();
        let (topology, clock) = (Topology::parse(&text).unwrap(), Clock::start());
        let snapshot = snapshots::load(&world.at("snapshot"), &topology.keys_for(KeyUse::Snapshot)).unwrap();
        let keys = topology.keys_for(KeyUse::Overlay);
        let file = world.at("overlay.dsse.json");
        let overlay = overlay::load(&file, &keys, &snapshot, &topology, clock.unix_seconds()).unwrap();
        let (identity, signer) = (TokenKey::ed25519("this-year").unwrap(), SigningKey::generate());
        world.write("tokens.json", &TokenKey::key_set([&identity]).unwrap());
        world.write("cell.jwk", &signer.to_jwk());
        let (directory, jwk) = (world.at("keys"), world.at("cell.jwk"));
        let seal: Seal = toml::from_str(&format!("key_dir = {directory:?}\nsigning_key = {jwk:?}")).unwrap();
        let terms: TokenTerms =
            toml::from_str(&format!("keys = {:?}\ntenants = [\"shop\"]", world.at("tokens.json"))).unwrap();
        let place = Place { cell: "eu-a", owner: "eu-a in eu", named: &[], reach: Reach::Beyond };
        let parts = Parts {
            store: Arc::new(EmbeddedStore::open_complete(&world.at("store")).unwrap()),
            index: Arc::new(Exact::new(Arc::clone(&snapshot.embeddings))),
            ranker: Ranker::start(runtime(), &snapshot, 1, 8, clock).unwrap(),
            snapshot,
            overlay,
            sealing: Some(Sealing::open(&seal, place, clock.unix_seconds()).unwrap().0),
            tokens: Some(Tokens::open(&terms, "eu", Reach::Beyond).unwrap()),
        };
        let id = topology.cell_named("eu-a").unwrap().id;
        // Beyond loopback: nothing here may depend on plain requests being taken.
        let mut cell = Cell::new(topology, (id, "eu-a".into()), Reach::Beyond, config, clock, parts);
        change(&mut cell);
        let cell = Arc::new(cell);
        let routes = Gateway::new(Arc::clone(&cell)).routes();
        Self { world, cell, identity, signer, routes }
    }

    pub(super) fn now_s(&self) -> i64 {
        self.cell.clock.unix_seconds()
    }

    /// A token of `someone`, changed.
    pub(super) fn token(&self, change: impl FnOnce(&mut Claims)) -> Caller {
        let mut claims = Claims {
            iss: "https://shop.example".into(),
            sub: Subject::new("someone").unwrap(),
            aud: Audience::One("eu".into()),
            exp: self.now_s() + 600,
            iat: self.now_s(),
            nbf: None,
            class: "eu_only".into(),
            tenant: "shop".into(),
            home: "eu-a".into(),
            anonymous: false,
        };
        change(&mut claims);
        Caller::Token(Bearer::new(&self.identity.sign(&claims).unwrap()).unwrap())
    }

    /// A good request.
    pub(super) fn request(&self, call: Call) -> Request {
        let (pin, caller) = (self.world.pin(1), self.token(|_| {}));
        Request { pin, caller, date_s: Some(self.now_s()), budget_ms: None, call }
    }

    pub(super) fn rank() -> Call {
        Call::Rank(RankRequest { locale: "de-DE".into(), slot: "home".into(), anchor: vec![] })
    }

    pub(super) async fn exchange(&self, request: HttpRequest<Body>) -> Outer {
        let response = self.routes.clone().call(request).await.unwrap();
        let status = response.status();
        let said = |name| response.headers().get(name).map(|value| value.to_str().unwrap().to_owned());
        let media = said(header::CONTENT_TYPE).unwrap_or_default();
        let allowed = said(header::ACCESS_CONTROL_ALLOW_ORIGIN);
        Outer {
            status,
            media,
            allowed,
            body: to_bytes(response.into_body(), 1 << 20).await.unwrap().to_vec(),
        }
    }

    pub(super) async fn post(&self, media: &str, body: Vec<u8>) -> Outer {
        let request = HttpRequest::post(GATEWAY_PATH).header("host", "cell").header("content-type", media);
        self.exchange(request.body(Body::from(body)).unwrap()).await
    }

    /// The keys that the cell states, checked as a client does.
    pub(super) async fn keys(&self) -> Vec<PublicConfig> {
        let request = HttpRequest::get(KEYS_PATH).header("host", "cell").body(Body::empty()).unwrap();
        let outer = self.exchange(request).await;
        assert_eq!((outer.status, outer.media.as_str()), (StatusCode::OK, "application/json"));
        let text = String::from_utf8(outer.body).unwrap();
        let statement =
            KeyStatement::open(&text, "eu-a", &[self.signer.verifying_key()], self.now_s()).unwrap();
        read_list(&statement.list().unwrap()).unwrap()
    }

    /// Seals a message, sends it, and opens the answer, which is of the one size; with the request as it was sealed.
    pub(super) async fn ask_bytes(&self, message: &[u8]) -> (Reply, Vec<u8>) {
        let (sealed, opener) = Sealer::new(&self.keys().await, None).unwrap().seal(message).unwrap();
        let outer = self.post(REQUEST_TYPE, sealed.clone()).await;
        assert_eq!((outer.status, outer.media.as_str()), (StatusCode::OK, ANSWER_TYPE));
        assert_eq!(outer.body.len(), self.cell.answer_size, "every answer has one size");
        (Reply::decode(&opener.open(&outer.body).unwrap()).unwrap(), sealed)
    }

    pub(super) async fn ask(&self, request: &Request) -> Reply {
        self.ask_bytes(&request.encode()).await.0
    }

    pub(super) fn metrics(&self) -> String {
        self.cell.telemetry.render(&[])
    }
}
