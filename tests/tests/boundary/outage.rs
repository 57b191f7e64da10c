//! A cell that is gone: its shoppers get another one of their class or the list, and no cell outside of the class gets a
//! byte of theirs. A class without a cell gets the list, and nobody gets a byte.

use domicile_client::{Client, Network, Outcome, Reason};

use super::stage::Stage;

/// A shelf on a new page: its cell, or why there is none; and how many requests were sealed.
fn ranked(
    stage: &Stage,
    client: &Client<Network>,
    shopper: &str,
    locale: &str,
) -> Result<(String, u32), (Reason, u32)> {
    let grant = stage.world.grant(shopper, locale).unwrap();
    client.turn_page();
    match stage.call(client, &grant, (locale, "home"), async |ask| client.rank(ask, vec![]).await) {
        Outcome::Answered(answered) => Ok((answered.cell, answered.attempts)),
        Outcome::Fallback(fallback) => Err((fallback.reason, fallback.attempts)),
        other => panic!("{other:?}"),
    }
}

/// How many bytes the recorders before these cells have read.
fn bytes(stage: &Stage, cells: &[&str]) -> usize {
    cells.iter().map(|cell| stage.cell(cell).bytes()).sum()
}

/// A class without cells, and a client that is sent somewhere all the same.
pub(crate) fn a_class_without_a_cell_reaches_none(stage: &Stage) {
    let every: Vec<&str> = stage.cells.keys().map(String::as_str).collect();
    let before = bytes(stage, &every);
    assert!(stage.world.grant("anybody", "en-GB").is_err(), "no grant: there is nothing to ask with");
    let list = stage.send("GET", "/v1/shelf/en-GB/home", &[], &[]);
    assert_eq!((list.status, list.header("domicile-outcome")), (200, "list"));
    for class in ["uk_only", "eu_only", "us_only"] {
        for cell in &every {
            let allowed = stage.world.topology.class_named(class).unwrap();
            if allowed.allows(stage.world.topology.cell_named(cell).unwrap().id) {
                continue;
            }
            let path = stage.path(class, cell, "en-GB", "home");
            let answer = stage.send("POST", &path, &[], &[0x5a; domicile_seal::size::REQUEST]);
            assert_eq!((answer.status, answer.code().as_str()), (403, "cell-not-in-class"), "{path}");
        }
    }
    assert_eq!(bytes(stage, &every), before, "no cell saw a byte");
}

/// Last: the cells stay stopped.
pub(crate) fn a_stopped_cell_sends_nobody_abroad(stage: &mut Stage) {
    let shopper = stage.world.shopper("de-DE", "eu-b").unwrap().to_owned();
    let outside = bytes(stage, &["us-a"]);
    // A page that has the keys already, so that it does seal; and one that has none.
    let (client, fresh) = (stage.client(), stage.client());
    let second = stage.world.shopper("de-DE", "eu-a").unwrap().to_owned();
    for (shopper, home) in [(&shopper, "eu-b"), (&second, "eu-a")] {
        assert_eq!(ranked(stage, &client, shopper, "de-DE"), Ok((home.to_owned(), 1)));
    }

    stage.world.cluster.stop_cell("eu-b");
    let inside = bytes(stage, &["eu-a"]);
    assert_eq!(ranked(stage, &client, &shopper, "de-DE"), Ok(("eu-a".to_owned(), 2)));
    assert!(bytes(stage, &["eu-a"]) > inside, "the recorders count what comes");

    stage.world.cluster.stop_cell("eu-a");
    assert_eq!(ranked(stage, &client, &shopper, "de-DE"), Err((Reason::CellFailed, 2)));
    assert_eq!(ranked(stage, &fresh, &shopper, "de-DE"), Err((Reason::KeysLost, 0)));
    for cell in ["eu-a", "eu-b"] {
        let path = stage.path("eu_only", cell, "de-DE", "home");
        let answer = stage.send("POST", &path, &[], &[0x5a; domicile_seal::size::REQUEST]);
        let outcome = (answer.status, answer.header("domicile-outcome"));
        assert_eq!(outcome, (200, "fallback; reason=cell-failed"));
        assert_eq!(answer.json()["items"].as_array().unwrap().len(), 24, "the list");
    }
    assert_eq!(bytes(stage, &["us-a"]), outside, "no cell outside of the class saw a byte");

    // The same counter moves for a shopper of that class.
    assert_eq!(ranked(stage, &client, "somebody", "en-US"), Ok(("us-a".to_owned(), 1)));
    assert!(bytes(stage, &["us-a"]) > outside);
}
