//! Lists of key configurations against their reference.
#![no_main]

use domicile_oracle::key_config;
use libfuzzer_sys::fuzz_target;

fuzz_target!(|input: &[u8]| {
    if let Err(disagreement) = key_config::check(input) {
        panic!("{disagreement}");
    }
});
