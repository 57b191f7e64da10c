//! Binary HTTP against its reference.
#![no_main]

use domicile_oracle::message;
use libfuzzer_sys::fuzz_target;

fuzz_target!(|input: &[u8]| {
    if let Err(disagreement) = message::check(input) {
        panic!("{disagreement}");
    }
});
