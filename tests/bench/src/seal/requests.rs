//! Rankings of the demo's shoppers, sealed and plain.

use std::path::Path;

use anyhow::Context as _;
use bytes::Bytes;

use domicile_cluster::cluster::demo_file;
use domicile_cluster::report;
use domicile_envelope::SigningKey;
use domicile_jwt::TokenKey;
use domicile_pin::Pin;
use domicile_seal::config::read_list;
use domicile_seal::{Opener, Sealer};
use domicile_token::{Audience, Claims, Subject};
use domicile_topology::{Cell, Topology};
use domicile_wire::{Bearer, Call, Caller, RankRequest, Request, ShopperId};

use crate::order::Order;

/// How long a token is good for: as long as a cell takes any.
const TOKEN_S: i64 = 3_600;

/// Who can ask, and with what.
pub(super) struct Requests {
    topology: Topology,
    cell: Cell,
    shoppers: Vec<(String, String)>,
    pin: SigningKey,
    /// Every shopper's token, in their order: a page has one for all its calls of a quarter of an hour, so a cell
    /// meets most of them again.
    tokens: Vec<Bearer>,
}

/// A sealed request and what opens its answer.
pub(super) struct SealedRequest {
    pub(super) bytes: Bytes,
    pub(super) opener: Opener,
}

impl Requests {
    /// Those of the shoppers whose home the cell may be.
    pub(super) fn new(topology: Topology, cell: &str, assignments: &Path, seed: u64) -> anyhow::Result<Self> {
        let read = |path: &Path| {
            std::fs::read_to_string(path).with_context(|| format!("cannot read {}", path.display()))
        };
        let cell = topology.cell_named(cell).context("the demo has no such cell")?.clone();
        let pairs = read(assignments)?;
        let pairs = pairs.lines().skip(1).filter_map(|line| line.split_once(','));
        let here = |locale: &str, shopper: &str| {
            let class = topology.locale_named(locale)?.class;
            Some(topology.home_cell(class, shopper)? == cell.id)
        };
        let mut shoppers: Vec<(String, String)> = pairs
            .filter(|(shopper, locale)| here(locale, shopper) == Some(true))
            .map(|(shopper, locale)| (shopper.to_owned(), locale.to_owned()))
            .collect();
        anyhow::ensure!(!shoppers.is_empty(), "{} has no shopper of this cell", assignments.display());
        Order::new(seed).shuffle(&mut shoppers);
        let pin = SigningKey::from_jwk(&read(&demo_file("keys/pin.jwk"))?)?;
        let key = TokenKey::from_jwk(&read(&demo_file("keys/token.jwk"))?)?;
        let tokens =
            shoppers.iter().map(|(shopper, _)| token(&key, &cell, shopper)).collect::<anyhow::Result<_>>()?;
        Ok(Self { topology, cell, shoppers, pin, tokens })
    }

    /// The cell's key statement's keys.
    pub(super) fn sealer(&self, statement: &str) -> anyhow::Result<Sealer> {
        let signers: Vec<_> = self.cell.signing_keys().cloned().collect();
        let opened = domicile_route::KeyStatement::open(statement, &self.cell.name, &signers, now_s())?;
        Ok(Sealer::new(&read_list(&opened.list()?)?, None)?)
    }

    /// As many plain rankings, one shopper after the other.
    pub(super) fn plain(&self, count: usize) -> anyhow::Result<Vec<Bytes>> {
        self.each(count, |shopper, _| ShopperId::new(shopper).map(Caller::Plain).context("no shopper id"))
            .map(|message| message.map(Bytes::from))
            .collect()
    }

    /// As many sealed ones.
    pub(super) fn sealed(&self, sealer: &Sealer, count: usize) -> anyhow::Result<Vec<SealedRequest>> {
        let seal = |message: anyhow::Result<Vec<u8>>| {
            let (bytes, opener) = sealer.seal(&message?)?;
            Ok(SealedRequest { bytes: bytes.into(), opener })
        };
        self.each(count, |_, token| Ok(Caller::Token(token.clone()))).map(seal).collect()
    }

    fn each(
        &self,
        count: usize,
        caller: impl Fn(&str, &Bearer) -> anyhow::Result<Caller>,
    ) -> impl Iterator<Item = anyhow::Result<Vec<u8>>> {
        let all = self.shoppers.iter().zip(&self.tokens).cycle();
        all.take(count).map(move |((shopper, locale), token)| {
            let class = self.topology.locale_named(locale).context("no such locale")?.class;
            let minute = u32::try_from(now_s() / 60).unwrap_or(0);
            let pin = Pin::mint(class.0, self.topology.pin.at(minute), &self.pin).to_string();
            let call =
                Call::Rank(RankRequest { locale: locale.clone(), slot: "home".into(), anchor: Vec::new() });
            let request = Request {
                pin,
                caller: caller(shopper, token)?,
                date_s: Some(now_s()),
                budget_ms: None,
                call,
            };
            Ok(request.encode())
        })
    }
}

/// A shopper's token, good for as long as a cell takes any.
fn token(key: &TokenKey, cell: &Cell, shopper: &str) -> anyhow::Result<Bearer> {
    let now = now_s();
    let claims = Claims {
        iss: "https://identity.invalid".to_owned(),
        sub: Subject::new(shopper).context("no subject")?,
        aud: Audience::One(cell.boundary.clone()),
        exp: now + TOKEN_S,
        iat: now,
        nbf: None,
        class: "eu_only".to_owned(),
        tenant: "demo".to_owned(),
        home: cell.name.clone(),
        anonymous: false,
    };
    Bearer::new(&key.sign(&claims)?).context("a token that is none")
}

fn now_s() -> i64 {
    i64::try_from(report::unix_seconds()).unwrap_or(i64::MAX)
}
