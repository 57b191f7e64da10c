//! The graph index against the exact scan: the demo's embeddings, and the queries of the committed cases.

use std::sync::Arc;

use domicile_cell::retrieval::CandidateIndex as _;
use domicile_cell::retrieval::exact::Exact;
use domicile_cell::retrieval::graph::Graph;
use domicile_cell::snapshots;
use domicile_cell::snapshots::embeddings::Embeddings;
use domicile_topology::KeyUse;
use serde_json::Value;

use crate::world::{World, repository};

/// Every so many-th item: the graph of all takes a quarter of a minute to build.
const STRIDE: usize = 4;
/// Scores nearer than this are the same item to a ranker.
const SAME: f32 = 1e-5;

#[test]
fn the_graph_finds_95_of_the_100_nearest_demo_items() {
    let world = World::new();
    let snapshot =
        snapshots::load(&world.at("snapshot"), &world.parsed().keys_for(KeyUse::Snapshot)).ok().unwrap();
    let dim = snapshot.embeddings.dim();
    let values = snapshot.embeddings.rows().step_by(STRIDE).flat_map(|(_, row)| row.to_vec()).collect();
    let embeddings = Arc::new(Embeddings::from_values(values, dim));
    let (exact, graph) = (Exact::new(Arc::clone(&embeddings)), Graph::build(embeddings));
    let queries = queries();
    assert!(queries.len() >= 5);
    // By score, not by index: many items that nobody bought twice have almost the same embedding.
    let found: usize = queries
        .iter()
        .map(|query| {
            let hundredth = exact.nearest(query, 100).last().unwrap().score;
            graph.nearest(query, 100).iter().filter(|scored| scored.score >= hundredth - SAME).count()
        })
        .sum();
    let recall = found as f64 / (queries.len() * 100) as f64;
    assert!(recall >= 0.95, "recall@100 is {recall}");
}

/// The query vectors of the cases that have something to make one from.
fn queries() -> Vec<Vec<f32>> {
    let text = std::fs::read_to_string(repository("models/demo/parity.json")).unwrap();
    let file: Value = serde_json::from_str(&text).unwrap();
    let cases = file["cases"].as_array().unwrap().iter();
    let told = cases.filter(|case| case["events"].as_array().is_some_and(|events| !events.is_empty()));
    told.map(|case| serde_json::from_value(case["expected"]["query"].clone()).unwrap()).collect()
}
