//! A real cell on a free port answers, refuses, and stops.

use std::process::Command;

use domicile_ladder::{FeatureState, Reason, Rung};
use domicile_wire::{
    Code, GATEWAY_PATH, InnerRequest, MEDIA_TYPE, Problem, RankAnswer, RankRequest, ShopperId,
    decode_response, encode_request,
};

use crate::process::{Process, announce, exchange, free_port, run, serve};
use crate::world::World;

/// Imports the history of shopper `regular`, who lives wherever the home hash says; returns that cell.
fn import(world: &World) -> &'static str {
    let items: Vec<String> = std::fs::read_to_string(world.at("snapshot").join("items.csv"))
        .unwrap()
        .lines()
        .skip(1)
        .step_by(500)
        .take(40)
        .map(|line| line.split(',').nth(1).unwrap().to_owned())
        .collect();
    let rows: String = items
        .iter()
        .enumerate()
        .map(|(at, item)| format!("regular,{item},purchase,{}\n", 1_500_000_000 + at * 86_400))
        .collect();
    world.write("history.csv", &format!("shopper,item,kind,time_s\n{rows}"));
    world.write("assignments.csv", "shopper,locale\nregular,de-DE\n");
    let class = world.parsed().class_named("eu_only").unwrap().id;
    let home = world.parsed().home_cell(class, "regular").unwrap();
    let home = ["eu-a", "eu-b"][usize::from(home.0) - 1];
    let mut command = Command::new(env!("CARGO_BIN_EXE_domicile-cell"));
    command.args(["import", "--cell", home, "--shift-to-now", "--json"]);
    for (flag, name) in [
        ("--topology", "topology.toml"),
        ("--history", "history.csv"),
        ("--assignments", "assignments.csv"),
        ("--store", "store"),
    ] {
        command.arg(flag).arg(world.at(name));
    }
    let ended = run(command);
    assert_eq!(ended.code, Some(0), "{}", ended.err);
    assert!(ended.out.contains("\"shoppers\":1,\"events\":40,"), "{}", ended.out);
    home
}

fn request(world: &World) -> InnerRequest {
    InnerRequest {
        pin: world.pin(1),
        shopper: ShopperId::new("regular"),
        budget_ms: None,
        rank: RankRequest { locale: "de-DE".into(), slot: "home".into(), anchor: vec![] },
    }
}

fn ask(cell: &Process, request: &InnerRequest) -> Result<RankAnswer, Problem> {
    let reply = cell.post(GATEWAY_PATH, &encode_request(request));
    assert_eq!(reply.status, 200);
    assert!(
        reply.head.contains(&format!("content-type: {MEDIA_TYPE}"))
            && reply.head.contains("cache-control: no-store")
    );
    decode_response(&reply.body).unwrap()
}

#[test]
fn a_cell_answers_refuses_and_stops() {
    let world = World::new();
    let home = import(&world);
    let (admin, config) = (free_port().to_string(), world.patient());
    let more = ["--admin", &admin, "--ranker-threads", "2", "--config", config.to_str().unwrap()];
    let cell = Process::start(serve(&world, home, &more));
    let admin = admin.parse().unwrap();

    known_and_unknown_shoppers(&world, &cell, home);
    anchors_and_budgets(&world, &cell);
    inner_refusals(&world, &cell);
    outer_refusals(&cell);

    let metrics = exchange(admin, "GET", "/metrics", b"");
    let text = String::from_utf8(metrics.body).unwrap();
    assert!(text.contains("domicile_cell_answers_total{rung=\"full\",reason=\"within-budget\"}"), "{text}");
    assert!(!text.contains("regular"), "no shopper in a metric");
    for path in ["/ready", "/live", "/status"] {
        assert_eq!(exchange(admin, "GET", path, b"").status, 200);
    }
    assert_eq!(exchange(admin, "GET", GATEWAY_PATH, b"").status, 404);
    assert_eq!(cell.stop(), Some(0));
}

fn known_and_unknown_shoppers(world: &World, cell: &Process, home: &str) {
    let answer = ask(cell, &request(world)).unwrap();
    assert_eq!((answer.rung, answer.reason), (Rung::Full, Reason::WithinBudget));
    assert_eq!((answer.items.len(), answer.cell.as_str()), (24, home));
    assert_eq!(answer.features.state, FeatureState::Fresh);
    assert_eq!((answer.candidates.own, answer.candidates.ann, answer.candidates.popular), (40, 100, 60));
    assert!(answer.snapshot.starts_with("sha256:") && answer.overlay.starts_with("sha256:"));
    let distinct: std::collections::HashSet<&str> =
        answer.items.iter().map(|item| item.id.as_str()).collect();
    assert_eq!(distinct.len(), 24);

    for shopper in [None, ShopperId::new("stranger")] {
        let answer = ask(cell, &InnerRequest { shopper, ..request(world) }).unwrap();
        assert_eq!((answer.rung, answer.reason), (Rung::Compact, Reason::NoFeatures));
        assert_eq!((answer.features.state, answer.items.len()), (FeatureState::None, 24));
        assert_eq!((answer.candidates.own, answer.candidates.ann), (0, 0));
    }
}

fn anchors_and_budgets(world: &World, cell: &Process) {
    let shown = ask(cell, &request(world)).unwrap().items.remove(0).id;
    let mut product = request(world);
    product.rank =
        RankRequest { locale: "de-DE".into(), slot: "product".into(), anchor: vec![shown.clone()] };
    let answer = ask(cell, &product).unwrap();
    assert_eq!(answer.items.len(), 12);
    assert!(answer.items.iter().all(|item| item.id != shown), "the page shows it already");

    // No time at all: the last good ranking of this page, or the list where there is none.
    let hurried = InnerRequest { budget_ms: Some(0), ..request(world) };
    let answer = ask(cell, &hurried).unwrap();
    assert_eq!(
        (answer.rung, answer.reason, answer.items.len()),
        (Rung::LastGood, Reason::DeadlineTooNear, 24)
    );
    // A ranking of another page is none of this one's.
    let page = |anchor: &str| RankRequest { anchor: vec![anchor.to_owned()], ..product.rank.clone() };
    for (anchor, rung) in [(&shown, Rung::LastGood), (&answer.items[1].id, Rung::List)] {
        let there = InnerRequest { rank: page(anchor), ..hurried.clone() };
        assert_eq!(ask(cell, &there).unwrap().rung, rung);
    }
    let anonymous = ask(cell, &InnerRequest { shopper: None, ..hurried }).unwrap();
    assert_eq!((anonymous.rung, anonymous.items.len()), (Rung::List, 24));
}

fn inner_refusals(world: &World, cell: &Process) {
    let code = |change: &dyn Fn(&mut InnerRequest)| {
        let mut request = request(world);
        change(&mut request);
        ask(cell, &request).unwrap_err()
    };
    assert_eq!(code(&|r| r.rank.locale = "xx-XX".into()).code, Code::UnknownLocale);
    assert_eq!(code(&|r| r.rank.slot = "cellar".into()).code, Code::UnknownSlot);
    let unknown = code(&|r| r.rank.anchor = vec!["no-such-item".into()]);
    assert_eq!((unknown.code, unknown.status), (Code::UnknownItem, 422));
    assert!(
        unknown.detail.contains("anchor[0]") && !unknown.detail.contains("no-such"),
        "{}",
        unknown.detail
    );
    assert_eq!(code(&|r| r.pin = "x".into()).code, Code::PinMalformed);
    assert_eq!(code(&|r| r.pin = World::new().pin(1)).code, Code::PinUnknownKey);
    assert_eq!(code(&|r| r.pin = world.pin(9)).code, Code::UnknownClass);
    let elsewhere = code(&|r| r.pin = world.pin(2));
    assert_eq!((elsewhere.code, elsewhere.status), (Code::CellNotInClass, 421));
}

fn outer_refusals(cell: &Process) {
    let expect = |reply: crate::process::Reply, status: u16, code: &str| {
        assert_eq!(reply.status, status);
        let body = String::from_utf8(reply.body).unwrap();
        assert!(body.contains(&format!("\"code\":\"{code}\"")), "{body}");
        assert!(body.contains(&format!("\"type\":\"urn:domicile:problem:{code}\"")), "{body}");
        assert!(reply.head.contains("application/problem+json"), "{}", reply.head);
    };
    let no_key = cell.post_as("message/ohttp-req", &[0; 4_096]);
    assert_eq!(no_key.status, 422, "a cell without sealing keys");
    let body = String::from_utf8(no_key.body).unwrap();
    assert!(
        body.contains("http-problem-types#ohttp-key") && body.contains("\"code\":\"seal-key\""),
        "{body}"
    );
    expect(exchange(cell.address, "GET", "/keys", b""), 404, "no-keys");
    expect(cell.post_as("text/plain", b"x"), 415, "not-sealed");
    expect(cell.post_as(MEDIA_TYPE, &[7; 4_096]), 400, "malformed");
    expect(cell.post(GATEWAY_PATH, b""), 400, "empty");
    expect(cell.post(GATEWAY_PATH, b"\xff\xff"), 400, "malformed");
    expect(cell.post(GATEWAY_PATH, &vec![0; 17 * 1_024]), 413, "too-large");
    expect(exchange(cell.address, "GET", GATEWAY_PATH, b""), 405, "method-not-allowed");
    expect(cell.post("/elsewhere", b""), 404, "unknown-route");
    // A body that is announced and never comes costs the cell its budget and no more.
    expect(announce(cell.address, 10), 408, "slow");
}

#[test]
fn beyond_loopback_a_plain_shopper_id_is_refused_and_a_full_gate_says_so() {
    let world = World::new();
    let cell = Process::start(serve(&world, "eu-a", &["--listen", "0.0.0.0:0"]));
    for shopper in [ShopperId::new("regular"), None] {
        let plain = encode_request(&InnerRequest { shopper, ..request(&world) });
        for reply in [cell.post(GATEWAY_PATH, &plain), cell.post_as(MEDIA_TYPE, &plain)] {
            assert_eq!(reply.status, 415, "beyond loopback only what is sealed");
            assert!(String::from_utf8(reply.body).unwrap().contains("\"code\":\"not-sealed\""));
        }
    }
    assert_eq!(cell.stop(), Some(0));

    world.write("config.toml", "version = 1\n[limits]\nin_flight = 0");
    let config = world.at("config.toml");
    let cell =
        Process::start(serve(&world, "eu-a", &["--config", config.to_str().unwrap(), "--index", "exact"]));
    let reply = cell.post(GATEWAY_PATH, &encode_request(&request(&world)));
    assert_eq!(reply.status, 503);
    assert!(reply.head.contains("retry-after: 1"), "{}", reply.head);
}
