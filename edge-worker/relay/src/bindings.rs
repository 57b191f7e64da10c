//! Generated from `wit/`.
#![expect(unsafe_code, reason = "the canonical ABI is a C ABI; only generated code is in this module")]

wit_bindgen::generate!({
    path: "../../wit",
    world: "relay-source",
    generate_all,
    additional_derives: [PartialEq, Eq],
    pub_export_macro: false,
});

export!(Component);

use crate::component::Component;
