//! Pins against their reference.
#![no_main]

use domicile_oracle::pin;
use libfuzzer_sys::fuzz_target;

fuzz_target!(|input: &[u8]| {
    if let Err(disagreement) = pin::check(input) {
        panic!("{disagreement}");
    }
});
