//! `domicile rank`: one personal shelf beside the popularity list of the same locale and slot.

use std::path::PathBuf;
use std::process::ExitCode;
use std::time::Duration;

use anyhow::Context as _;
use domicile_client::{
    Answered, Ask, Cells, Client, EdgeProblem, Grant, IdentityError, Network, Outcome, Page, Reason,
};
use domicile_wire::RankAnswer;
use serde_json::{Value, json};

use crate::client::{At, Granted, PATIENCE};
use crate::edge::overlap;
use crate::{clock, output};

mod kept;
mod show;

/// The reason when the identity service gave no grant.
const NO_GRANT: &str = "no-grant";
/// Why a list is the lawful answer.
const LIST_ONLY: &str = "the class has no cell: list only";

/// Ask an edge for a shopper's shelf and show it beside the popularity list.
#[derive(clap::Args)]
pub(crate) struct Rank {
    #[command(flatten)]
    at: At,
    /// The locale
    #[arg(long)]
    locale: String,
    /// The slot
    #[arg(long, default_value = "home")]
    slot: String,
    /// The shopper's id, as imported; without one, an anonymous session
    #[arg(long)]
    shopper: Option<String>,
    /// The only cell of the class to ask; default: the shopper's home, and one that stands in for it
    #[arg(long)]
    cell: Option<String>,
    /// An item the page is about (basket or product page), repeatable
    #[arg(long, value_name = "ITEM")]
    anchor: Vec<String>,
    /// Keep the request's hash, the answer and its receipt in this file, for `domicile receipt verify --receipt`
    #[arg(long, value_name = "FILE")]
    receipt: Option<PathBuf>,
    /// Print list, answer and latency as JSON
    #[arg(long)]
    json: bool,
}

/// Runs the command. Exit 0 when a cell ranked or the list was the lawful answer, 1 otherwise.
pub(crate) async fn run(rank: Rank) -> anyhow::Result<ExitCode> {
    let receipt: Vec<_> = rank.receipt.iter().map(|file| ("--receipt", file.clone())).collect();
    overlap::ensure_none(&rank.at.files(), &receipt)?;
    let network = Network::new();
    let client = rank.at.client(&network)?;
    let page =
        Page::new(&rank.locale, &rank.slot).context("--locale, --slot: no name that a path can hold")?;
    let list = client.shelf(&page, client.deadline(PATIENCE)).await?;
    let grant = match rank.at.grant(&client, &network, rank.shopper.as_deref(), &rank.locale).await {
        Ok(Granted::Grant(grant)) => grant,
        Ok(Granted::ListOnly) => return Ok(lawfully_listed(&rank, &list)),
        Err(refusal) => return Ok(without_grant(&rank, &refusal, &list)),
    };
    // The page's limit stands in the manifest: it begins once that is there.
    let limit = match client.route(grant.class(), client.deadline(PATIENCE)).await {
        Ok(manifest) => Duration::from_millis(manifest.clocks.page_limit_ms.into()),
        Err(reason) => return Ok(fell_back(&rank, reason.as_str(), 0.0, &list)),
    };
    let started = clock::now();
    let outcome = ask(&rank, &client, &grant, &page, limit).await;
    let latency_ms = started.elapsed().as_secs_f64() * 1_000.0;
    Ok(match outcome {
        Outcome::Answered(answered) => ranked(&rank, &answered, latency_ms, &list)?,
        Outcome::Refused(refusal) => {
            let problem = serde_json::to_value(&refusal.problem)?;
            refused(&rank, &json!({ "outcome": "relayed", "latency_ms": latency_ms, "problem": problem }))
        }
        Outcome::Fallback(fallback) => match (fallback.edge, fallback.reason) {
            (Some(EdgeProblem { status, problem }), _) => {
                refused(&rank, &json!({ "outcome": "refused", "status": status, "problem": problem }))
            }
            (None, Reason::NoCell) => lawfully_listed(&rank, &list),
            (None, reason) => fell_back(&rank, reason.as_str(), latency_ms, &list),
        },
    })
}

async fn ask(
    rank: &Rank,
    client: &Client<Network>,
    grant: &Grant,
    page: &Page,
    limit: Duration,
) -> Outcome<RankAnswer> {
    let cells = rank.cell.as_deref().map_or(Cells::Any, Cells::Only);
    let deadline = client.deadline(limit);
    client.rank(Ask { grant, page, cells, deadline }, rank.anchor.clone()).await
}

fn ranked(
    rank: &Rank,
    answered: &Answered<RankAnswer>,
    latency_ms: f64,
    list: &Value,
) -> anyhow::Result<ExitCode> {
    if let Some(file) = &rank.receipt {
        kept::write(file, &answered.kept)?;
    }
    if rank.json {
        output::json(&json!({
            "outcome": "relayed", "latency_ms": latency_ms, "attempts": answered.attempts,
            "answer": &answered.answer, "receipt": &answered.receipt, "list": list,
        }));
    } else {
        show::ranking(rank, answered, latency_ms, list);
    }
    Ok(ExitCode::SUCCESS)
}

fn lawfully_listed(rank: &Rank, list: &Value) -> ExitCode {
    if rank.json {
        output::json(&json!({ "outcome": "list", "reason": LIST_ONLY, "list": list }));
    } else {
        output::line(format!("{} / {}: {LIST_ONLY}", rank.locale, rank.slot));
        show::beside(list, None);
    }
    ExitCode::SUCCESS
}

/// The list is on the page already, whatever becomes of the grant.
fn without_grant(rank: &Rank, refusal: &IdentityError, list: &Value) -> ExitCode {
    output::complain(refusal.to_string());
    fell_back(rank, NO_GRANT, 0.0, list)
}

fn fell_back(rank: &Rank, reason: &str, latency_ms: f64, list: &Value) -> ExitCode {
    if rank.json {
        output::json(
            &json!({ "outcome": "fallback", "reason": reason, "latency_ms": latency_ms, "list": list }),
        );
    } else {
        output::line(format!("{} / {}: fallback ({reason}), {latency_ms:.1} ms", rank.locale, rank.slot));
        show::beside(list, None);
    }
    ExitCode::FAILURE
}

/// Shows a problem document: whole to a script, its code and words to a person.
fn refused(rank: &Rank, outcome: &Value) -> ExitCode {
    if rank.json {
        output::json(outcome);
    } else {
        let said = |name: &str| {
            outcome.pointer(&format!("/problem/{name}")).and_then(Value::as_str).unwrap_or_default()
        };
        let words = [said("title"), said("detail")].into_iter().filter(|words| !words.is_empty());
        let words = words.map(output::shown).collect::<Vec<_>>().join("; ");
        let code = output::shown(said("code"));
        output::complain(format!("{} / {}: {code}: {words}", rank.locale, rank.slot));
    }
    ExitCode::FAILURE
}
