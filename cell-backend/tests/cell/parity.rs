//! The cell's features and scores against the trainer's, on committed cases.

use std::collections::HashMap;
use std::sync::Arc;
use std::time::Duration;

use domicile_cell::clock::Clock;
use domicile_cell::features::{Group, ItemHistory, Kind, Row};
use domicile_cell::inputs::{self, CandidateInputs, RequestInputs};
use domicile_cell::ranker::{Model, Ranker};
use domicile_cell::retrieval::exact::Exact;
use domicile_cell::retrieval::{CandidateIndex as _, unite};
use domicile_cell::snapshots::{self, Snapshot};
use domicile_deadline::Deadline;
use domicile_topology::KeyUse;
use serde::Deserialize;

use crate::world::{World, repository, runtime};

#[derive(Deserialize)]
struct File {
    vocabulary: String,
    candidates: Limits,
    popular: Vec<String>,
    tolerance: Tolerance,
    cases: Vec<Case>,
}

#[derive(Deserialize)]
struct Limits {
    own: usize,
    ann: usize,
}

#[derive(Deserialize)]
struct Tolerance {
    inputs: f32,
    outputs: f32,
}

#[derive(Deserialize)]
struct Case {
    now_s: i64,
    slot: String,
    anchor: Vec<String>,
    events: Vec<(String, i64)>,
    expected: Expected,
}

#[derive(Deserialize)]
struct Expected {
    history: Vec<i64>,
    history_weight: Vec<f32>,
    history_age: Vec<f32>,
    history_type: Vec<f32>,
    anchor: Vec<i64>,
    shopper: Vec<f32>,
    context: Vec<f32>,
    candidates: Vec<i64>,
    cross: Vec<Vec<f32>>,
    query: Vec<f32>,
    full: Vec<f32>,
    compact: Vec<f32>,
}

#[test]
fn features_and_scores_are_the_trainer_s() {
    let world = World::new();
    let snapshot =
        snapshots::load(&world.at("snapshot"), &world.parsed().keys_for(KeyUse::Snapshot)).ok().unwrap();
    let text = std::fs::read_to_string(repository("models/demo/parity.json")).unwrap();
    let file: File = serde_json::from_str(&text).unwrap();
    assert_eq!(file.vocabulary, snapshot.manifest.vocabulary);
    let clock = Clock::start();
    let ranker = Ranker::start(runtime(), &snapshot, 1, 4, clock).ok().unwrap();
    for (number, case) in file.cases.iter().enumerate() {
        check(number, case, &file, &snapshot, &ranker, clock);
    }
}

fn check(number: usize, case: &Case, file: &File, snapshot: &Snapshot, ranker: &Ranker, clock: Clock) {
    let (expected, tolerance) = (&case.expected, &file.tolerance);
    let near = |name: &str, found: &[f32], wanted: &[f32], tolerance: f32| {
        assert_eq!(found.len(), wanted.len(), "case {number}: length of {name}");
        for (at, (found, wanted)) in found.iter().zip(wanted).enumerate() {
            let far = (found - wanted).abs() > tolerance * wanted.abs().max(1.0);
            assert!(!far, "case {number}: {name}[{at}] is {found}, the trainer's is {wanted}");
        }
    };
    let profile = inputs::profile(snapshot, &row(case), case.now_s);
    let anchor = inputs::anchors(snapshot, &case.anchor).unwrap();
    let request = RequestInputs::new(snapshot, &profile, &anchor, &case.slot, case.now_s);
    assert_eq!(request.history, expected.history, "case {number}");
    assert_eq!(request.anchor, expected.anchor, "case {number}");
    near("history_weight", &request.history_weight, &expected.history_weight, tolerance.inputs);
    near("history_age", &request.history_age, &expected.history_age, tolerance.inputs);
    near("history_type", &request.history_type, &expected.history_type, tolerance.inputs);
    near("shopper", &request.shopper, &expected.shopper, tolerance.inputs);
    near("context", &request.context, &expected.context, tolerance.inputs);

    let deadline = || Deadline::after(clock.now(), Duration::from_secs(30));
    let tokio = tokio::runtime::Builder::new_current_thread().enable_time().build().unwrap();
    let request = Arc::new(request);
    let query = tokio.block_on(ranker.query(&request, deadline())).unwrap();
    near("query", &query, &expected.query, tolerance.outputs);

    let index = Exact::new(Arc::clone(&snapshot.embeddings));
    let popular: Vec<_> = file.popular.iter().map(|id| snapshot.items.index_of(id).unwrap()).collect();
    let own = profile.own.iter().take(file.candidates.own).map(|own| own.item);
    let candidates = if request.says_something() {
        unite(own, &index.nearest(&query, file.candidates.ann), &popular, |item| index.score(&query, item))
    } else {
        unite(own, &[], &popular, |_| 0.0)
    };
    let inputs = CandidateInputs::new(snapshot, &profile, &candidates);
    assert_eq!(inputs.candidates, expected.candidates, "case {number}");
    near("cross", &inputs.cross, &expected.cross.concat(), tolerance.inputs.max(1e-4));

    let inputs = Arc::new(inputs);
    let score = |model| tokio.block_on(ranker.score(model, &request, &inputs, deadline())).unwrap();
    near("full", &score(Model::Full), &expected.full, tolerance.outputs);
    near("compact", &score(Model::Compact), &expected.compact, tolerance.outputs);
}

/// The row that the case's events make; they are all purchases.
fn row(case: &Case) -> Row {
    let mut items: HashMap<&str, ItemHistory> = HashMap::new();
    for (item, time_s) in &case.events {
        items
            .entry(item)
            .and_modify(|history| history.add(Kind::Purchase, *time_s))
            .or_insert_with(|| ItemHistory::begin(item, Kind::Purchase, *time_s));
    }
    let profile = Group { items: items.into_values().collect() };
    Row { updated_s: case.now_s, profile, ..Row::default() }
}
