//! `domicile rank`: one personal shelf beside the popularity list of the same locale and slot.

use std::process::ExitCode;
use std::time::Duration;

use domicile_wire::RankAnswer;
use serde_json::{Value, json};

use crate::client::{self, At, Client, Reply};
use crate::{clock, key, output, topology};

/// The reason when an answer was no answer: it broke off, or could not be read.
const ANSWER_LOST: &str = "answer-lost";
/// The reason when the topology's `page_limit` was over first: no page would swap its shelf any more.
const PAGE_LIMIT: &str = "page-limit";

/// Rows shown to a person.
const ROWS: usize = 10;
/// Width of the list's column.
const COLUMN: usize = 46;

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
    /// The shopper's id, as imported (cells take it on loopback only, until requests are sealed)
    #[arg(long)]
    shopper: String,
    /// The residency class; default: the locale's
    #[arg(long)]
    class: Option<String>,
    /// The cell; default: the shopper's home cell in the class
    #[arg(long)]
    cell: Option<String>,
    /// An item the page is about (basket or product page), repeatable
    #[arg(long, value_name = "ITEM")]
    anchor: Vec<String>,
    /// Print list, answer and latency as JSON
    #[arg(long)]
    json: bool,
}

/// Runs the command. Exit 0 when a cell ranked or the list was the lawful answer, 1 otherwise.
pub(crate) async fn run(rank: Rank) -> anyhow::Result<ExitCode> {
    let topology = topology::load(&rank.at.topology)?;
    let edge = Client::new(&rank.at.edge);
    let list = edge.shelf(&rank.locale, &rank.slot).await?;
    let (class, cell) = (rank.class.as_deref(), rank.cell.as_deref());
    let Some(target) = client::target(&topology, &rank.locale, &rank.slot, class, cell, &rank.shopper)?
    else {
        let why = "the class has no cell: list only";
        if rank.json {
            output::json(&json!({ "outcome": "list", "reason": why, "list": list }));
        } else {
            output::line(format!("{} / {}: {why}", rank.locale, rank.slot));
            beside(&list, None);
        }
        return Ok(ExitCode::SUCCESS);
    };
    let pin = client::pin(&topology, target.class, &key::signing(&rank.at.pin_key)?)?;
    let inner = client::inner(&target, &pin, &rank.shopper, rank.anchor.clone())?;
    let started = clock::now();
    let within = Duration::from_millis(topology.clocks.page_limit_ms.into());
    let reply = edge.rank(&target, &pin, &inner);
    let reply = tokio::time::timeout(within, reply).await;
    let latency_ms = started.elapsed().as_secs_f64() * 1_000.0;
    Ok(match reply {
        Ok(Ok(Reply::Relayed(Ok(answer)))) => {
            if rank.json {
                output::json(&json!({
                    "outcome": "relayed", "latency_ms": latency_ms, "answer": &*answer, "list": list,
                }));
            } else {
                show(&rank, &answer, latency_ms, &list);
            }
            ExitCode::SUCCESS
        }
        Ok(Ok(Reply::Relayed(Err(problem)))) => {
            let problem = serde_json::to_value(&problem)?;
            refused(&rank, &json!({ "outcome": "relayed", "latency_ms": latency_ms, "problem": problem }))
        }
        Ok(Ok(Reply::Refused { status, problem })) => {
            refused(&rank, &json!({ "outcome": "refused", "status": status.as_u16(), "problem": problem }))
        }
        Ok(Ok(Reply::Fallback { reason, list })) => fell_back(&rank, &reason, latency_ms, &list),
        // The list is on the page already: an answer that breaks off, or comes too late, changes nothing there.
        Ok(Err(lost)) => {
            tell(&format!("{lost:#}"));
            fell_back(&rank, ANSWER_LOST, latency_ms, &list)
        }
        Err(_elapsed) => fell_back(&rank, PAGE_LIMIT, latency_ms, &list),
    })
}

fn fell_back(rank: &Rank, reason: &str, latency_ms: f64, list: &Value) -> ExitCode {
    if rank.json {
        output::json(
            &json!({ "outcome": "fallback", "reason": reason, "latency_ms": latency_ms, "list": list }),
        );
    } else {
        output::line(format!("{} / {}: fallback ({reason}), {latency_ms:.1} ms", rank.locale, rank.slot));
        beside(list, None);
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
        let words = words.collect::<Vec<_>>().join("; ");
        tell(&format!("{} / {}: {}: {words}", rank.locale, rank.slot, said("code")));
    }
    ExitCode::FAILURE
}

#[expect(clippy::print_stderr, reason = "a command-line tool reports on standard error")]
fn tell(words: &str) {
    eprintln!("domicile: {words}");
}

fn show(rank: &Rank, answer: &RankAnswer, latency_ms: f64, list: &Value) {
    output::line(format!(
        "{} / {}: rung {} ({}), {latency_ms:.1} ms end to end, {:.1} ms in cell {}, features {} ({} s)",
        rank.locale,
        rank.slot,
        answer.rung.as_str(),
        answer.reason.as_str(),
        Micros(answer.elapsed_us).millis(),
        answer.cell,
        answer.features.state.as_str(),
        answer.features.age_s,
    ));
    output::line(format!("snapshot {}", answer.snapshot));
    beside(list, Some(answer));
}

/// Prints the first rows of the list and of the personal shelf next to each other.
fn beside(list: &Value, answer: Option<&RankAnswer>) {
    let empty = Vec::new();
    let popular = list.get("items").and_then(Value::as_array).unwrap_or(&empty);
    output::line(format!(
        "  {:<COLUMN$} {}",
        "popular",
        if answer.is_some() { "personal (source)" } else { "" }
    ));
    for row in 0..ROWS {
        let left = popular.get(row).and_then(|i| i.get("title")).and_then(Value::as_str).unwrap_or_default();
        let right = answer.and_then(|a| a.items.get(row));
        let right = right.map(|i| format!("{} ({})", i.title, i.source.as_str())).unwrap_or_default();
        let left: String = left.chars().take(COLUMN).collect();
        output::line(format!("  {left:<COLUMN$} {right}").trim_end());
    }
}

struct Micros(u64);

impl Micros {
    fn millis(&self) -> f64 {
        Duration::from_micros(self.0).as_secs_f64() * 1_000.0
    }
}
