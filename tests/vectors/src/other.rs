//! Another implementation's requests: opened by what a cell opens with, and answered by what a cell seals with.

use domicile_seal::{Kem, KeyRing, SealingKey};
use serde_json::{Value, json};

use crate::{bytes, hex, number, sealed, text};

/// Bytes of the answers.
const ANSWER: usize = 8_192;

/// Answers for requests in the form of `sealed.json`: `name`, `enc`, `secret`, `answer`, `message`, `expect` each.
///
/// # Errors
/// Names the first request that a cell does not take as its `expect` says.
pub fn answers_to(requests: &Value) -> Result<Value, String> {
    let cases = requests.get("cases").and_then(Value::as_array).map_or(&[][..], Vec::as_slice);
    if cases.is_empty() {
        return Err("no cases".to_owned());
    }
    let answers: Result<Vec<_>, _> = cases.iter().map(answer_to).collect();
    let about =
        "Answers that a cell's code sealed to another implementation's requests, and one altered for each.";
    Ok(json!({ "about": about, "cases": answers?.concat() }))
}

fn answer_to(case: &Value) -> Result<[Value; 2], String> {
    let name = text(case, "name");
    let wrong = |what: &str| format!("{name}: {what}");
    let (said, expect) = (sealed::answer(case), text(case, "expect"));
    if said != expect {
        return Err(wrong(&format!("{said}, and not {expect}")));
    }
    let kem: Kem = text(case, "kem").parse().map_err(|_error| wrong("no KEM"))?;
    let seed = <[u8; 32]>::try_from(bytes(case, "seed")).map_err(|_error| wrong("no seed"))?;
    let id = u8::try_from(number(case, "id")).map_err(|_error| wrong("no id"))?;
    let ring = KeyRing::new([&SealingKey::from_seed(id, kem, 0, seed)])
        .map_err(|error| wrong(&error.to_string()))?;
    let request = bytes(case, "request");
    let opened = ring.open(&request).map_err(|error| wrong(&error.to_string()))?;
    let message = sealed::reply();
    let answer =
        opened.answerer.seal(&message, ANSWER).map_err(|_too_long| wrong("an answer that does not fit"))?;
    let enc = request.get(7..7 + kem.public_bytes()).unwrap_or_default();
    let mut altered = answer.clone();
    if let Some(byte) = altered.get_mut(100) {
        *byte ^= 1;
    }
    let case = |name: String, answer: &[u8], expect: &str| {
        json!({
            "name": name, "enc": hex(enc), "secret": text(case, "secret"), "answer": hex(answer),
            "message": if expect == "ok" { hex(&message) } else { String::new() }, "expect": expect,
        })
    };
    Ok([case(name.to_owned(), &answer, "ok"), case(format!("{name}, a bit flipped"), &altered, "broken")])
}
