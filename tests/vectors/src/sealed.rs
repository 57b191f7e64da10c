//! Sealed requests and answers.

use domicile_seal::{Kem, KeyRing, SealingKey, size};
use domicile_wire::{
    Bearer, Call, Caller, Marks, RankRequest, Reply, Request, RequestError, decode_request, encode_content,
};
use serde_json::{Value, json};

use crate::{NOW, bytes, hex, number, second, text};

pub(crate) const ABOUT: &str = "Sealed requests and answers (RFC 9458), all in hexadecimal. The cell has one key: id \
`id`, KEM `kem`, private key DeriveKeyPair(`seed`) (RFC 9180, section 7.1.3); `config` is its public configuration. \
A case with `request` is opened by a cell: `expect` is `ok`, `message` the binary HTTP without its padding and `secret` what \
its answer is sealed with (the export under `message/bhttp response`), or the \
gateway's refusal (`size`, `key`, `suite`, `broken`), or why what was inside is no message, or the code of \
the problem that the cell seals as its answer. A case with `answer` is \
opened by the client that sealed a request with the encapsulated key `enc` and exported `secret` under `message/bhttp \
response`: `expect` is `ok` and `message`, or `broken`.";

const SEED: [u8; 32] = [7; 32];
const ID: u8 = 7;
/// Bytes of the answers here.
const ANSWER: usize = 8_192;

fn key(kem: Kem) -> SealingKey {
    SealingKey::from_seed(ID, kem, 0, SEED)
}

fn message() -> Vec<u8> {
    let rank = RankRequest { locale: "de-DE".into(), slot: "home".into(), anchor: vec!["4711".into()] };
    let caller = Bearer::new("header.claims.signature").map_or(Caller::Nobody, Caller::Token);
    Request { pin: "A".repeat(104), caller, date_s: Some(NOW), budget_ms: None, call: Call::Rank(rank) }
        .encode()
}

/// What a cell answers here.
pub(crate) fn reply() -> Vec<u8> {
    encode_content(b"{\"items\":[]}", Marks { date_s: Some(NOW), ..Marks::default() })
}

/// Filled up with zeros to what a request holds.
fn filled(kem: Kem, message: &[u8]) -> Vec<u8> {
    let mut filled = message.to_vec();
    filled.resize(size::request_room(kem), 0);
    filled
}

pub(crate) fn make() -> Vec<Value> {
    Kem::ALL.into_iter().flat_map(|kem| requests(kem).into_iter().chain(answers(kem))).collect()
}

fn requests(kem: Kem) -> Vec<Value> {
    let config = key(kem).config().unwrap_or_default();
    let seal =
        |message: &[u8]| second::seal(kem, &config, message).map(|sealed| sealed.request).unwrap_or_default();
    let Some(sealed) = second::seal(kem, &config, &filled(kem, &message())) else { return Vec::new() };
    let (good, secret) = (sealed.request, sealed.secret);
    let changed = |at: usize, by: u8| {
        let mut request = good.clone();
        if let Some(byte) = request.get_mut(at) {
            *byte ^= by;
        }
        request
    };
    let case = |name: &str, request: &[u8], expect: &str| {
        json!({
            "name": format!("{name} ({kem})"), "id": ID, "kem": kem.as_str(), "seed": hex(&SEED), "config": hex(&config),
            "request": hex(request), "message": if expect == "ok" { hex(&message()) } else { String::new() },
            "secret": if expect == "ok" { hex(&secret) } else { String::new() }, "expect": expect,
        })
    };
    let mut dirty = filled(kem, &message());
    if let Some(last) = dirty.last_mut() {
        *last = 1;
    }
    let mut indeterminate = filled(kem, &message());
    if let Some(first) = indeterminate.first_mut() {
        *first = 2;
    }
    vec![
        case("a ranking", &good, "ok"),
        case("one byte more", &[&good[..], &[0]].concat(), "size"),
        case("one byte less", good.get(..good.len() - 1).unwrap_or_default(), "size"),
        case("a key id nobody has", &changed(0, 0x80), "key"),
        case("another AEAD", &changed(6, 2), "suite"),
        case("a bit of the encapsulated key flipped", &changed(12, 1), "broken"),
        case("the last bit flipped", &changed(good.len() - 1, 1), "broken"),
        case("padding that is not zeros", &seal(&dirty), "padding"),
        case("the indeterminate form", &seal(&indeterminate), "indeterminate-length"),
        case("nothing but zeros", &seal(&filled(kem, &[])), "unknown-route"),
    ]
}

fn answers(kem: Kem) -> Vec<Value> {
    let config = key(kem).config().unwrap_or_default();
    let Some(sealed) = second::seal(kem, &config, &filled(kem, &message())) else { return Vec::new() };
    let plain = reply();
    let mut padded = plain.clone();
    padded.resize(size::answer_room(ANSWER), 0);
    let good = sealed.answer([9; 16], &padded).unwrap_or_default();
    let mut flipped = good.clone();
    if let Some(byte) = flipped.get_mut(100) {
        *byte ^= 1;
    }
    let enc = sealed.request.get(7..7 + kem.public_bytes()).unwrap_or_default();
    let case = |name: &str, answer: &[u8], secret: &[u8], expect: &str| {
        json!({
            "name": format!("{name} ({kem})"), "enc": hex(enc), "secret": hex(secret), "answer": hex(answer),
            "message": if expect == "ok" { hex(&plain) } else { String::new() }, "expect": expect,
        })
    };
    vec![
        case("an answer", &good, &sealed.secret, "ok"),
        case("a bit of an answer flipped", &flipped, &sealed.secret, "broken"),
        case("the answer to another request", &good, &[0; 16], "broken"),
        case("an answer cut off", good.get(..20).unwrap_or_default(), &sealed.secret, "broken"),
    ]
}

pub(crate) fn answer(case: &Value) -> String {
    if case.get("answer").is_some() { opened(case) } else { taken(case) }
}

/// What a cell makes of a request.
fn taken(case: &Value) -> String {
    let (Ok(id), Ok(kem)) = (u8::try_from(number(case, "id")), text(case, "kem").parse::<Kem>()) else {
        return "no key".to_owned();
    };
    let Ok(seed) = <[u8; 32]>::try_from(bytes(case, "seed")) else { return "no seed".to_owned() };
    let key = SealingKey::from_seed(id, kem, 0, seed);
    if key.config().unwrap_or_default() != bytes(case, "config") {
        return "another configuration".to_owned();
    }
    let Ok(ring) = KeyRing::new([&key]) else { return "no ring".to_owned() };
    let opened = match ring.open(&bytes(case, "request")) {
        Ok(opened) => opened,
        Err(refusal) => return refusal.to_string(),
    };
    let message = bytes(case, "message");
    match decode_request(&opened.message) {
        Ok(_) if opened.message.starts_with(&message) && !message.is_empty() => {
            // What the cell seals has to open the way RFC 9458 says, and not only for who sealed with the same code.
            const REPLY: &[u8] = b"an answer";
            let request = bytes(case, "request");
            let enc = request.get(7..7 + kem.public_bytes()).unwrap_or_default();
            let answer = opened.answerer.seal(REPLY, ANSWER).ok();
            let plain = answer.and_then(|answer| second::open(enc, &bytes(case, "secret"), &answer));
            let same = plain.is_some_and(|plain| plain.starts_with(REPLY));
            if same { "ok" } else { "an answer that does not open" }.to_owned()
        }
        Ok(_) => "another message".to_owned(),
        Err(RequestError::Framing(why)) => why.as_str().to_owned(),
        Err(RequestError::Refused(problem)) => problem.code.as_str().to_owned(),
    }
}

/// What a client makes of an answer.
fn opened(case: &Value) -> String {
    let Some(plain) = second::open(&bytes(case, "enc"), &bytes(case, "secret"), &bytes(case, "answer"))
    else {
        return "broken".to_owned();
    };
    match Reply::decode(&plain) {
        Ok(_) if plain.starts_with(&bytes(case, "message")) => "ok".to_owned(),
        _ => "another message".to_owned(),
    }
}
