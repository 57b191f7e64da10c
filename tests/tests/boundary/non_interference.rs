//! Two shoppers of the same facts (class, cell, locale, slot) and of different histories: everything that the edge
//! writes down or passes on is the same, byte for byte, but for named time fields and the sealed bodies.

use std::collections::BTreeSet;

use domicile_client::{Client, Grant, Network, Outcome};
use domicile_seal::size;
use domicile_wire::{Event, EventKind};

use super::recorder::Exchange;
use super::stage::{Stage, Written};

const LOCALE: &str = "de-DE";
const CELL: &str = "eu-a";

/// A page's session: everything a shopper can ask for.
fn session(stage: &Stage, shopper: &str, events: &[Event]) -> Written {
    let grant = stage.world.grant(shopper, LOCALE).unwrap();
    assert_eq!(grant.home(), CELL, "{shopper}");
    let (client, mark) = (stage.client(), stage.mark());
    rank(stage, &client, &grant);
    let page = (LOCALE, "home");
    let told = stage.call(&client, &grant, page, async |ask| client.tell(ask, events.to_vec()).await);
    assert!(told.undelivered.is_empty(), "{told:?}");
    let exported = stage.call(&client, &grant, page, async |ask| client.export(ask).await);
    assert!(exported.stopped.is_none() && exported.pages.len() == 1, "{exported:?}");
    let erased = stage.call(&client, &grant, page, async |ask| client.erase(ask).await);
    assert!(matches!(erased, Outcome::Answered(_)), "{erased:?}");
    stage.since(&mark)
}

/// A shelf; how it was ranked, which only the page knows.
fn rank(stage: &Stage, client: &Client<Network>, grant: &Grant) -> (String, usize) {
    match stage.call(client, grant, (LOCALE, "home"), async |ask| client.rank(ask, vec![]).await) {
        Outcome::Answered(answered) => {
            let answer = answered.answer;
            (answer.rung.as_str().to_owned(), answer.candidates.own as usize)
        }
        other => panic!("{other:?}"),
    }
}

fn events(stage: &Stage, count: usize) -> Vec<Event> {
    let list = stage.send("GET", "/v1/shelf/de-DE/home", &[], &[]).json();
    let items: Vec<_> = list["items"].as_array().unwrap().iter().map(|item| item["id"].as_str()).collect();
    let event = |at: usize| Event {
        id: format!("event-{at}"),
        kind: EventKind::Purchase,
        item: items[at % items.len()].map(str::to_owned),
        time_s: i64::try_from(domicile_cluster::report::unix_seconds()).unwrap() - 60,
        rung: None,
        shown: None,
        client_ms: None,
    };
    (0..count).map(event).collect()
}

/// A head without its time field, `date`.
fn undated(head: &str) -> String {
    let dated = |line: &str| line.to_ascii_lowercase().starts_with("date:");
    head.split("\r\n").filter(|line| !dated(line)).collect::<Vec<_>>().join("\r\n")
}

/// Heads and sizes of exchanges: what can be compared of them.
fn shape(exchanges: &[Exchange]) -> Vec<(String, usize, String, usize)> {
    let of = |exchange: &Exchange| {
        let answer = exchange.answered();
        let request = &exchange.request;
        (request.head.clone(), request.raw.len(), undated(&answer.head), answer.body.len())
    };
    exchanges.iter().map(of).collect()
}

/// In what two sessions differ.
fn differences(one: &Written, other: &Written) -> Vec<&'static str> {
    let mut found = Vec::new();
    let mut note = |what, same: bool| {
        if !same {
            found.push(what);
        }
    };
    note("log", one.log == other.log);
    note("metrics", one.metrics == other.metrics);
    note("between client and edge", shape(&one.outer) == shape(&other.outer));
    let inner = |written: &Written| -> Vec<_> {
        written.inner.iter().map(|(cell, exchanges)| (cell.clone(), shape(exchanges))).collect()
    };
    note("between edge and cells", inner(one) == inner(other));
    found
}

pub(crate) fn two_shoppers_are_the_same_to_the_edge(stage: &Stage) {
    let strangers: Vec<String> = stage.strangers("eu_only", CELL).take(3).collect();
    let events = events(stage, 8);
    // Instances are made, connections opened.
    session(stage, &strangers[2], &events[..1]);

    // What one did is known; of the other nothing is.
    let grant = stage.world.grant(&strangers[0], LOCALE).unwrap();
    let client = stage.client();
    stage.call(&client, &grant, (LOCALE, "home"), async |ask| client.tell(ask, events.clone()).await);
    let known = rank(stage, &stage.client(), &grant);
    let unknown = rank(stage, &stage.client(), &stage.world.grant(&strangers[1], LOCALE).unwrap());
    assert!(known.1 > 0 && unknown.1 == 0, "to the cell they are two: {known:?}, {unknown:?}");

    let one = session(stage, &strangers[0], &events[..1]);
    let other = session(stage, &strangers[1], &events[1..6]);
    assert_eq!(differences(&one, &other), [""; 0], "{:#?}\n{:#?}", one.log, other.log);
    assert_eq!(one.log.iter().filter(|line| line.contains("exchange")).count(), 6, "{:#?}", one.log);
    let posts = "domicile_edge_requests_total{route=\"/v1/sealed\",outcome=\"answered\",status=\"2xx\"}";
    assert_eq!(one.metrics.get(posts), Some(&4), "the metrics count");

    // Only what is sealed differs, and every body does.
    let bodies = |written: &Written| -> Vec<Vec<u8>> {
        let posts = written.inner[CELL].iter().filter(|exchange| exchange.is_post());
        posts.flat_map(|e| [e.request.body.clone(), e.answered().body.clone()]).collect()
    };
    let (ours, theirs) = (bodies(&one), bodies(&other));
    assert_eq!((ours.len(), theirs.len()), (8, 8));
    let all: BTreeSet<&Vec<u8>> = ours.iter().chain(&theirs).collect();
    assert_eq!(all.len(), 16);

    the_comparison_sees(&one, &other);
    calls_are_the_same_to_the_edge(stage, &one);
    a_history_from_before_is_the_same_to_the_edge(stage, &strangers[1]);
}

/// The same comparison finds a leak in each place where there could be one.
fn the_comparison_sees(one: &Written, other: &Written) {
    let tampered = |leak: fn(&mut Written)| {
        let mut leaky = other.clone();
        leak(&mut leaky);
        differences(one, &leaky)
    };
    assert_eq!(tampered(|w| w.log[0].push('s')), ["log"]);
    assert_eq!(tampered(|w| *w.metrics.values_mut().next().unwrap() += 1), ["metrics"]);
    assert_eq!(
        tampered(|w| {
            let head = &mut w.outer[2].request.head;
            head.insert_str(head.len() - 2, "cookie: s\r\n");
        }),
        ["between client and edge"]
    );
    assert_eq!(
        tampered(|w| {
            let head = &mut w.inner.get_mut(CELL).unwrap()[1].request.head;
            head.insert_str(head.len() - 2, "cookie: s\r\n");
        }),
        ["between edge and cells"]
    );
    assert_eq!(
        tampered(|w| w.inner.get_mut(CELL).unwrap()[1].answer.as_mut().unwrap().body.push(0)),
        ["between edge and cells"]
    );
}

/// Rank, events, export and erasure: one path, one head, one size, both ways, before the edge and behind it.
fn calls_are_the_same_to_the_edge(stage: &Stage, written: &Written) {
    let posts = |exchanges: &[Exchange]| -> Vec<Exchange> {
        exchanges.iter().filter(|exchange| exchange.is_post()).cloned().collect()
    };
    let answer_bytes = stage.world.topology.answer_bytes() as usize;
    for exchanges in [posts(&written.outer), posts(&written.inner[CELL])] {
        assert_eq!(exchanges.len(), 4, "rank, events, export, erasure");
        let shapes: BTreeSet<_> = shape(&exchanges).into_iter().collect();
        assert_eq!(shapes.len(), 1, "{shapes:#?}");
        assert!(exchanges.iter().all(|e| e.request.body.len() == size::REQUEST));
        assert!(exchanges.iter().all(|e| e.answered().body.len() == answer_bytes));
    }
}

/// The same for a shopper with years of history in the cell's store, who is ranked by the full model.
fn a_history_from_before_is_the_same_to_the_edge(stage: &Stage, stranger: &str) {
    let shopper = stage.world.shopper(LOCALE, CELL).unwrap();
    let shelf = |shopper: &str| {
        let grant = stage.world.grant(shopper, LOCALE).unwrap();
        let (client, mark) = (stage.client(), stage.mark());
        let ranked = rank(stage, &client, &grant);
        (ranked, stage.since(&mark))
    };
    let ((known, one), (unknown, other)) = (shelf(shopper), shelf(stranger));
    assert_ne!(known.0, unknown.0, "another rung, which only the page knows");
    assert_eq!(differences(&one, &other), [""; 0], "{:#?}\n{:#?}", one.log, other.log);
}
