//! Lists of key configurations.

use domicile_seal::config::{ConfigError, encode_list, read_list};
use domicile_seal::{Kem, SealingKey};
use serde_json::{Value, json};

use crate::{bytes, hex};

pub(crate) const ABOUT: &str = "Lists of key configurations (RFC 9458, section 3.2), `list` in hexadecimal. `expect` \
is the ids of the keys that a client can use, in order, each with its KEM; or why the whole list is refused: `length`, \
`too-many` (16), `twice`, `none`, `key` (no point of its curve).";

pub(crate) fn make() -> Vec<Value> {
    let config = |id, kem| SealingKey::from_seed(id, kem, 0, [id; 32]).config().unwrap_or_default();
    let (x25519, p256) = (config(4, Kem::X25519), config(5, Kem::P256));
    let foreign = [9, 0x64, 0x7a, 1, 2, 3];
    let mut other_suite = config(6, Kem::X25519);
    if let Some(last) = other_suite.last_mut() {
        *last = 3;
    }
    let mut no_point = p256.clone();
    if let Some(byte) = no_point.get_mut(10) {
        *byte ^= 1;
    }
    let both = encode_list([&x25519[..], &p256[..]]);
    let case =
        |name: &str, list: &[u8], expect: &str| json!({ "name": name, "list": hex(list), "expect": expect });
    vec![
        case("X25519", &encode_list([&x25519[..]]), "4:x25519"),
        case("P-256", &encode_list([&p256[..]]), "5:p256"),
        case("both", &both, "4:x25519 5:p256"),
        case("a foreign KEM is passed over", &encode_list([&foreign[..], &p256[..]]), "5:p256"),
        case("a foreign suite is passed over", &encode_list([&other_suite[..], &x25519[..]]), "4:x25519"),
        case("nothing but foreign ones", &encode_list([&foreign[..], &other_suite[..]]), "none"),
        case("empty", &[], "none"),
        case("cut off", both.get(..both.len() - 1).unwrap_or_default(), "length"),
        case("a byte too many", &[&both[..], &[0]].concat(), "length"),
        case(
            "a configuration longer than it says",
            &encode_list([&[&x25519[..], &[0]].concat()[..]]),
            "length",
        ),
        case("one id twice", &encode_list([&x25519[..], &x25519[..]]), "twice"),
        case("17 configurations", &encode_list(std::iter::repeat_n(&foreign[..], 17)), "too-many"),
        case("no point of P-256", &encode_list([&no_point[..]]), "key"),
    ]
}

pub(crate) fn answer(case: &Value) -> String {
    match read_list(&bytes(case, "list")) {
        Ok(configs) => {
            configs.iter().map(|config| format!("{}:{}", config.id, config.kem)).collect::<Vec<_>>().join(" ")
        }
        Err(ConfigError::Length) => "length".to_owned(),
        Err(ConfigError::TooMany) => "too-many".to_owned(),
        Err(ConfigError::Twice(_)) => "twice".to_owned(),
        Err(ConfigError::None) => "none".to_owned(),
        Err(ConfigError::Key(_)) => "key".to_owned(),
    }
}
