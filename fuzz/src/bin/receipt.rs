//! Receipts against their reference.
#![no_main]

use domicile_oracle::receipt;
use libfuzzer_sys::fuzz_target;

fuzz_target!(|input: &[u8]| {
    if let Err(disagreement) = receipt::check(input) {
        panic!("{disagreement}");
    }
});
