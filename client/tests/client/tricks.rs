//! What an edge, or a cell, may do to a client.

use std::time::Duration;

use bytes::Bytes;
use domicile_client::Lost;
use domicile_envelope::SigningKey;
use domicile_receipt::{Receipt, Stated, hash};
use domicile_route::RouteManifest;
use domicile_seal::{ANSWER_TYPE, Kem, SealingKey};
use domicile_wire::{Call, Code, Marks, Problem, Steer, decode_request, encode_content, encode_problem};
use http::{Response, StatusCode};
use serde_json::json;

use crate::world::{ANSWER, CellSide, NOW_S, World};

/// Much longer than any page waits.
const NEVER: Duration = Duration::from_secs(3_600);
/// A round trip.
const TRIP: Duration = Duration::from_millis(20);

/// What comes for a manifest.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Route {
    Good,
    Forged,
    RolledBack,
    OtherClass,
    Stale,
    Garbage,
    Missing,
    Lost,
    Hangs,
}

/// What comes for a cell's keys.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Keys {
    Good,
    /// Signed by the cell's next key.
    Next,
    /// The edge's own key, signed by the edge.
    Swapped,
    /// Another cell's statement.
    OtherCells,
    /// An old key that the cell no longer has, unless caches are passed by.
    Cached,
    Stale,
    Garbage,
    Missing,
    Lost,
    Hangs,
}

/// What comes for a sealed request.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Sealed {
    Answer,
    /// Of a cell whose topology is ahead of the manifest's: its next key signs, and its largest slot is larger.
    Ahead,
    /// An answer that points at another cell.
    Steers(&'static str),
    Problem(Code),
    Fallback(&'static str),
    Refused(u16),
    WrongType,
    WrongSize,
    NoOutcome,
    TwoOutcomes,
    /// A good answer under a fallback's name.
    Disguised,
    Flipped(usize),
    /// Bytes of the right size, which nobody sealed.
    Noise,
    /// The answer as it is, unsealed.
    Plain,
    NoReceipt,
    ForgedReceipt,
    OtherReceipt,
    Lost,
    Hangs,
}

type Handled = (Duration, Result<Response<Bytes>, Lost>);

fn whole(status: u16, headers: &[(&str, &str)], body: impl Into<Bytes>) -> Handled {
    let mut response = Response::builder().status(StatusCode::from_u16(status).unwrap());
    for (name, value) in headers {
        response = response.header(*name, *value);
    }
    (TRIP, Ok(response.body(body.into()).unwrap()))
}

/// The manifest, or what the trick makes of it.
pub(crate) fn document(world: &World, trick: Route) -> Handled {
    let (root, manifest, made_s) = (&world.root, &world.manifest, world.made_s);
    let signed = |manifest: &RouteManifest| whole(200, &[], manifest.sign(root));
    let times = |issued_s, not_after_s| {
        let other = RouteManifest::new("eu_only", 8, manifest.clocks, issued_s, not_after_s);
        RouteManifest { issued: other.issued, not_after: other.not_after, ..manifest.clone() }
    };
    match trick {
        Route::Good => signed(manifest),
        Route::Forged => whole(200, &[], manifest.sign(&SigningKey::generate())),
        Route::RolledBack => signed(&RouteManifest { version: 6, ..manifest.clone() }),
        Route::OtherClass => signed(&RouteManifest { class: "us_only".into(), ..manifest.clone() }),
        Route::Stale => signed(&times(made_s - 7_200, made_s - 1)),
        Route::Garbage => whole(200, &[], "{\"cells\":[]}"),
        Route::Missing => whole(404, &[], manifest.sign(root)),
        Route::Lost => (TRIP, Err(Lost::BrokeOff)),
        Route::Hangs => (NEVER, Err(Lost::BrokeOff)),
    }
}

/// A cell's statement, or what the trick makes of it.
pub(crate) fn edge_statement(world: &World, at: usize, trick: Keys, past_caches: bool) -> Handled {
    let (cells, made_s) = (&world.cells, world.made_s);
    let (cell, other) = (&cells[at], &cells[(at + 1) % cells.len()]);
    let old = || [SealingKey::from_seed(9, Kem::X25519, made_s, [99; 32])];
    match trick {
        Keys::Cached if !past_caches => whole(200, &[], cell.statement(&old(), made_s)),
        Keys::Good | Keys::Cached => whole(200, &[], cell.statement(&cell.keys, made_s)),
        Keys::Next => whole(200, &[], cell.stated(&cell.keys, made_s).sign(&cell.next)),
        Keys::Swapped => {
            let edge = CellSide::new(cell.name, 77);
            whole(200, &[], edge.statement(&edge.keys, made_s))
        }
        Keys::OtherCells => whole(200, &[], other.statement(&other.keys, made_s)),
        Keys::Stale => whole(200, &[], cell.statement(&cell.keys, made_s - 3_600)),
        Keys::Garbage => whole(200, &[], "[]"),
        Keys::Missing => whole(503, &[], cell.statement(&cell.keys, made_s)),
        Keys::Lost => (TRIP, Err(Lost::Unreachable)),
        Keys::Hangs => (NEVER, Err(Lost::Unreachable)),
    }
}

/// What a cell answers, or what the trick makes of it.
pub(crate) fn answer(world: &World, cell: &CellSide, relayed: bool, body: &Bytes, trick: &Sealed) -> Handled {
    match trick {
        Sealed::Lost => return (TRIP, Err(Lost::BrokeOff)),
        Sealed::Hangs => return (NEVER, Err(Lost::BrokeOff)),
        Sealed::Refused(status) => return whole(*status, &[], r#"{"code":"pin-expired"}"#),
        Sealed::Fallback(reason) if relayed => return fallback(reason, "{\"items\":[]}"),
        Sealed::Fallback(_) => return whole(503, &[], ""),
        _ => {}
    }
    // A cell that cannot open it says so; the edge makes a fallback of that.
    let Ok(opened) = cell.ring.open(body) else {
        return if relayed { fallback("key-refused", "{}") } else { whole(422, &[], "{}") };
    };
    let inner = inner(world, cell, body, &opened.message, trick);
    let plain = inner.clone();
    let size = match trick {
        Sealed::WrongSize => 4_096,
        Sealed::Ahead => 2 * ANSWER as usize,
        _ => ANSWER as usize,
    };
    let mut sealed = opened.answerer.seal(&inner, size).ok().unwrap();
    let media = if *trick == Sealed::WrongType { "application/json" } else { ANSWER_TYPE };
    let mut headers = vec![("content-type", media)];
    match trick {
        Sealed::Disguised => return fallback("cell-busy", sealed),
        Sealed::Flipped(at) => {
            let at = at % sealed.len();
            sealed[at] ^= 1;
        }
        Sealed::Noise => sealed.fill(7),
        Sealed::Plain => {
            sealed = plain;
            sealed.resize(ANSWER as usize, 0);
        }
        _ => {}
    }
    if relayed && *trick != Sealed::NoOutcome {
        headers.push(("domicile-outcome", "relayed"));
    }
    if *trick == Sealed::TwoOutcomes {
        headers.push(("domicile-outcome", "fallback; reason=cell-busy"));
    }
    whole(200, &headers, sealed)
}

fn fallback(reason: &str, body: impl Into<Bytes>) -> Handled {
    let outcome = format!("fallback; reason={reason}");
    whole(200, &[("domicile-outcome", &outcome), ("content-type", ANSWER_TYPE)], body)
}

/// The inner answer.
fn inner(world: &World, cell: &CellSide, sealed: &Bytes, message: &[u8], trick: &Sealed) -> Vec<u8> {
    let request = decode_request(message).unwrap();
    let now_s = world.made_s + cell.ahead_s;
    let date_s = Some(now_s);
    let problem = |code: Code| encode_problem(&Problem::from(code), Marks { date_s, ..Marks::default() });
    if request.date_s.unwrap().abs_diff(now_s) > 120 {
        return problem(Code::DateSkew);
    }
    if let Sealed::Problem(code) = trick {
        return problem(*code);
    }
    let content = serde_json::to_vec(&said(cell, &request.call)).unwrap();
    let (other, stranger) = (&world.cells[3], SigningKey::generate());
    let stated = Stated {
        cell: if *trick == Sealed::OtherReceipt { other.name } else { cell.name },
        boundary: "eu",
        class: "eu_only",
        snapshot: None,
        rung: request.call.as_str(),
        time_s: now_s,
    };
    let receipt = Receipt::new(hash(sealed), &content, stated);
    let receipt = receipt.sign(match trick {
        Sealed::ForgedReceipt => &stranger,
        Sealed::OtherReceipt => &other.signer,
        Sealed::Ahead => &cell.next,
        _ => &cell.signer,
    });
    let steer = match trick {
        Sealed::Steers(cell) => Some(Steer { cell: (*cell).to_owned(), seconds: 30, permille: 500 }),
        _ => None,
    };
    let receipt = (*trick != Sealed::NoReceipt).then_some(receipt.as_str());
    encode_content(&content, Marks { date_s, receipt, steer: steer.as_ref() })
}

/// What is answered to a call.
fn said(cell: &CellSide, call: &Call) -> serde_json::Value {
    match call {
        Call::Rank(_) => json!({
            "items": [], "rung": "full", "reason": "within-budget", "snapshot": "s", "overlay": "o",
            "cell": cell.name, "features": { "state": "fresh", "age_s": 1 },
            "candidates": { "own": 0, "ann": 0, "popular": 0, "ineligible": 0 },
            "elapsed_us": 1, "stages_us": {},
        }),
        Call::Events(events) => json!({ "accepted": events.len(), "duplicates": 0, "erased": 0 }),
        // Three pages.
        Call::Export(page) => {
            let number: usize = page.as_ref().map_or(0, |page| page.item.parse().unwrap());
            let next = domicile_wire::PageToken {
                group: domicile_wire::Group::Session,
                item: (number + 1).to_string(),
            };
            let next = (number < 2).then(|| next.text());
            json!({ "cell": cell.name, "event_ids": number, "items": [], "next": next })
        }
        Call::Erase => json!({ "cell": cell.name, "state": "complete", "erased_s": NOW_S }),
    }
}
