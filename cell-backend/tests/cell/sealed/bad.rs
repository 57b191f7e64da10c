use axum::body::Body;
use axum::http::{Request as HttpRequest, StatusCode};
use bhttp::{Message, Mode};
use domicile_cell::cell::Reach;
use domicile_jwt::TokenKey;
use domicile_seal::{Kem, REQUEST_TYPE, Sealer, SealingKey, size};
use domicile_token::Audience;
use domicile_wire::{
    Bearer, Call, Caller, Code, GATEWAY_PATH, MEDIA_TYPE, Problem, RankAnswer, Reply, Request, ShopperId,
};

use super::desk::{Desk, Outer};

fn problem(reply: &Reply) -> Problem {
    let problem = reply.parse::<RankAnswer>().unwrap().unwrap_err();
    assert_eq!((problem.status, reply.receipt.is_none()), (reply.status, true));
    problem
}

fn expect(outer: &Outer, status: u16, code: &str) {
    assert_eq!((outer.status.as_u16(), outer.media.as_str()), (status, "application/problem+json"));
    let body = String::from_utf8(outer.body.clone()).unwrap();
    assert!(body.contains(&format!("\"code\":\"{code}\"")), "{body}");
    let key = matches!(code, "seal-key" | "seal-suite" | "seal-broken");
    assert_eq!(body.contains("http-problem-types#ohttp-key"), key, "{body}");
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn what_is_bad_inside_a_seal_is_answered_inside_it() {
    let desk = Desk::new();
    let code = async |change: &dyn Fn(&mut Request)| {
        let mut request = desk.request(Desk::rank());
        change(&mut request);
        problem(&desk.ask(&request).await).code
    };
    let now_s = desk.now_s();

    // Tokens.
    let token = |change: &dyn Fn(&mut domicile_token::Claims)| desk.token(|claims| change(claims));
    let none = Caller::Token(Bearer::new("eyJhbGciOiJub25lIn0.e30.").unwrap());
    let stranger = TokenKey::ed25519("last-year").unwrap();
    let removed = |claims: &domicile_token::Claims| {
        Caller::Token(Bearer::new(&stranger.sign(claims).unwrap()).unwrap())
    };
    let mut foreign = None;
    desk.token(|claims| foreign = Some(removed(claims)));
    for (caller, expected) in [
        (Caller::Nobody, Code::TokenMissing),
        (Caller::Plain(ShopperId::new("someone").unwrap()), Code::ShopperRefused),
        (none, Code::TokenMalformed),
        (foreign.unwrap(), Code::TokenUnknownKey),
        (token(&|c| (c.iat, c.exp) = (now_s - 900, now_s - 300)), Code::TokenExpired),
        (token(&|c| (c.iat, c.exp) = (now_s + 300, now_s + 900)), Code::TokenEarly),
        (token(&|c| c.exp = now_s + 86_400), Code::TokenTooLong),
        (token(&|c| c.aud = Audience::One("us".into())), Code::TokenAudience),
        (token(&|c| c.class = "us_only".into()), Code::TokenClass),
        (token(&|c| c.home = "us-a".into()), Code::TokenHome),
        (token(&|c| c.tenant = "other".into()), Code::TokenTenant),
    ] {
        assert_eq!(code(&|request| request.caller = caller.clone()).await, expected);
    }
    // A shopper of another cell of the class: that is what a failover looks like.
    let other_home = Request { caller: token(&|c| c.home = "eu-b".into()), ..desk.request(Desk::rank()) };
    assert!(desk.ask(&other_home).await.parse::<RankAnswer>().unwrap().is_ok());

    // A class that is not lawful here, whatever the token says.
    let elsewhere = Request {
        pin: desk.world.pin(2),
        caller: token(&|c| c.class = "us_only".into()),
        ..desk.request(Desk::rank())
    };
    let refused = problem(&desk.ask(&elsewhere).await);
    assert_eq!((refused.code, refused.status), (Code::CellNotInClass, 421));

    // Dates: the answer says what the cell's clock says.
    for date_s in [None, Some(now_s - 300), Some(now_s + 300)] {
        let reply = desk.ask(&Request { date_s, ..desk.request(Call::Erase) }).await;
        assert_eq!(problem(&reply).code, Code::DateSkew);
        assert!(reply.date_s.unwrap().abs_diff(now_s) < 60);
    }
    assert_eq!(desk.cell.store.kept(&ShopperId::new("someone").unwrap()).await.unwrap().erased_s, None);

    messages_that_are_none(&desk).await;
    a_key_that_was_removed(&desk).await;
}

async fn messages_that_are_none(desk: &Desk) {
    let whole = desk.request(Desk::rank()).encode();
    let trailing = [&whole[..], &[0, 0, 1]].concat();
    let mut indeterminate = whole.clone();
    indeterminate[0] = 2;
    let mut crowded = Message::request(b"POST".into(), b"https".into(), vec![], b"/v1/rank".into());
    (0..900).for_each(|_| crowded.put_header("a", ""));
    let mut fields = Vec::new();
    crowded.write_bhttp(Mode::KnownLength, &mut fields).unwrap();
    for (message, why) in [
        (trailing, "padding"),
        (indeterminate, "indeterminate-length"),
        (fields, "too-many-fields"),
        (b"\xff\xff".to_vec(), "malformed"),
    ] {
        let problem = problem(&desk.ask_bytes(&message).await.0);
        assert_eq!((problem.code, problem.detail.as_str()), (Code::MessageInvalid, why));
    }
}

async fn a_key_that_was_removed(desk: &Desk) {
    let request = desk.request(Desk::rank());
    assert!(desk.ask(&request).await.parse::<RankAnswer>().unwrap().is_ok());
    let next = TokenKey::p256("next-year").unwrap();
    // Another length: the file is seen to have changed whatever the clock's grain.
    desk.world.write("tokens.json", &TokenKey::key_set([&next]).unwrap());
    desk.cell.tokens.as_ref().unwrap().reload();
    assert_eq!(problem(&desk.ask(&request).await).code, Code::TokenUnknownKey);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_cell_that_can_open_takes_nothing_plain_on_loopback_either() {
    let desk = Desk::with(|cell| cell.reach = Reach::Loopback);
    let plain =
        Request { caller: Caller::Plain(ShopperId::new("someone").unwrap()), ..desk.request(Call::Erase) };
    expect(&desk.post(MEDIA_TYPE, plain.encode()).await, 415, "not-sealed");
    assert!(desk.ask(&desk.request(Desk::rank())).await.parse::<RankAnswer>().unwrap().is_ok());
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn what_is_bad_outside_is_answered_with_what_is_known_there() {
    let desk = Desk::new();
    let keys = desk.keys().await;
    assert_eq!(keys.iter().map(|key| key.kem).collect::<Vec<_>>(), Kem::ALL);
    let message = desk.request(Desk::rank()).encode();
    let seal = |kem| Sealer::new(&keys, Some(kem)).unwrap().seal(&message).unwrap();
    let (sealed, _) = seal(Kem::P256);

    let with = |at: usize, byte: u8| {
        let mut other = sealed.clone();
        other[at] = byte;
        other
    };
    let last = size::REQUEST - 1;
    for (media, body, status, code) in [
        (REQUEST_TYPE, with(0, 200), 422, "seal-key"),
        (REQUEST_TYPE, with(6, 3), 422, "seal-suite"),
        (REQUEST_TYPE, with(last, sealed[last] ^ 1), 400, "seal-broken"),
        (REQUEST_TYPE, [&sealed[..], &[0]].concat(), 413, "too-large"),
        (REQUEST_TYPE, sealed[..last].to_vec(), 400, "seal-size"),
        (REQUEST_TYPE, vec![], 400, "seal-size"),
        (REQUEST_TYPE, message.clone(), 400, "seal-size"),
        (MEDIA_TYPE, message.clone(), 415, "not-sealed"),
        (MEDIA_TYPE, sealed.clone(), 415, "not-sealed"),
        ("message/ohttp-chunked-req", sealed.clone(), 415, "not-sealed"),
        ("application/json", message.clone(), 415, "not-sealed"),
    ] {
        expect(&desk.post(media, body).await, status, code);
    }
    // A plain message of a sealed request's size.
    let padded = [&message[..], &vec![0; size::REQUEST - message.len()]].concat();
    let outer = desk.post(REQUEST_TYPE, padded).await;
    assert!(outer.status == StatusCode::UNPROCESSABLE_ENTITY, "{}", outer.status);

    // Without a type a body is a sealed request or none; any page may read what comes, and none is asked for leave.
    let untyped = |body: &[u8]| {
        HttpRequest::post(GATEWAY_PATH).header("host", "cell").body(body.to_vec().into()).unwrap()
    };
    expect(&desk.exchange(untyped(&message)).await, 400, "seal-size");
    let (page_s, opener) = seal(Kem::X25519);
    let outer = desk.exchange(untyped(&page_s)).await;
    assert_eq!((outer.status, outer.allowed.as_deref()), (StatusCode::OK, Some("*")));
    assert!(
        Reply::decode(&opener.open(&outer.body).unwrap()).unwrap().parse::<RankAnswer>().unwrap().is_ok()
    );
    let leave = HttpRequest::options(GATEWAY_PATH).header("host", "cell").body(Body::empty()).unwrap();
    let leave = desk.exchange(leave).await;
    assert_eq!((leave.status, leave.allowed.as_deref()), (StatusCode::NO_CONTENT, Some("*")));

    // Another cell's key of the same id.
    let twin = SealingKey::from_seed(keys[0].id, Kem::X25519, 0, [9; 32]);
    let list = domicile_seal::config::encode_list([&twin.config().unwrap()[..]]);
    let twin = domicile_seal::config::read_list(&list).unwrap();
    let (foreign, _) = Sealer::new(&twin, None).unwrap().seal(&message).unwrap();
    expect(&desk.post(REQUEST_TYPE, foreign).await, 400, "seal-broken");

    // What was refused was never opened; the same bytes are taken once.
    let (sealed, opener) = seal(Kem::X25519);
    let first = desk.post(REQUEST_TYPE, sealed.clone()).await;
    let reply = Reply::decode(&opener.open(&first.body).unwrap()).unwrap();
    assert!(reply.parse::<RankAnswer>().unwrap().is_ok());
    let again = desk.post(REQUEST_TYPE, sealed).await;
    assert_eq!((again.status, again.body.len()), (StatusCode::OK, first.body.len()));
    let metrics = desk.metrics();
    assert!(metrics.contains("domicile_cell_problems_total{code=\"replayed\"} 1\n"), "{metrics}");
    assert!(metrics.contains("domicile_cell_turned_away_total{cause=\"seal-broken\"} 2\n"), "{metrics}");
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn an_answer_that_does_not_fit_is_a_problem_of_the_same_size() {
    let desk = Desk::with(|cell| cell.answer_size = 2_048);
    let problem = problem(&desk.ask(&desk.request(Desk::rank())).await);
    assert_eq!((problem.code, problem.status), (Code::AnswerTooLarge, 500));
    assert!(problem.detail.ends_with("and an answer holds 2016"), "{}", problem.detail);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_full_gate_opens_nothing() {
    let desk = Desk::with(|cell| cell.config.limits.in_flight = 0);
    let message = desk.request(Desk::rank()).encode();
    let (sealed, _) = Sealer::new(&desk.keys().await, None).unwrap().seal(&message).unwrap();
    expect(&desk.post(REQUEST_TYPE, sealed).await, 503, "busy");
}
