//! A client of the edge: asks for shelves, sends inner requests, tells an answer of a cell from a fallback.
//!
//! The inner request travels as it is (`message/bhttp`), unsealed, which is why cells take a plain shopper id on
//! loopback only. Never retries: a fallback is the retry (RFC 9458 §6.5).

use std::path::PathBuf;
use std::time::Duration;

use anyhow::Context as _;
use bytes::Bytes;
use domicile_pin::Pin;
use domicile_topology::{Cell, Class, KeyUse, Locale, Slot, Topology};
use domicile_wire::{InnerRequest, Problem, RankAnswer, RankRequest, ShopperId};
use http::{Request, StatusCode};
use http_body_util::{BodyExt as _, Full, Limited};
use hyper_util::client::legacy::connect::HttpConnector;
use hyper_util::rt::TokioExecutor;
use serde_json::Value;

use crate::{clock, topology};

/// Longest answer that is read, in bytes.
const ANSWER_MAX: usize = 512 * 1024;
/// No answer after this long is an error of the edge: its own clocks are far shorter.
const PATIENCE: Duration = Duration::from_secs(10);

/// The header that says what an outer answer is.
const OUTCOME: &str = "domicile-outcome";

/// One edge and the connections to it.
#[derive(Clone)]
pub(crate) struct Client {
    edge: String,
    http: hyper_util::client::legacy::Client<HttpConnector, Full<Bytes>>,
}

/// Which edge, and what its tables were built from.
#[derive(clap::Args)]
pub(crate) struct At {
    /// The edge, e.g. http://127.0.0.1:8080
    #[arg(long, value_name = "URL")]
    pub(crate) edge: String,
    /// The topology the edge was built with
    #[arg(long, value_name = "FILE")]
    pub(crate) topology: PathBuf,
    /// The secret pin key: until there is an identity service, this command mints the pin itself
    #[arg(long, value_name = "FILE")]
    pub(crate) pin_key: PathBuf,
}

/// What the edge answered to a request for a cell.
pub(crate) enum Reply {
    /// A cell answered, with a ranking or with a problem.
    Relayed(Result<Box<RankAnswer>, Problem>),
    /// The list, and the reason why.
    Fallback { reason: String, list: Value },
    /// The edge refused.
    Refused { status: StatusCode, problem: Value },
}

/// Whom a request is for, every name resolved.
pub(crate) struct Target<'a> {
    /// The class its pin states.
    pub(crate) class: &'a Class,
    /// The cell that is to answer.
    pub(crate) cell: &'a Cell,
    /// The locale.
    pub(crate) locale: &'a Locale,
    /// The slot.
    pub(crate) slot: &'a Slot,
}

impl Client {
    /// A client of the edge at `edge`, such as `http://127.0.0.1:8080`.
    pub(crate) fn new(edge: &str) -> Self {
        let mut connector = HttpConnector::new();
        connector.set_nodelay(true);
        let http = hyper_util::client::legacy::Client::builder(TokioExecutor::new()).build(connector);
        Self { edge: edge.trim_end_matches('/').to_owned(), http }
    }

    /// The popularity list of a locale and slot.
    pub(crate) async fn shelf(&self, locale: &str, slot: &str) -> anyhow::Result<Value> {
        let request = Request::get(format!("{}/v1/shelf/{locale}/{slot}", self.edge)).body(Full::default())?;
        let (status, _, body) = self.send(request).await?;
        anyhow::ensure!(
            status == StatusCode::OK,
            "the edge answers {status}: {}",
            String::from_utf8_lossy(&body)
        );
        serde_json::from_slice(&body).context("the edge's list is not JSON")
    }

    /// A personal shelf, through the edge.
    pub(crate) async fn rank(
        &self,
        target: &Target<'_>,
        pin: &str,
        inner: &InnerRequest,
    ) -> anyhow::Result<Reply> {
        let path =
            format!("/v1/sealed/{pin}/{}/{}/{}", target.cell.name, target.locale.name, target.slot.name);
        let body = Full::from(domicile_wire::encode_request(inner));
        let request = Request::post(format!("{}{path}", self.edge)).body(body)?;
        let (status, outcome, body) = self.send(request).await?;
        if status != StatusCode::OK {
            let problem = serde_json::from_slice(&body).unwrap_or(Value::Null);
            return Ok(Reply::Refused { status, problem });
        }
        match outcome.as_str() {
            "relayed" => {
                let answer =
                    domicile_wire::decode_response(&body).context("the cell's answer cannot be read")?;
                Ok(Reply::Relayed(answer.map(Box::new)))
            }
            other => {
                let reason =
                    other.strip_prefix("fallback; reason=").with_context(|| format!("outcome {other:?}"))?;
                let list = serde_json::from_slice(&body).context("the edge's list is not JSON")?;
                Ok(Reply::Fallback { reason: reason.to_owned(), list })
            }
        }
    }

    async fn send(&self, request: Request<Full<Bytes>>) -> anyhow::Result<(StatusCode, String, Bytes)> {
        let exchange = async {
            let response =
                self.http.request(request).await.with_context(|| format!("no answer from {}", self.edge))?;
            let status = response.status();
            let outcome =
                response.headers().get(OUTCOME).and_then(|v| v.to_str().ok()).unwrap_or_default().to_owned();
            let body = Limited::new(response.into_body(), ANSWER_MAX).collect().await;
            let body = body.map_err(|e| anyhow::anyhow!("the answer broke off: {e}"))?.to_bytes();
            anyhow::Ok((status, outcome, body))
        };
        tokio::time::timeout(PATIENCE, exchange).await.with_context(|| format!("{} hangs", self.edge))?
    }
}

/// Resolves the names of a request; the class is the locale's when none is given, the cell the shopper's home.
pub(crate) fn target<'a>(
    topology: &'a Topology,
    locale: &str,
    slot: &str,
    class: Option<&str>,
    cell: Option<&str>,
    shopper: &str,
) -> anyhow::Result<Option<Target<'a>>> {
    let locale =
        topology.locale_named(locale).with_context(|| format!("the topology has no locale {locale:?}"))?;
    let slot = topology.slot_named(slot).with_context(|| format!("the topology has no slot {slot:?}"))?;
    let class = match class {
        Some(name) => {
            topology.class_named(name).with_context(|| format!("the topology has no class {name:?}"))?
        }
        None => topology.class(locale.class).context("the locale has no class")?,
    };
    let cell = match cell {
        Some(name) => {
            Some(topology.cell_named(name).with_context(|| format!("the topology has no cell {name:?}"))?)
        }
        None => topology.home_cell(class.id, shopper).and_then(|id| topology.cell(id)),
    };
    Ok(cell.map(|cell| Target { class, cell, locale, slot }))
}

/// The live pin of a class.
pub(crate) fn pin(
    topology: &Topology,
    class: &Class,
    key: &domicile_envelope::SigningKey,
) -> anyhow::Result<String> {
    topology::ensure_listed(topology, &key.verifying_key(), KeyUse::Pin)?;
    Ok(Pin::mint(class.id.0, topology.pin.at(clock::minute()), key).to_string())
}

/// The inner request for a shelf.
pub(crate) fn inner(
    target: &Target<'_>,
    pin: &str,
    shopper: &str,
    anchor: Vec<String>,
) -> anyhow::Result<InnerRequest> {
    Ok(InnerRequest {
        pin: pin.to_owned(),
        shopper: Some(ShopperId::new(shopper).context("a shopper id is 1 to 128 visible ASCII characters")?),
        budget_ms: None,
        rank: RankRequest { locale: target.locale.name.clone(), slot: target.slot.name.clone(), anchor },
    })
}
