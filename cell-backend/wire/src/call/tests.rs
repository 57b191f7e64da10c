use proptest::prelude::*;

use super::*;
use crate::request::ANCHORS_MAX;
use crate::{EventKind, Group, InnerRequest, encode_request};

fn request() -> InnerRequest {
    InnerRequest {
        pin: "a pin".into(),
        shopper: ShopperId::new("household-17"),
        budget_ms: Some(80),
        rank: RankRequest { locale: "de-DE".into(), slot: "home".into(), anchor: vec!["123".into()] },
    }
}

fn message(method: &str, path: &str, media: &str, body: &str) -> Message {
    let mut message = Message::request(method.into(), b"https".into(), vec![], path.into());
    message.put_header("content-type", media);
    message.put_header(PIN, "a pin");
    message.write_content(body);
    message
}

fn refusal(message: &Message) -> Problem {
    match decode_request(&message::write(message)) {
        Err(RequestError::Refused(problem)) => problem,
        other => panic!("not refused: {other:?}"),
    }
}

const BODY: &str = r#"{"locale":"de-DE","slot":"home"}"#;

#[test]
fn a_request_survives_and_its_debug_says_nothing_personal() {
    assert_eq!(decode_request(&encode_request(&request())), Ok(request().into()));
    let shown = format!("{:?}", request());
    assert!(!shown.contains("17") && !shown.contains("123") && !shown.contains("a pin"), "{shown}");
}

#[test]
fn each_wrong_thing_has_its_code() {
    let code = |m: &str, p: &str, t: &str, b: &str| refusal(&message(m, p, t, b)).code;
    assert_eq!(code("POST", "/v2/rank", JSON, BODY), Code::UnknownRoute);
    assert_eq!(code("GET", RANK_PATH, JSON, BODY), Code::MethodNotAllowed);
    assert_eq!(code("POST", RANK_PATH, "text/plain", BODY), Code::UnsupportedType);
    assert_eq!(code("POST", RANK_PATH, JSON, ""), Code::BodyInvalid);
    assert_eq!(code("POST", RANK_PATH, JSON, "[]"), Code::BodyInvalid);
    assert_eq!(code("POST", RANK_PATH, JSON, r#"{"locale":1,"slot":"home"}"#), Code::BodyInvalid);
    let crowd = format!(r#"{{"locale":"de-DE","slot":"home","anchor":{:?}}}"#, vec!["1"; ANCHORS_MAX + 1]);
    assert_eq!(code("POST", RANK_PATH, JSON, &crowd), Code::TooManyAnchors);
    let mut pinless = Message::request(b"POST".into(), b"https".into(), vec![], RANK_PATH.into());
    pinless.put_header("content-type", JSON);
    assert_eq!(refusal(&pinless).code, Code::PinMissing);
    for (name, value) in [
        (BUDGET, "-1"),
        (BUDGET, "+5"),
        (BUDGET, " 5"),
        (BUDGET, ""),
        (BUDGET, "4294967296"),
        (BUDGET, "soon"),
        (SHOPPER, ""),
        (DATE, "1800000000"),
        (PIN, "another"),
    ] {
        let mut odd = message("POST", RANK_PATH, JSON, BODY);
        odd.put_header(name, value);
        assert_eq!(refusal(&odd).code, Code::HeaderInvalid);
    }
}

fn event() -> Event {
    Event {
        id: "e-1".into(),
        kind: EventKind::Purchase,
        item: Some("4711".into()),
        time_s: 1_800_000_000,
        rung: None,
        shown: None,
        client_ms: None,
    }
}

#[test]
fn every_call_survives_with_a_token_and_a_date() {
    let page = PageToken { group: Group::Profile, item: "4711".into() };
    let rank = request().rank;
    let calls = [
        Call::Rank(rank),
        Call::Events(vec![event()]),
        Call::Export(None),
        Call::Export(Some(page)),
        Call::Erase,
    ];
    for call in calls {
        assert!(Call::NAMES.contains(&call.as_str()));
        let caller = Caller::Token(Bearer::new("aa.bb.cc").unwrap());
        let request =
            Request { pin: "a pin".into(), caller, date_s: Some(1_800_000_000), budget_ms: Some(9), call };
        let shown = format!("{request:?}");
        assert!(!shown.contains("4711") && !shown.contains("aa.bb") && !shown.contains("a pin"), "{shown}");
        assert_eq!(decode_request(&request.encode()), Ok(request));
    }
}

#[test]
fn the_other_calls_are_as_strict() {
    let code = |method: &str, path: &str, body: &str| refusal(&message(method, path, JSON, body)).code;
    assert_eq!(code("GET", EVENTS_PATH, ""), Code::MethodNotAllowed);
    assert_eq!(code("POST", SHOPPER_PATH, ""), Code::MethodNotAllowed);
    assert_eq!(code("DELETE", "/v1/shopper?page=x", ""), Code::UnknownRoute);
    assert_eq!(code("POST", "/v1/rank?x", BODY), Code::UnknownRoute);
    assert_eq!(code("GET", "/v1/shopper?page=", ""), Code::PageInvalid);
    assert_eq!(code("GET", "/v1/shopper?page=!", ""), Code::PageInvalid);
    assert_eq!(code("GET", "/v1/shopper?side=cA", ""), Code::PageInvalid);
    assert_eq!(code("DELETE", SHOPPER_PATH, "{}"), Code::BodyInvalid);
    assert_eq!(code("POST", EVENTS_PATH, "{}"), Code::EventsInvalid);
    for (value, expected) in [("Bearer ", Code::TokenMissing), ("aa.bb.cc", Code::TokenMissing)] {
        let mut odd = message("DELETE", SHOPPER_PATH, JSON, "");
        odd.put_header(AUTHORIZATION, value);
        assert_eq!(refusal(&odd).code, expected);
    }
    let mut both = message("DELETE", SHOPPER_PATH, JSON, "");
    both.put_header(AUTHORIZATION, "Bearer aa.bb.cc");
    both.put_header(SHOPPER, "household-17");
    assert_eq!(refusal(&both).code, Code::HeaderInvalid);
}

#[test]
fn an_unknown_field_is_answered_with_the_nearest_and_not_with_itself() {
    let problem = refusal(&message("POST", RANK_PATH, JSON, r#"{"locale":"de-DE","slto":"home"}"#));
    assert_eq!(problem.detail, "unknown field; the nearest known one is \"slot\"");
    let problem = refusal(&message("POST", RANK_PATH, JSON, r#"{"locale":"de-DE","slot":{"my":"secret"}}"#));
    assert!(!problem.detail.contains("secret"), "{}", problem.detail);
}

#[test]
fn headers_that_could_carry_a_trail_are_not_read() {
    let mut trailed = message("POST", RANK_PATH, JSON, BODY);
    for name in ["traceparent", "forwarded", "via", "cookie"] {
        trailed.put_header(name, "x");
    }
    let plain = message("POST", RANK_PATH, JSON, BODY);
    assert_eq!(decode_request(&message::write(&trailed)), decode_request(&message::write(&plain)));
}

proptest! {
    #[test]
    fn any_bytes_are_read_or_refused(bytes in prop::collection::vec(any::<u8>(), 0..400)) {
        let _ = decode_request(&bytes);
    }

    #[test]
    fn any_body_is_read_or_refused(body in ".{0,200}") {
        let _ = decode_request(&message::write(&message("POST", RANK_PATH, JSON, &body)));
    }

    #[test]
    fn any_request_survives_with_its_padding(
        pin in "[A-Za-z0-9_-]{0,104}",
        shopper in prop::option::of("[!-~]{1,128}"),
        budget_ms in prop::option::of(any::<u32>()),
        locale in "[a-z]{2}-[A-Z]{2}",
        slot in "\\PC{0,32}",
        anchor in prop::collection::vec("\\PC{0,20}", 0..ANCHORS_MAX),
        padding in 0usize..200,
    ) {
        let shopper = shopper.and_then(|text| ShopperId::new(&text));
        let request = InnerRequest { pin, shopper, budget_ms, rank: RankRequest { locale, slot, anchor } };
        let mut bytes = encode_request(&request);
        bytes.extend(vec![0; padding]);
        prop_assert_eq!(decode_request(&bytes), Ok(request.into()));
    }
}
