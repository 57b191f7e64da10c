//! Every request has one size, every answer of a cell has one, whatever is in them; and a class has as many paths as
//! cells × locales × slots, whoever asks.

use std::collections::BTreeSet;

use domicile_client::Outcome;
use domicile_seal::size;
use domicile_wire::{Call, Caller, Event, EventKind, RankRequest, Reply, Request};

use super::recorder::Exchange;
use super::stage::Stage;

/// Shoppers of each home.
const SHOPPERS: usize = 2;

/// Sizes of the bodies of sealed requests and of what came back for them.
fn sizes<'e>(exchanges: impl IntoIterator<Item = &'e Exchange>) -> BTreeSet<(usize, usize)> {
    let posts = exchanges.into_iter().filter(|exchange| exchange.is_post());
    posts.map(|exchange| (exchange.request.body.len(), exchange.answered().body.len())).collect()
}

pub(crate) fn shelves_have_one_size_and_as_many_paths_as_there_are_places(stage: &Stage) {
    let topology = &stage.world.topology;
    for class in topology.classes.iter().filter(|class| !class.cells.is_empty()) {
        let (client, mark) = (stage.client(), stage.mark());
        let mut expected = BTreeSet::new();
        let locales: Vec<_> = topology.locales.iter().filter(|locale| locale.class == class.id).collect();
        for member in &class.cells {
            let cell = &topology.cell(member.cell).unwrap().name;
            for shopper in stage.strangers(&class.name, cell).take(SHOPPERS) {
                for locale in &locales {
                    let grant = stage.world.grant(&shopper, &locale.name).unwrap();
                    for slot in &topology.slots {
                        let page = (locale.name.as_str(), slot.name.as_str());
                        let ranked =
                            stage.call(&client, &grant, page, async |ask| client.rank(ask, vec![]).await);
                        assert!(matches!(ranked, Outcome::Answered(_)), "{ranked:?}");
                        expected.insert(stage.path(&class.name, cell, page.0, page.1));
                    }
                }
            }
        }
        let written = stage.since(&mark);
        let posts = written.outer.iter().filter(|exchange| exchange.is_post());
        let paths: Vec<String> = posts.map(|exchange| exchange.request.path().to_owned()).collect();
        let places = class.cells.len() * locales.len() * topology.slots.len();
        assert_eq!(paths.len(), SHOPPERS * places, "each shopper asked for each shelf");
        assert_eq!((expected.len(), paths.into_iter().collect()), (places, expected), "{}", class.name);
        let one = BTreeSet::from([(size::REQUEST, topology.answer_bytes() as usize)]);
        assert_eq!(sizes(written.inner.values().flatten()), one);
        assert_eq!(sizes(&written.outer), one);
    }
}

pub(crate) fn a_problem_has_the_size_of_a_shelf(stage: &Stage) {
    let shopper = stage.strangers("eu_only", "eu-a").nth(5).unwrap();
    let good = stage.world.request(&shopper, "de-DE", "home").unwrap();
    let rank = |slot: &str, anchor: Vec<String>| {
        Call::Rank(RankRequest { locale: "de-DE".into(), slot: slot.into(), anchor })
    };
    let event = |id: usize| Event {
        id: format!("e{id}"),
        kind: EventKind::View,
        item: None,
        time_s: 0,
        rung: None,
        shown: None,
        client_ms: None,
    };
    let with = |call: Call| Request { call, ..good.clone() }.encode();
    let foreign = stage.world.request(&shopper, "en-US", "home").unwrap();
    let messages = [
        (None, with(rank("product", vec![]))),
        (None, with(Call::Export(None))),
        (Some("unknown-slot"), with(rank("cellar", vec![]))),
        (Some("unknown-item"), with(rank("home", vec!["nothing".into()]))),
        (Some("too-many-anchors"), with(rank("home", vec!["1".into(); 40]))),
        (Some("events-invalid"), with(Call::Events(vec![event(1)]))),
        (Some("token-missing"), Request { caller: Caller::Nobody, ..good.clone() }.encode()),
        (Some("token-audience"), Request { caller: foreign.caller.clone(), ..good.clone() }.encode()),
        (Some("cell-not-in-class"), Request { pin: foreign.pin.clone(), ..good.clone() }.encode()),
        (Some("pin-malformed"), Request { pin: "x".into(), ..good.clone() }.encode()),
        (Some("date-skew"), Request { date_s: Some(0), ..good.clone() }.encode()),
        (Some("message-invalid"), b"\x07 no message".to_vec()),
        (Some("unknown-route"), Vec::new()),
    ];
    let path = stage.path("eu_only", "eu-a", "de-DE", "home");
    let mark = stage.mark();
    for (code, message) in &messages {
        let (sealed, opener) = stage.world.seal("eu-a", message).unwrap();
        let answer = stage.send("POST", &path, &[], &sealed);
        assert_eq!(answer.header("domicile-outcome"), "relayed", "{code:?}");
        let reply = Reply::decode(&opener.open(&answer.body).unwrap()).unwrap();
        let problem = reply.parse::<serde_json::Value>().unwrap().err();
        assert_eq!(problem.map(|problem| problem.code.as_str()), *code);
    }
    let mut written = stage.since(&mark);
    let one = BTreeSet::from([(size::REQUEST, stage.world.topology.answer_bytes() as usize)]);
    assert_eq!(written.inner["eu-a"].len(), messages.len());
    assert_eq!(sizes(&written.inner["eu-a"]), one);
    // One byte more in one of them would be seen.
    written.inner.get_mut("eu-a").unwrap()[3].answer.as_mut().unwrap().body.push(0);
    assert_eq!(sizes(&written.inner["eu-a"]).len(), 2);
}
