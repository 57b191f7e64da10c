//! The router against its reference: any method, minute and path.
#![no_main]

use domicile_oracle::router;
use libfuzzer_sys::{Corpus, fuzz_target};

fuzz_target!(|input: &[u8]| -> Corpus {
    let Some((method, path, minute)) = router::read(input) else { return Corpus::Reject };
    if let Err(disagreement) = router::check(method, path, minute) {
        panic!("{method:?} {path:?} at minute {minute}: {disagreement}");
    }
    Corpus::Keep
});
