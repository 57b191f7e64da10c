//! Whatever the edge does.

use std::time::Duration;

use domicile_client::{Ask, Client, Outcome, Outside as _};
use domicile_seal::size;
use domicile_wire::Code;
use proptest::prelude::*;

use crate::calls::events;
use crate::tricks::{Keys, Route, Sealed};
use crate::world::{LIMIT, Shared, World, ask, page};

/// The cells of the class.
const CLASS: [&str; 3] = ["a", "b", "c"];

fn route() -> impl Strategy<Value = Route> {
    prop_oneof![
        6 => Just(Route::Good),
        1 => prop::sample::select(vec![
            Route::Forged,
            Route::RolledBack,
            Route::OtherClass,
            Route::Stale,
            Route::Garbage,
            Route::Missing,
            Route::Lost,
            Route::Hangs,
        ]),
    ]
}

fn keys() -> impl Strategy<Value = Keys> {
    prop_oneof![
        4 => prop::sample::select(vec![Keys::Good, Keys::Next]),
        1 => prop::sample::select(vec![
            Keys::Swapped,
            Keys::OtherCells,
            Keys::Cached,
            Keys::Stale,
            Keys::Garbage,
            Keys::Missing,
            Keys::Lost,
            Keys::Hangs,
        ]),
    ]
}

fn sealed() -> impl Strategy<Value = Sealed> {
    let reason = prop::sample::select(vec![
        "key-refused",
        "too-large",
        "cell-busy",
        "cell-failed",
        "page-limit",
        "relayed",
        "",
    ]);
    let fixed = prop::sample::select(vec![
        Sealed::WrongType,
        Sealed::WrongSize,
        Sealed::NoOutcome,
        Sealed::TwoOutcomes,
        Sealed::Disguised,
        Sealed::Noise,
        Sealed::Plain,
        Sealed::NoReceipt,
        Sealed::ForgedReceipt,
        Sealed::OtherReceipt,
        Sealed::Lost,
        Sealed::Hangs,
    ]);
    prop_oneof![
        2 => prop::sample::select(vec![Sealed::Answer, Sealed::Ahead]),
        1 => prop::sample::select(vec!["a", "c", "us", "nobody"]).prop_map(Sealed::Steers),
        2 => prop::sample::select(Code::ALL.to_vec()).prop_map(Sealed::Problem),
        2 => reason.prop_map(Sealed::Fallback),
        1 => (300u16..600).prop_map(Sealed::Refused),
        1 => any::<usize>().prop_map(Sealed::Flipped),
        5 => fixed,
    ]
}

/// Whether a client may take it for a cell's answer. A direct cell has no outcome that could be wrong.
fn is_answer(trick: &Sealed, direct: bool) -> bool {
    match trick {
        Sealed::Answer | Sealed::Ahead | Sealed::Steers(_) => true,
        Sealed::NoOutcome | Sealed::TwoOutcomes | Sealed::Disguised => direct,
        _ => false,
    }
}

/// Makes a call; when it is a success, the cell that answered, where the outcome says it.
async fn done(client: &Client<Shared>, ask: Ask<'_>, call: &str) -> Option<Option<String>> {
    match call {
        "rank" => answerer(client.rank(ask, vec![]).await).map(Some),
        "erasure" => answerer(client.erase(ask).await).map(Some),
        _ => {
            let told = client.tell(ask, events(1)).await;
            assert_eq!(told.undelivered.is_empty(), told.stopped.is_none());
            told.undelivered.is_empty().then_some(None)
        }
    }
}

fn answerer<T>(outcome: Outcome<T>) -> Option<String> {
    match outcome {
        Outcome::Answered(answered) => Some(answered.cell),
        _ => None,
    }
}

proptest! {
    // Each case makes keys and verifies a dozen signatures.
    #![proptest_config(ProptestConfig { cases: 192, failure_persistence: None, ..ProptestConfig::default() })]
    #[test]
    fn no_other_cell_no_third_attempt_no_false_success_no_unverified_key(
        route in route(),
        keys in prop::array::uniform4(keys()),
        tricks in prop::collection::vec(sealed(), 0..8),
        home in prop::sample::select(CLASS.to_vec()),
        direct in prop::sample::select(vec!["", "a", "b", "us"]),
        calls in prop::collection::vec(prop::sample::select(vec!["rank", "events", "erasure"]), 1..4),
        random in any::<u64>(),
    ) {
        let world = World::with(&CLASS, &[direct]);
        world.script(|script| (script.route, script.keys, script.sealed) = (route, keys, tricks.clone()));
        world.draw(random);
        let (client, grant, page) = (world.client(), world.grant(home), page());
        let mut played = tricks.into_iter();
        for call in calls {
            let begun = world.now();
            let answered = world.run(done(&client, ask(&client, &grant, &page), call));
            prop_assert!(world.now().since(begun) <= LIMIT, "a page never waits past its limit");
            let posted = world.posted();
            let tricks: Vec<Sealed> =
                posted.iter().map(|_| played.next().unwrap_or(Sealed::Answer)).collect();

            prop_assert!(posted.len() <= 2, "two attempts at most");
            for posted in &posted {
                let cell = posted.cell.as_str();
                prop_assert!(CLASS.contains(&cell), "{} is no cell of the class", cell);
                prop_assert_eq!(posted.body.len(), size::REQUEST);
                prop_assert!(matches!(route, Route::Good | Route::RolledBack), "sealed under {:?}", route);
                let at = world.0.cells.iter().position(|side| side.name == cell).unwrap();
                prop_assert!(matches!(keys[at], Keys::Good | Keys::Next | Keys::Cached), "sealed to {:?}", keys[at]);
                // To the cell's own key, or to one that was its own: never to another cell's, or the edge's.
                prop_assert!(world.0.cells[at].ring.open(&posted.body).is_ok() || keys[at] == Keys::Cached);
            }
            if call == "erasure" {
                prop_assert!(posted.iter().all(|posted| posted.cell == home), "nobody stands in");
            }
            if let Some(cell) = answered {
                let (trick, last) = (tricks.last().unwrap(), posted.last().unwrap());
                prop_assert!(is_answer(trick, last.cell == direct), "{:?} is no success", trick);
                prop_assert_eq!(cell.as_ref().unwrap_or(&last.cell), &last.cell);
            }
            world.pass(Duration::from_secs(random % 3));
        }
    }

    #[test]
    fn a_good_cell_is_always_found_when_one_failed(
        trick in sealed().prop_filter("a failure of a cell", |trick| matches!(
            trick,
            Sealed::Lost | Sealed::Hangs | Sealed::Noise | Sealed::WrongSize | Sealed::ForgedReceipt
        )),
        home in prop::sample::select(CLASS.to_vec()),
    ) {
        let world = World::whole();
        world.script(|script| script.sealed = vec![trick.clone()]);
        let (client, grant, page) = (world.client(), world.grant(home), page());
        let outcome = world.run(client.rank(ask(&client, &grant, &page), vec![]));
        prop_assert!(matches!(outcome, Outcome::Answered(answered) if answered.cell != home));
    }
}
