//! Route manifests and statements of keys, once more.

use domicile_route::{
    KEYS_TYPE, KeyStatement, KeyStatementError, ROUTE_TYPE, RouteError, RouteManifest, Trust,
};
use serde_json::Value;

use crate::json::{number, seconds, text};
use crate::signed::{Input, trusted};
use crate::{Disagreement, agree};

/// 2027-01-15T08:00:00Z.
pub(crate) const NOW: i64 = 1_800_000_000;
/// The version seen before.
const SEEN: u64 = 7;

/// Opens an input: its first byte says whether as a manifest (`r`) or a statement (`k`). Whether it was accepted.
///
/// # Errors
/// When route and reference part.
pub fn check(input: &[u8]) -> Result<bool, Disagreement> {
    match input.split_first() {
        Some((b'r', rest)) => Input::read(rest).map_or(Ok(false), |input| manifest(&input)),
        Some((b'k', rest)) => Input::read(rest).map_or(Ok(false), |input| statement(&input)),
        _ => Ok(false),
    }
}

fn manifest(input: &Input<'_>) -> Result<bool, Disagreement> {
    let trust = Trust { roots: &trusted().1, seen: SEEN, now_s: NOW };
    let said = RouteManifest::open(&input.envelope(ROUTE_TYPE), "eu_only", trust);
    let Some(payload) = input.signed() else {
        let untrusted = matches!(said, Err(RouteError::Untrusted(_)));
        return agree(untrusted, || format!("{said:?} of what nobody signed")).map(|()| false);
    };
    let Ok(manifest) = said else {
        let wrong = matches!(said, Err(RouteError::Untrusted(_)));
        return agree(!wrong, || format!("{said:?} of what was signed")).map(|()| false);
    };
    let value = value(payload)?;
    agree(number(&value, "form") == Some(1), || "another form".to_owned())?;
    agree(text(&value, "class") == Some("eu_only"), || "another class".to_owned())?;
    agree(number(&value, "version").is_some_and(|version| version >= i128::from(SEEN)), || {
        "rolled back".to_owned()
    })?;
    holds(&value)?;
    let cells = value.get("cells").and_then(Value::as_array).map_or(&[][..], Vec::as_slice);
    agree(cells.len() == manifest.cells.len(), || "another number of cells".to_owned())?;
    for (written, cell) in cells.iter().zip(&manifest.cells) {
        agree(text(written, "name") == Some(&cell.name), || "another cell".to_owned())?;
        let key = text(written, "signing_key").is_some_and(|key| key.contains("P-256"));
        agree(key && cell.keys().is_some(), || "a cell without a key".to_owned())?;
    }
    let again = RouteManifest::open(&manifest.sign(&trusted().0), "eu_only", trust);
    agree(again.as_ref() == Ok(&manifest), || "not read back from its own form".to_owned())?;
    Ok(true)
}

fn statement(input: &Input<'_>) -> Result<bool, Disagreement> {
    let said = KeyStatement::open(&input.envelope(KEYS_TYPE), "eu-a", &trusted().1, NOW);
    let Some(payload) = input.signed() else {
        let untrusted = matches!(said, Err(KeyStatementError::Untrusted(_)));
        return agree(untrusted, || format!("{said:?} of what nobody signed")).map(|()| false);
    };
    let Ok(statement) = said else { return Ok(false) };
    let value = value(payload)?;
    agree(number(&value, "form") == Some(1), || "another form".to_owned())?;
    agree(text(&value, "cell") == Some("eu-a"), || "another cell".to_owned())?;
    holds(&value)?;
    // What was handed over is read by whoever seals: it must be refused or taken, never worse.
    let _ = domicile_seal::config::read_list(&statement.list().unwrap_or_default());
    Ok(true)
}

/// Its time is not over, as far as the reference reads the time.
fn holds(value: &Value) -> Result<(), Disagreement> {
    let end = text(value, "not_after").and_then(seconds);
    agree(end.is_none_or(|end| end > NOW), || "taken after its end".to_owned())
}

fn value(payload: &[u8]) -> Result<Value, Disagreement> {
    serde_json::from_slice(payload).map_err(|_| Disagreement("accepted, and it is no JSON".to_owned()))
}
