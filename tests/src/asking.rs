//! Asking cells: as a page does, through the client; and by hand, to send what a page would not.

use std::time::Duration;

use anyhow::Context as _;
use domicile_client::{Ask, Cells, Grant, Identity, Outcome, Outside as _, Page};
use domicile_route::KeyStatement;
use domicile_seal::config::read_list;
use domicile_seal::{Opener, Sealer};
use domicile_wire::{Call, Caller, RankAnswer, RankRequest, Reply, Request};
use serde_json::{Value, json};

use crate::http;
use crate::world::World;

/// Longer than every clock of edge and cell together.
const PATIENCE: Duration = Duration::from_secs(10);

impl World {
    /// A grant for a shopper.
    ///
    /// # Errors
    /// When the identity service gives none.
    pub fn grant(&self, shopper: &str, locale: &str) -> anyhow::Result<Grant> {
        let deadline = self.client.deadline(PATIENCE);
        let mut identity = Identity::new(self.cluster.identity_url(), &self.network);
        self.runtime.block_on(async {
            identity.login(shopper, deadline).await?;
            let grant = identity.grant(locale, deadline).await?;
            identity.logout(deadline).await?;
            Ok(grant)
        })
    }

    /// Makes a call of the client's on a page of its own.
    ///
    /// # Errors
    /// When there is no grant, or the page's names are none.
    pub fn call<T>(
        &self,
        (shopper, locale, slot): (&str, &str, &str),
        call: impl AsyncFnOnce(Ask<'_>) -> T,
    ) -> anyhow::Result<T> {
        let page = Page::new(locale, slot).context("no page")?;
        let grant = self.grant(shopper, locale)?;
        self.client.turn_page();
        let deadline = self.client.deadline(PATIENCE);
        Ok(self.runtime.block_on(call(Ask { grant: &grant, page: &page, cells: Cells::Any, deadline })))
    }

    /// A shopper's shelf.
    ///
    /// # Errors
    /// When there is no grant.
    pub fn rank(&self, shopper: &str, locale: &str, slot: &str) -> anyhow::Result<Outcome<RankAnswer>> {
        self.call((shopper, locale, slot), async |ask| self.client.rank(ask, Vec::new()).await)
    }

    /// A token's text, and what else the identity service gives with it.
    ///
    /// # Errors
    /// When it gives none.
    pub fn token(&self, shopper: &str, locale: &str) -> anyhow::Result<Value> {
        let authority = self.cluster.identity_url().trim_start_matches("http://");
        let json_type = ("content-type", "application/json");
        let post = |path, cookie: &str, body: Value| {
            http::send(authority, "POST", path, &[json_type, ("cookie", cookie)], body.to_string().as_bytes())
        };
        let login = post("/v1/login", "", json!({ "shopper": shopper }))?;
        let cookie = login.header("set-cookie").split(';').next().unwrap_or_default().to_owned();
        Ok(post("/v1/token", &cookie, json!({ "locale": locale }))?.json())
    }

    /// A good request for a shelf, to be made worse.
    ///
    /// # Errors
    /// When the identity service gives no token.
    pub fn request(&self, shopper: &str, locale: &str, slot: &str) -> anyhow::Result<Request> {
        let token = self.token(shopper, locale)?;
        let text = |name: &str| token.get(name).and_then(Value::as_str).context("no grant");
        Ok(Request {
            pin: text("pin")?.to_owned(),
            caller: Caller::Token(domicile_wire::Bearer::new(text("token")?).context("no token")?),
            date_s: Some(self.network.unix_seconds()),
            budget_ms: None,
            call: Call::Rank(RankRequest {
                locale: locale.to_owned(),
                slot: slot.to_owned(),
                anchor: vec![],
            }),
        })
    }

    /// Seals a message to a cell's newest key, which the cell itself states.
    ///
    /// # Errors
    /// When the statement is not the cell's.
    pub fn seal(&self, cell: &str, message: &[u8]) -> anyhow::Result<(Vec<u8>, Opener)> {
        let answer = http::send(&self.cell(cell)?, "GET", domicile_wire::KEYS_PATH, &[], &[])?;
        let text = String::from_utf8(answer.body)?;
        let named = self.topology.cell_named(cell).context("the topology has no such cell")?;
        let signers: Vec<_> = named.signing_keys().cloned().collect();
        let statement = KeyStatement::open(&text, cell, &signers, self.network.unix_seconds())?;
        Ok(Sealer::new(&read_list(&statement.list()?)?, None)?.seal(message)?)
    }

    /// Seals a request to a cell, sends it through the edge, and opens what comes back.
    ///
    /// # Errors
    /// When it is no answer of the cell.
    pub fn ask_through_edge(&self, path: &str, cell: &str, request: &Request) -> anyhow::Result<Reply> {
        let (sealed, opener) = self.seal(cell, &request.encode())?;
        let answer = http::send(self.edge(), "POST", path, &[], &sealed)?;
        let outcome = answer.header("domicile-outcome");
        anyhow::ensure!((answer.status, outcome) == (200, "relayed"), "{} {outcome:?}", answer.status);
        anyhow::ensure!(answer.header("content-type") == domicile_seal::ANSWER_TYPE, "{answer:?}");
        Ok(Reply::decode(&opener.open(&answer.body)?)?)
    }
}
