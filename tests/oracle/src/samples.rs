//! Inputs that have to be accepted: where fuzzing begins, and what the tests hold the references against.

use domicile_envelope::Envelope;
use domicile_pin::{Epoch, Pin};
use domicile_receipt::{Receipt, Stated};
use domicile_route::{Clocks, KeyStatement, RouteCell, RouteManifest, RouteSlot, Transport};
use domicile_seal::config::encode_list;
use domicile_seal::{Kem, SealingKey};
use domicile_wire::{
    Bearer, Call, Caller, Code, Event, EventKind, Group, Marks, PageToken, Problem, RankRequest, Request,
    encode_content, encode_problem,
};

use crate::manifest::NOW;
use crate::signed::trusted;

/// A target's name and its inputs.
pub type Samples = (&'static str, Vec<Vec<u8>>);

/// The inputs of every target but the router's.
#[must_use]
pub fn all() -> Vec<Samples> {
    vec![
        ("key_config", key_configs()),
        ("manifest", manifests()),
        ("message", messages()),
        ("pin", pins()),
        ("receipt", receipts()),
        ("token", tokens()),
    ]
}

fn pins() -> Vec<Vec<u8>> {
    let pin = |class: u16, epoch: u32| {
        let text = Pin::mint(class, Epoch(epoch), &trusted().0).to_string();
        [&(epoch * crate::pin::POLICY.epoch_minutes + 1_500).to_be_bytes()[..], text.as_bytes()].concat()
    };
    vec![pin(1, 0), pin(1, 20_000), pin(u16::MAX, 7)]
}

fn messages() -> Vec<Vec<u8>> {
    let request = |call| {
        let (pin, date_s, budget_ms) = ("A".repeat(104), Some(NOW), Some(90));
        let caller = Bearer::new("aa.bb.cc").map_or(Caller::Nobody, Caller::Token);
        Request { pin, caller, date_s, budget_ms, call }.encode()
    };
    let rank = RankRequest { locale: "de-DE".into(), slot: "basket".into(), anchor: vec!["4711".into()] };
    let view = Event {
        id: "e1".into(),
        kind: EventKind::View,
        item: Some("4711".into()),
        time_s: NOW,
        rung: None,
        shown: None,
        client_ms: None,
    };
    let marks = Marks { date_s: Some(NOW), receipt: Some("{}"), ..Marks::default() };
    vec![
        request(Call::Rank(rank)),
        request(Call::Events(vec![view])),
        request(Call::Export(None)),
        request(Call::Export(Some(PageToken { group: Group::Session, item: "4711".into() }))),
        request(Call::Erase),
        encode_content(b"{\"accepted\":1}", marks),
        encode_problem(&Problem::from(Code::DateSkew), Marks::default()),
    ]
}

fn key_configs() -> Vec<Vec<u8>> {
    let config = |id, kem| SealingKey::from_seed(id, kem, 0, [id; 32]).config().unwrap_or_default();
    let (a, b) = (config(4, Kem::X25519), config(5, Kem::P256));
    vec![encode_list([&a[..]]), encode_list([&b[..]]), encode_list([&a[..], &[9, 0x64, 0x7a, 1], &b[..]])]
}

fn manifests() -> Vec<Vec<u8>> {
    let clocks = Clocks { page_limit_ms: 900, cell_budget_ms: 120 };
    let mut manifest = RouteManifest::new("eu_only", 7, clocks, NOW - 10, NOW + 86_400);
    manifest.locales.push("de-DE".to_owned());
    manifest.slots.push(RouteSlot { name: "home".to_owned(), items: 24, relay_wait_ms: 350 });
    let cell = |name: &str, transport| RouteCell {
        name: name.to_owned(),
        boundary: "eu".to_owned(),
        weight: 1,
        transport,
        answer_bytes: 14_336,
        signing_key: trusted().1[0].to_jwk(),
        next_signing_key: None,
    };
    manifest.cells = vec![
        cell("eu-a", Transport::Relay),
        cell("eu-b", Transport::Direct("https://eu-b.example".to_owned())),
    ];
    let route = payload(&manifest.sign(&trusted().0));
    let list = key_configs().concat();
    let keys = payload(&KeyStatement::new("eu-a", &list, NOW - 10, NOW + 900).sign(&trusted().0));
    vec![[b"rp", &route[..]].concat(), [b"kp", &keys[..]].concat()]
}

fn receipts() -> Vec<Vec<u8>> {
    let stated = Stated {
        cell: "eu-a",
        boundary: "eu",
        class: "eu_only",
        snapshot: Some("sha256:00"),
        rung: "full",
        time_s: NOW,
    };
    let receipt =
        |stated| Receipt::new(domicile_receipt::hash(b"sealed"), b"answer", stated).sign(&trusted().0);
    let texts = [receipt(stated), receipt(Stated { snapshot: None, rung: "erasure", ..stated })];
    texts.iter().map(|text| [b"p", &payload(text)[..]].concat()).collect()
}

fn tokens() -> Vec<Vec<u8>> {
    let header = format!(r#"{{"typ":"JWT","alg":"ES256","kid":"{}"}}"#, trusted().1[0].id());
    let claims = format!(
        r#"{{"iss":"https://identity.example","sub":"17","aud":"eu","exp":{},"iat":{NOW},"class":"eu_only","tenant":"demo","home":"eu-a"}}"#,
        NOW + 900
    );
    let several = claims.replace(r#""aud":"eu""#, r#""aud":["uk","eu"],"anonymous":true,"nbf":1"#);
    [claims, several].iter().map(|claims| format!("p{header}\n{claims}").into_bytes()).collect()
}

/// The payload of an envelope that was signed a moment ago.
fn payload(envelope: &str) -> Vec<u8> {
    Envelope::parse(envelope).and_then(|envelope| envelope.unverified_payload()).unwrap_or_default()
}
