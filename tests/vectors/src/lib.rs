//! Test vectors: what an implementation of a client, an identity service or a cell has to take, and what it has to
//! refuse, and why.
//!
//! The files beside this crate are for everybody (`README.md` has their form). Each module here makes one of them and
//! says what this implementation answers to a case of it. Making is repeatable: a test compares with what is committed.
//! `second` seals and opens without any of the crates that Domicile uses for it.

mod key_configs;
mod keys;
mod manifests;
mod other;
mod pins;
mod receipts;
mod sealed;
mod second;
mod tokens;

pub use other::answers_to;
use serde_json::{Value, json};

/// The time that the cases are at: 2027-01-15T08:00:00Z.
const NOW: i64 = 1_800_000_000;

/// One file of vectors.
pub struct Vectors {
    /// The file's name.
    pub file: &'static str,
    /// What it is about.
    about: &'static str,
    make: fn() -> Vec<Value>,
    answer: fn(&Value) -> String,
}

/// Every file.
pub const ALL: [Vectors; 7] = [
    Vectors { file: "pins.json", about: pins::ABOUT, make: pins::make, answer: pins::answer },
    Vectors {
        file: "key-configs.json",
        about: key_configs::ABOUT,
        make: key_configs::make,
        answer: key_configs::answer,
    },
    Vectors {
        file: "manifests.json",
        about: manifests::ABOUT,
        make: manifests::make,
        answer: manifests::answer,
    },
    Vectors {
        file: "key-statements.json",
        about: manifests::ABOUT_KEYS,
        make: manifests::make_keys,
        answer: manifests::answer_keys,
    },
    Vectors { file: "tokens.json", about: tokens::ABOUT, make: tokens::make, answer: tokens::answer },
    Vectors { file: "receipts.json", about: receipts::ABOUT, make: receipts::make, answer: receipts::answer },
    Vectors { file: "sealed.json", about: sealed::ABOUT, make: sealed::make, answer: sealed::answer },
];

impl Vectors {
    /// The file's text.
    #[must_use]
    pub fn text(&self) -> String {
        format!("{:#}\n", json!({ "about": self.about, "now": NOW, "cases": (self.make)() }))
    }

    /// What this implementation says to a case.
    #[must_use]
    pub fn answer(&self, case: &Value) -> String {
        (self.answer)(case)
    }
}

/// The text at `name`; empty when there is none.
fn text<'v>(case: &'v Value, name: &str) -> &'v str {
    case.get(name).and_then(Value::as_str).unwrap_or_default()
}

/// The number at `name`.
fn number(case: &Value, name: &str) -> i64 {
    case.get(name).and_then(Value::as_i64).unwrap_or_default()
}

/// The bytes at `name`, hexadecimal.
fn bytes(case: &Value, name: &str) -> Vec<u8> {
    let digits = text(case, name);
    (0..digits.len() / 2)
        .filter_map(|at| u8::from_str_radix(digits.get(2 * at..2 * at + 2)?, 16).ok())
        .collect()
}

use domicile_envelope::hex;
