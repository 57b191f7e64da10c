//! Requests and answers that were altered on the way: through the edge, what comes out is a documented answer that says
//! nothing more, and nothing of it is written down in clear.

use std::collections::BTreeSet;

use domicile_client::{Outcome, Reason};
use domicile_tests::http::Answer;
use domicile_wire::{Code, Reply, Request};

use super::stage::Stage;

const CELL: &str = "eu-a";
const SHOPPER: &str = "opaque-shopper-51d0";

/// The same but for time: status, headers without `date`, body.
fn undated(answer: &Answer) -> (u16, Vec<(String, String)>, Vec<u8>) {
    let headers = answer.headers.iter().filter(|(name, _)| name != "date").cloned().collect();
    (answer.status, headers, answer.body.clone())
}

/// The code of a problem inside the seal.
fn code(reply: &Reply) -> Option<Code> {
    reply.parse::<serde_json::Value>().unwrap().err().map(|problem| problem.code)
}

pub(crate) fn errors_are_opaque(stage: &Stage) {
    let good = stage.world.request(SHOPPER, "de-DE", "home").unwrap();
    let path = stage.path("eu_only", CELL, "de-DE", "home");
    let seal = |request: &Request| stage.world.seal(CELL, &request.encode()).unwrap();
    let mark = stage.mark();

    // Altered requests, which the cell cannot open: one answer for all of them.
    let sealed = seal(&good).0;
    let altered = |at: usize| {
        let mut altered = sealed.clone();
        altered[at] ^= 0x41;
        altered
    };
    let foreign = stage.world.seal("eu-b", &good.encode()).unwrap().0;
    let cases = [
        ("a key id that nobody has", altered(0)),
        ("another suite", altered(2)),
        ("a flipped bit in the encapsulated key", altered(20)),
        ("a flipped bit in the content", altered(2_000)),
        ("a flipped bit at the end", altered(sealed.len() - 1)),
        ("a byte less", sealed[..sealed.len() - 1].to_vec()),
        ("half of it", sealed[..2_048].to_vec()),
        ("nothing", Vec::new()),
        ("noise", vec![0x5a; sealed.len()]),
        ("sealed to another cell", foreign),
    ];
    for strict in ["", "?strict"] {
        let mut answers = BTreeSet::new();
        for (name, body) in &cases {
            let answer = stage.send("POST", &format!("{path}{strict}"), &[], body);
            let outcome = answer.header("domicile-outcome");
            if strict.is_empty() {
                assert_eq!((answer.status, outcome), (200, "fallback; reason=key-refused"), "{name}");
                assert_eq!(answer.json()["rung"], "list", "{name}");
            } else {
                assert_eq!((answer.status, answer.code().as_str()), (503, "key-refused"), "{name}");
            }
            answers.insert(undated(&answer));
        }
        assert_eq!(answers.len(), 1, "one answer, whatever was wrong: {answers:#?}");
    }
    let long = stage.send("POST", &path, &[], &[&sealed[..], &[0]].concat());
    assert_eq!(long.header("domicile-outcome"), "fallback; reason=too-large");

    // Opened, and refused inside the seal: outside it is an answer like every other.
    let (twice, opener) = seal(&good);
    let first = stage.send("POST", &path, &[], &twice);
    let again = stage.send("POST", &path, &[], &twice);
    let stale = Request { date_s: good.date_s.map(|date_s| date_s - 3_600), ..good.clone() };
    let (stale, stale_opener) = seal(&stale);
    let stale = stage.send("POST", &path, &[], &stale);
    let outside = |answer: &Answer| (answer.status, undated(answer).1, answer.body.len());
    assert_eq!(first.header("domicile-outcome"), "relayed");
    assert_eq!((outside(&again), outside(&stale)), (outside(&first), outside(&first)));
    let inside = |opener: domicile_seal::Opener, answer: &Answer| {
        code(&Reply::decode(&opener.open(&answer.body).unwrap()).unwrap())
    };
    assert_eq!(inside(opener, &again), Some(Code::Replayed));
    assert_eq!(inside(stale_opener, &stale), Some(Code::DateSkew));

    swapped_answers_open_for_nobody(stage, &first.body);
    what_the_cell_said_outside(stage, &stage.since(&mark).inner[CELL]);
    for cell in stage.cells.keys() {
        let said = stage.cell_says(cell);
        assert!(!said.contains(SHOPPER) && !said.contains(&good.pin), "{cell} wrote down who asked");
    }
    assert!(!stage.log().contains(SHOPPER));
}

/// What is made of an answer's body on the way.
type Swap = Box<dyn Fn(&[u8]) -> Vec<u8> + Send>;

/// The answer to one shopper, or an altered one, handed to another: no answer, and nothing to learn from it.
fn swapped_answers_open_for_nobody(stage: &Stage, other: &[u8]) {
    let shopper = stage.strangers("eu_only", CELL).nth(7).unwrap();
    let grant = stage.world.grant(&shopper, "de-DE").unwrap();
    let rank = || {
        let client = stage.client();
        let only_home = async |ask: domicile_client::Ask<'_>| {
            client.rank(domicile_client::Ask { cells: domicile_client::Cells::Home, ..ask }, vec![]).await
        };
        stage.call(&client, &grant, ("de-DE", "home"), only_home)
    };
    let swap = other.to_vec();
    let tricks: [Swap; 3] = [
        Box::new(move |_| swap.clone()),
        Box::new(|body| {
            let mut body = body.to_vec();
            body[1_000] ^= 1;
            body
        }),
        Box::new(|body| body[..body.len() - 1].to_vec()),
    ];
    for trick in tricks {
        let outcome = stage.cell(CELL).lying(
            move |request, answer| {
                request.start().starts_with("POST ").then(|| answer.with_body(&trick(&answer.body)))
            },
            rank,
        );
        match outcome {
            Outcome::Fallback(fallback) => assert_eq!(fallback.reason, Reason::NotAnAnswer),
            other => panic!("{other:?}"),
        }
    }
    assert!(matches!(rank(), Outcome::Answered(_)), "untouched, it is one");
}

/// What the cell itself told the edge: a status and a code of its table, and no word more.
fn what_the_cell_said_outside(stage: &Stage, exchanges: &[super::recorder::Exchange]) {
    const CODES: [&str; 6] = ["seal-key", "seal-suite", "seal-broken", "seal-size", "too-large", "empty"];
    let mut codes = BTreeSet::new();
    for exchange in exchanges.iter().filter(|exchange| exchange.is_post()) {
        let answer = exchange.answered();
        if answer.value("content-type") == Some(domicile_seal::ANSWER_TYPE) {
            assert_eq!(answer.body.len(), stage.world.topology.answer_bytes() as usize);
            continue;
        }
        let problem: serde_json::Map<String, serde_json::Value> =
            serde_json::from_slice(&answer.body).unwrap();
        let members: BTreeSet<&str> = problem.keys().map(String::as_str).collect();
        assert_eq!(members, BTreeSet::from(["code", "status", "title", "type"]));
        let code = problem["code"].as_str().unwrap();
        assert!(CODES.contains(&code), "{code}");
        codes.insert(code.to_owned());
    }
    assert!(codes.len() >= 4, "the cases are several to the cell: {codes:?}");
}
