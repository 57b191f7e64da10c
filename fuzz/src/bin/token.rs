//! Shoppers' tokens against their reference.
#![no_main]

use domicile_oracle::token;
use libfuzzer_sys::fuzz_target;

fuzz_target!(|input: &[u8]| {
    if let Err(disagreement) = token::check(input) {
        panic!("{disagreement}");
    }
});
