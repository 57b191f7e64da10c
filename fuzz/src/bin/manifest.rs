//! Route manifests and statements of keys against their reference.
#![no_main]

use domicile_oracle::manifest;
use libfuzzer_sys::fuzz_target;

fuzz_target!(|input: &[u8]| {
    if let Err(disagreement) = manifest::check(input) {
        panic!("{disagreement}");
    }
});
