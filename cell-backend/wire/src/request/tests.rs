use proptest::prelude::*;

use super::*;

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
    assert_eq!(decode_request(&encode_request(&request())), Ok(request()));
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
        (PIN, "another"),
    ] {
        let mut odd = message("POST", RANK_PATH, JSON, BODY);
        odd.put_header(name, value);
        assert_eq!(refusal(&odd).code, Code::HeaderInvalid);
    }
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
        prop_assert_eq!(decode_request(&bytes), Ok(request));
    }
}
