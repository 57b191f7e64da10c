//! A small made-up snapshot for unit tests. Its models are empty: nothing here runs them.

use std::sync::Arc;

use crate::snapshots::embeddings::Embeddings;
use crate::snapshots::items::{ItemIndex, ItemTable};
use crate::snapshots::manifest::{Manifest, made};
use crate::snapshots::{Models, Snapshot};

/// Six items `a` to `f` at 1.00 to 6.00, `f` without a price; categories `food`, `food`, `wine`, `food`, `food`, `food`.
pub(crate) const ITEMS: &str = "index,id,title,category,department,price,image
1,a,A,food,x,1,img/food.svg
2,b,B,food,x,2,img/food.svg
3,c,C,wine,x,3,img/wine.svg
4,d,D,food,x,4,img/food.svg
5,e,E,food,x,5,img/food.svg
6,f,F,food,x,0,img/food.svg
";

pub(crate) fn manifest() -> serde_json::Value {
    let file = |name: &str| serde_json::json!({"path": name, "sha256": "00", "bytes": 0});
    serde_json::json!({
        "version": 1, "name": "made-up", "vocabulary": "v1", "items": 6, "dim": 2,
        "limits": {"history": 4, "anchor": 2, "candidates": 6, "cross": 10, "shopper": 5, "context": 7},
        "features": made(), "half_life_days": 10.0, "recent_events_per_item": 2,
        "candidates": {"own": 2, "ann": 2, "popular": 2}, "popular": ["e", "d"],
        "files": {
            "tower": file("tower.onnx"), "full": file("full.onnx"), "compact": file("compact.onnx"),
            "embeddings": file("embeddings.f16"), "items": file("items.csv"),
        },
    })
}

pub(crate) fn snapshot() -> Snapshot {
    let manifest = Manifest::parse(manifest().to_string().as_bytes()).unwrap();
    let items = ItemTable::parse(ITEMS.as_bytes(), 6).ok().unwrap();
    let popular = manifest.popular.iter().map(|id| items.index_of(id).unwrap()).collect();
    Snapshot {
        id: "sha256:aa".into(),
        manifest,
        items,
        embeddings: Arc::new(Embeddings::from_values(vec![0.5; 12], 2)),
        popular,
        models: Models { tower: vec![], full: vec![], compact: vec![] },
    }
}

pub(crate) fn item(number: u32) -> ItemIndex {
    ItemIndex::new(number).unwrap()
}

/// A topology of two EU cells and none in the UK; keys are `key`'s.
pub(crate) fn topology(key: &domicile_envelope::SigningKey) -> String {
    let jwk = key.verifying_key().to_jwk();
    format!(
        r#"
version = 1
serial = 1
boundary = [{{ name = "eu", countries = ["DE"] }}, {{ name = "uk", countries = ["GB"] }}]
class = [
  {{ id = 1, name = "eu_only", boundaries = ["eu"], cells = [{{ cell = "eu-a" }}, {{ cell = "eu-b" }}], on_exhaustion = "shed" }},
  {{ id = 2, name = "uk_only", boundaries = ["uk"], cells = [], on_exhaustion = "shed" }},
]
locale = [{{ id = 1, name = "de-DE", class = "eu_only" }}, {{ id = 2, name = "en-GB", class = "uk_only" }}]
slot = [{{ id = 1, name = "home", items = 3 }}]

[[cell]]
id = 1
name = "eu-a"
boundary = "eu"
site = "north"
operator = "one"
jurisdiction = "DE"
scheme = "http"
authority = "127.0.0.1:7101"

[[cell]]
id = 2
name = "eu-b"
boundary = "eu"
site = "south"
operator = "two"
jurisdiction = "DE"
scheme = "http"
authority = "127.0.0.1:7102"

[[key]]
use = "pin"
jwk = '{jwk}'

[[key]]
use = "overlay"
jwk = '{jwk}'

[[key]]
use = "snapshot"
jwk = '{jwk}'
"#
    )
}
