//! Canaries inside the envelope, in headers and in the query: a text of its own for each. None may come up in the
//! edge's log, metrics or linear memories, in what goes on to a cell, or in what a cell writes down.

use std::collections::BTreeSet;

use domicile_cluster::memory::{Memory, holds};
use domicile_wire::{Call, Event, EventKind, RankRequest, Reply, Request};

use super::stage::{Stage, Written};

const SHOPPER: &str = "canary-shopper-7be1";
const ANCHOR: &str = "canary-anchor-7be1";
const EVENT: &str = "canary-event-7be1";
const ITEM: &str = "canary-item-7be1";
const QUERY: &str = "canary-query-7be1";
const PATH: &str = "canary-path-7be1";
const HEADERS: [&str; 8] = [
    "cookie",
    "authorization",
    "referer",
    "user-agent",
    "x-forwarded-for",
    "forwarded",
    "traceparent",
    "x-any",
];

fn in_header(name: &str) -> String {
    format!("canary-{name}-7be1")
}

/// Which of these texts lie in some bytes.
fn found<'t>(bytes: &[u8], texts: &'t [String]) -> BTreeSet<&'t str> {
    texts.iter().map(String::as_str).filter(|text| holds(bytes, text)).collect()
}

/// Everything that went on to a cell.
fn captured(written: &Written) -> Vec<u8> {
    written.inner.values().flatten().flat_map(|exchange| exchange.request.raw.clone()).collect()
}

pub(crate) fn no_canary_leaves_the_envelope(stage: &Stage) {
    let good = stage.world.request(SHOPPER, "en-US", "home").unwrap();
    let domicile_wire::Caller::Token(token) = &good.caller else { panic!("no token") };
    // A token says who it is about in its second part; the cell reads it there and nowhere else.
    let parts = token.expose().split('.').map(str::to_owned);
    let envelope: Vec<String> = parts.chain([ANCHOR, EVENT, ITEM].map(str::to_owned)).collect();
    let headers = HEADERS.map(in_header);
    let mut never: Vec<String> = envelope.iter().chain(&headers).cloned().collect();
    never.push(SHOPPER.to_owned());

    let rank = RankRequest { locale: "en-US".into(), slot: "home".into(), anchor: vec![ANCHOR.into()] };
    let event = Event {
        id: EVENT.into(),
        kind: EventKind::View,
        item: Some(ITEM.into()),
        time_s: good.date_s.unwrap(),
        rung: None,
        shown: None,
        client_ms: None,
    };
    let calls = [Call::Rank(rank), Call::Events(vec![event]), Call::Export(None), Call::Erase];
    let messages: Vec<Vec<u8>> =
        calls.map(|call| Request { call, ..good.clone() }.encode()).into_iter().collect();
    let all = found(&messages.concat(), &envelope);
    assert_eq!(all.len(), envelope.len(), "every canary is in some message: {all:?}");

    let sent: Vec<(&str, String)> = HEADERS.iter().map(|name| (*name, in_header(name).repeat(8))).collect();
    let sent: Vec<(&str, &str)> = sent.iter().map(|(name, value)| (*name, value.as_str())).collect();
    let path = stage.path("us_only", "us-a", "en-US", "home");
    let mark = stage.mark();
    for message in &messages {
        let (sealed, opener) = stage.world.seal("us-a", message).unwrap();
        let answer = stage.send("POST", &path, &sent, &sealed);
        assert_eq!(answer.header("domicile-outcome"), "relayed", "{:?}", answer.headers);
        assert!(Reply::decode(&opener.open(&answer.body).unwrap()).is_ok());
        assert!(found(&answer.body, &never).is_empty());
        assert!(found(format!("{:?}", answer.headers).as_bytes(), &never).is_empty());
        // Refused: what was refused is not written down either.
        let refused = stage.send("POST", &format!("{path}?{QUERY}"), &sent, &sealed);
        assert_eq!(refused.code(), "unknown-route");
    }
    // Read by the guest and gone nowhere: the search of memories has to find it.
    stage.send("POST", &path.replace("/v1/sealed/", &format!("/v1/sealed/{PATH}")), &sent, &messages[0]);
    let memory = Memory::of(stage.process()).unwrap();
    let written = stage.since(&mark);

    assert!(memory.linear.iter().any(|bytes| holds(bytes, PATH)), "the path's canary: nothing was searched");
    let in_memory: BTreeSet<_> = memory.linear.iter().flat_map(|bytes| found(bytes, &never)).collect();
    assert!(in_memory.is_empty(), "in a linear memory: {in_memory:?}");

    let nowhere: Vec<String> = never.iter().cloned().chain([QUERY, PATH].map(str::to_owned)).collect();
    let log = stage.log();
    let lines = written.log.iter().filter(|line| line.contains("exchange")).count();
    assert_eq!(lines, 2 * messages.len() + 1, "the log has a line for each request");
    let metrics = stage.metrics();
    assert!(metrics.contains("domicile_edge_requests_total{route=\"/v1/sealed\""), "{metrics}");
    let said: Vec<String> = stage.cells.keys().map(|cell| stage.cell_says(cell)).collect();
    assert!(said.iter().any(|said| said.contains("domicile_cell_problems_total")));
    let captures = captured(&written);
    assert_eq!(written.inner["us-a"].len(), messages.len(), "as many as were relayed");
    for (place, bytes) in [("log", log.as_bytes()), ("metrics", metrics.as_bytes()), ("captures", &captures)]
        .into_iter()
        .chain(said.iter().map(|said| ("cell", said.as_bytes())))
    {
        let leaked = found(bytes, &nowhere);
        assert!(leaked.is_empty(), "in {place}: {leaked:?}");
    }

    // A page that forgets to seal: the edge carries what it is given, and the same search finds every canary of it.
    // The cell takes nothing of it.
    let mark = stage.mark();
    for message in &messages {
        let answer = stage.send("POST", &path, &[], message);
        assert_eq!(answer.header("domicile-outcome"), "fallback; reason=key-refused");
    }
    let leak = captured(&stage.since(&mark));
    assert_eq!(found(&leak, &envelope).len(), envelope.len(), "the search of captures finds what is there");
    let said = stage.cell_says("us-a");
    assert!(found(said.as_bytes(), &never).is_empty(), "nor does the cell write it down");
}
