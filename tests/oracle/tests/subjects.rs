//! Every subject against its reference: its samples, its samples with one byte changed, any bytes, and everything that
//! fuzzing has ever found worth keeping.

use std::path::Path;

use domicile_oracle::{Disagreement, key_config, manifest, message, pin, receipt, samples, token};
use proptest::prelude::*;

type Check = fn(&[u8]) -> Result<bool, Disagreement>;

const CHECKS: [(&str, Check); 6] = [
    ("key_config", key_config::check),
    ("manifest", manifest::check),
    ("message", message::check),
    ("pin", pin::check),
    ("receipt", receipt::check),
    ("token", token::check),
];

#[expect(clippy::unwrap_used, reason = "a test's own helper")]
fn check_of(target: &str) -> Check {
    CHECKS.iter().find(|(name, _)| *name == target).unwrap().1
}

#[test]
fn samples_are_accepted() {
    for (target, inputs) in samples::all() {
        for input in inputs {
            assert_eq!(check_of(target)(&input), Ok(true), "{target}: {}", String::from_utf8_lossy(&input));
        }
    }
}

#[test]
fn the_corpora_of_the_fuzzer() {
    for (target, check) in CHECKS {
        let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../fuzz/corpus").join(target);
        let (mut accepted, mut refused) = (0, 0);
        for file in std::fs::read_dir(&folder).unwrap() {
            let file = file.unwrap().path();
            match check(&std::fs::read(&file).unwrap()) {
                Ok(true) => accepted += 1,
                Ok(false) => refused += 1,
                Err(disagreement) => panic!("{}: {disagreement}", file.display()),
            }
        }
        assert!(accepted > 1 && refused > 2, "{target}: {accepted} accepted, {refused} refused");
    }
}

proptest! {
    #[test]
    fn a_byte_changed(which: prop::sample::Index, sample: prop::sample::Index, at: prop::sample::Index, byte: u8) {
        let all = samples::all();
        let (target, inputs) = which.get(&all);
        let mut input = sample.get(inputs).clone();
        let at = at.index(input.len());
        input[at] = byte;
        prop_assert_eq!(check_of(target)(&input).err(), None, "{}", target);
    }

    #[test]
    fn any_bytes(which: prop::sample::Index, input: Vec<u8>) {
        let (target, check) = which.get(&CHECKS);
        prop_assert_eq!(check(&input).err(), None, "{}", target);
    }
}
