//! This implementation against the published vectors.

use std::path::Path;

use domicile_vectors::ALL;
use serde_json::Value;

#[expect(clippy::unwrap_used, reason = "a test's own helper")]
fn committed(file: &str) -> String {
    std::fs::read_to_string(Path::new(env!("CARGO_MANIFEST_DIR")).join(file)).unwrap()
}

#[test]
fn every_case_is_answered_as_published() {
    for vectors in ALL {
        let file: Value = serde_json::from_str(&committed(vectors.file)).unwrap();
        let (mut good, mut bad) = (0, 0);
        for case in file["cases"].as_array().unwrap() {
            let expect = case["expect"].as_str().unwrap();
            assert_eq!(vectors.answer(case), expect, "{}: {}", vectors.file, case["name"]);
            if expect == "ok" || expect.starts_with(|c: char| c.is_ascii_digit()) {
                good += 1
            } else {
                bad += 1
            }
        }
        assert!(good > 0 && bad > 4, "{}: {good} good, {bad} bad", vectors.file);
    }
}

#[test]
fn what_is_published_is_what_is_made() {
    for vectors in ALL {
        assert_eq!(committed(vectors.file), vectors.text(), "{}: run the example `make`", vectors.file);
    }
}
