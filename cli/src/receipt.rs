//! `domicile receipt`: verifies what a cell said of an answer.
//!
//! A receipt binds the hash of the request as it was sent, the hash of the answer's content, the cell, the snapshot, the
//! rung and the time under the cell's signature. It proves that the holder of that key stated this, and not where a
//! machine stood: a cell's place is its operator's word.
//!
//! Exit codes differ from the other commands': a verdict that a script acts on must not look like a typing mistake.

mod input;
mod kept;
mod verdict;

use std::path::PathBuf;
use std::process::ExitCode;

use domicile_receipt::Receipt;
use serde_json::{Value, json};

use crate::output::{self, shown};
use input::{Evidence, Unread};

/// What cannot be read.
const UNREAD: u8 = 2;

/// Verify receipts.
#[derive(clap::Subcommand)]
pub(crate) enum ReceiptCommand {
    /// Verify one: exits 0 when it holds, 1 when a part was altered (which is named), 2 when something cannot be read
    Verify(Verify),
}

/// One receipt and what it is held against.
#[derive(clap::Args)]
pub(crate) struct Verify {
    /// The receipt: the envelope, or its base64url text as in the header `domicile-receipt`; or what
    /// `domicile rank --receipt` wrote, which has the answer and the request's hash in it
    #[arg(long, value_name = "FILE")]
    receipt: PathBuf,
    /// The answer's content, exactly as it was sent
    #[arg(long, value_name = "FILE")]
    answer: Option<PathBuf>,
    /// The request as it was sent: the sealed bytes, or on the direct API the content
    #[arg(long, value_name = "FILE", conflicts_with = "request_hash")]
    request: Option<PathBuf>,
    /// The SHA-256 of the request, in hex
    #[arg(long, value_name = "HEX")]
    request_hash: Option<String>,
    /// The cell's public signing key
    #[arg(long, value_name = "FILE", required_unless_present = "manifest", conflicts_with = "manifest")]
    key: Option<PathBuf>,
    /// A route manifest that names the cell's key
    #[arg(long, value_name = "FILE", requires = "root_key")]
    manifest: Option<PathBuf>,
    /// The root key that has to have signed the manifest; repeat it for the successor
    #[arg(long, value_name = "FILE")]
    root_key: Vec<PathBuf>,
    /// The cell that was asked, if that is known
    #[arg(long, value_name = "NAME")]
    cell: Option<String>,
    /// Print the verdict as JSON
    #[arg(long)]
    json: bool,
}

/// Runs one command.
pub(crate) fn run(command: ReceiptCommand) -> ExitCode {
    let ReceiptCommand::Verify(verify) = command;
    let evidence = match Evidence::read(&verify) {
        Ok(evidence) => evidence,
        Err(unread) => return not_read(&unread, verify.json),
    };
    match verdict::judge(&evidence, verify.cell.as_deref()) {
        Ok(receipt) => {
            if verify.json {
                output::json(&json!({ "holds": true, "receipt": receipt }));
            } else {
                show(&receipt);
            }
            ExitCode::SUCCESS
        }
        Err(error) => {
            if verify.json {
                let (part, reason) = (error.part(), error.to_string());
                output::json(&json!({ "holds": false, "part": part, "reason": reason }));
            } else {
                output::line(format!("does not hold: {error}"));
            }
            ExitCode::FAILURE
        }
    }
}

fn not_read(unread: &Unread, json: bool) -> ExitCode {
    if json {
        output::json(&json!({ "holds": Value::Null, "reason": unread.to_string() }));
    } else {
        output::complain(unread.to_string());
    }
    ExitCode::from(UNREAD)
}

fn show(receipt: &Receipt) {
    let [cell, boundary, time] = [&receipt.cell, &receipt.boundary, &receipt.time].map(|text| shown(text));
    output::line(format!("holds: cell {cell} ({boundary}) stated it at {time}"));
    let snapshot = receipt.snapshot.as_deref().unwrap_or("none");
    let [class, rung, snapshot] = [&receipt.class, &receipt.rung, snapshot].map(shown);
    output::line(format!("class {class}, rung {rung}, snapshot {snapshot}"));
    output::line(format!("request {}\nanswer {}", shown(&receipt.request), shown(&receipt.answer)));
}
