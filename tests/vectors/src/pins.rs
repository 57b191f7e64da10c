//! Pins.

use domicile_envelope::VerifyingKey;
use domicile_pin::{Epoch, EpochPolicy, Pin};
use serde_json::{Value, json};

use crate::{keys, number, text};

pub(crate) const ABOUT: &str = "Pins: `text` is judged at `minute` (since 1970) under `key` (public JWK), epochs of \
1440 minutes that overlap by 240. `expect` is the class, or why the cell refuses. 78 bytes as base64url: class u16, \
epoch u32, key id (8 bytes), ECDSA P-256 over `domicile-pin-v1\\0`, class, epoch.";

const POLICY: EpochPolicy = EpochPolicy { epoch_minutes: 1_440, overlap_minutes: 240 };
/// The epoch that begins at 2027-01-15T00:00Z.
const EPOCH: u32 = 20_833;

pub(crate) fn make() -> Vec<Value> {
    let pin =
        |class, signer: &domicile_envelope::SigningKey| Pin::mint(class, Epoch(EPOCH), signer).to_string();
    let (good, begins) = (pin(1, &keys::root()), EPOCH * 1_440);
    let changed = |at: usize| {
        let letter = if good.get(at..=at) == Some("A") { "B" } else { "A" };
        let mut text = good.clone();
        text.replace_range(at..=at, letter);
        text
    };
    let case = |name: &str, text: &str, minute: u32, expect: &str| json!({ "name": name, "key": keys::root().verifying_key().to_jwk(), "text": text, "minute": minute, "expect": expect });
    vec![
        case("the first minute", &good, begins, "1"),
        case("the last minute of its overlap", &good, begins + 1_440 + 239, "1"),
        case("the greatest class", &pin(u16::MAX, &keys::root()), begins, "65535"),
        case("a minute too early", &good, begins - 1, "pin-early"),
        case("a minute too late", &good, begins + 1_440 + 240, "pin-expired"),
        case("another class written in", &changed(2), begins, "pin-forged"),
        case("another epoch written in", &changed(6), begins, "pin-forged"),
        case("another signature", &changed(100), begins, "pin-forged"),
        case("another key's", &pin(1, &keys::foreign()), begins, "pin-unknown-key"),
        case("a letter short", good.get(..103).unwrap_or_default(), begins, "pin-malformed"),
        case(
            "not of base64url",
            &good.replace(good.get(20..21).unwrap_or("A"), "+"),
            begins,
            "pin-malformed",
        ),
        case("nothing", "", begins, "pin-malformed"),
    ]
}

pub(crate) fn answer(case: &Value) -> String {
    let keys: Vec<VerifyingKey> = VerifyingKey::from_jwk(text(case, "key")).into_iter().collect();
    let minute = u32::try_from(number(case, "minute")).unwrap_or_default();
    Pin::parse(text(case, "text"))
        .and_then(|pin| pin.verify(&keys, POLICY, minute))
        .map_or_else(|refusal| refusal.to_string(), |class| class.to_string())
}
