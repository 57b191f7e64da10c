//! Which cell is asked, and what the one extra attempt is spent on.

use std::time::Duration;

use domicile_client::{Answered, Ask, Cells, Client, Grant, Outcome, Outside as _, Reason};
use domicile_receipt::Receipt;
use domicile_seal::size;
use domicile_wire::{Code, RankAnswer};

use crate::tricks::{Keys, Sealed};
use crate::world::{LIMIT, Shared, World, ask, page};

fn rank(world: &Shared, client: &Client<Shared>, grant: &Grant) -> Outcome<RankAnswer> {
    world.run(client.rank(ask(client, grant, &page()), vec![]))
}

fn answered(outcome: Outcome<RankAnswer>) -> Answered<RankAnswer> {
    match outcome {
        Outcome::Answered(answered) => *answered,
        other => panic!("{other:?}"),
    }
}

fn reason(outcome: &Outcome<RankAnswer>) -> Reason {
    match outcome {
        Outcome::Fallback(fallback) => fallback.reason,
        other => panic!("{other:?}"),
    }
}

#[test]
fn an_answer_comes_with_what_shows_it_later() {
    let world = World::whole();
    let (client, grant) = (world.client(), world.grant("b"));
    let answer = answered(rank(&world, &client, &grant));
    let posted = world.posted();
    assert_eq!((posted.len(), answer.attempts, answer.cell.as_str()), (1, 1, "b"));
    assert_eq!((posted[0].body.len(), posted[0].headers), (size::REQUEST, 0), "an untyped body of one size");
    let kept = &answer.kept;
    assert_eq!(kept.request, posted[0].body);
    let receipt = Receipt::open(&kept.receipt, &[world.0.cells[1].signer.verifying_key()]).unwrap();
    assert_eq!(receipt.covers(&kept.answer, Some(&kept.request), Some("b")), Ok(()));
    assert!(!format!("{answer:?} {grant:?}").contains("aa.bb"));
}

#[test]
fn a_cell_ahead_of_the_manifest_is_asked_and_believed() {
    let world = World::whole();
    world.script(|script| {
        script.keys[0] = Keys::Next;
        script.sealed = vec![Sealed::Ahead, Sealed::ForgedReceipt];
    });
    let (client, grant) = (world.client(), world.grant("a"));
    let answer = answered(rank(&world, &client, &grant));
    assert_eq!((answer.cell.as_str(), answer.attempts), ("a", 1));
    let next = world.0.cells[0].next.verifying_key();
    assert!(Receipt::open(&answer.kept.receipt, &[next]).is_ok());
    // Two keys are named, and a third is nobody's.
    let other = answered(rank(&world, &client, &grant));
    assert_eq!((other.cell.as_str(), other.attempts), ("b", 2));
}

#[test]
fn a_direct_cell_is_asked_at_its_own_origin() {
    let world = World::with(&["a", "b"], &["a"]);
    let answer = answered(rank(&world, &world.client(), &world.grant("a")));
    let posted = world.posted();
    assert_eq!((answer.cell.as_str(), posted.len(), posted[0].headers), ("a", 1, 1), "the type alone");
    let world = World::with(&["a", "b"], &["a"]);
    world.script(|script| script.sealed = vec![Sealed::Fallback("")]);
    assert_eq!(answered(rank(&world, &world.client(), &world.grant("a"))).cell, "b");
}

#[test]
fn a_cell_that_fails_is_followed_by_the_next_of_its_class_once() {
    for trick in [
        Sealed::Fallback("cell-failed"),
        Sealed::Fallback("cell-busy"),
        Sealed::Lost,
        Sealed::Hangs,
        Sealed::WrongType,
        Sealed::WrongSize,
        Sealed::NoOutcome,
        Sealed::TwoOutcomes,
        Sealed::Noise,
        Sealed::Plain,
        Sealed::Flipped(0),
        Sealed::Flipped(5_000),
        Sealed::NoReceipt,
        Sealed::ForgedReceipt,
        Sealed::OtherReceipt,
        Sealed::Problem(Code::Late),
        Sealed::Problem(Code::CellNotInClass),
    ] {
        let world = World::whole();
        world.script(|script| script.sealed = vec![trick.clone()]);
        let answer = answered(rank(&world, &world.client(), &world.grant("b")));
        assert_eq!((answer.cell.as_str(), answer.attempts), ("a", 2), "{trick:?}");
        assert_eq!(world.asked(), ["b", "a"], "{trick:?}");
        let world = World::whole();
        world.script(|script| script.sealed = vec![trick.clone(); 3]);
        let outcome = rank(&world, &world.client(), &world.grant("b"));
        assert!(!matches!(outcome, Outcome::Answered(_)), "{trick:?}");
        assert_eq!(world.asked(), ["b", "a"], "{trick:?}: two attempts and no third");
    }
}

#[test]
fn what_another_cell_would_say_as_well_ends_the_call() {
    for trick in [
        Sealed::Problem(Code::TokenExpired),
        Sealed::Problem(Code::UnknownItem),
        Sealed::Fallback("too-large"),
        Sealed::Refused(403),
    ] {
        let world = World::whole();
        world.script(|script| script.sealed = vec![trick.clone()]);
        match rank(&world, &world.client(), &world.grant("a")) {
            Outcome::Refused(refusal) => {
                assert!(matches!(trick, Sealed::Problem(code) if code == refusal.problem.code))
            }
            Outcome::Fallback(fallback) => {
                assert_eq!(fallback.edge.is_some(), fallback.reason == Reason::EdgeRefused);
            }
            Outcome::Answered(_) => panic!("{trick:?}"),
        }
        assert_eq!(world.asked(), ["a"], "{trick:?}");
    }
}

#[test]
fn a_cell_whose_keys_cannot_be_had_is_followed_by_the_next() {
    for trick in [Keys::Missing, Keys::Lost, Keys::Hangs] {
        let world = World::whole();
        world.script(|script| script.keys[0] = trick);
        let answer = answered(rank(&world, &world.client(), &world.grant("a")));
        assert_eq!((answer.cell.as_str(), answer.attempts), ("b", 1), "{trick:?}");
        assert_eq!(world.asked(), ["b"]);
    }
}

#[test]
fn a_key_that_is_over_is_fetched_past_the_caches_once() {
    let world = World::whole();
    world.script(|script| script.keys[0] = Keys::Cached);
    let (client, grant) = (world.client(), world.grant("a"));
    let answer = answered(rank(&world, &client, &grant));
    assert_eq!(
        (answer.cell.as_str(), answer.attempts, world.asked()),
        ("a", 2, vec!["a".into(), "a".into()])
    );
    let fetched = |past: bool| ("http://edge/v1/keys/a".to_owned(), past);
    world.script(|script| assert_eq!(script.fetched[1..], [fetched(false), fetched(true)]));
    assert_eq!(answered(rank(&world, &client, &grant)).attempts, 1, "and kept");
}

#[test]
fn a_key_that_is_refused_and_still_the_cell_s_own_leaves_the_attempt_to_another_cell() {
    let world = World::whole();
    world.script(|script| script.sealed = vec![Sealed::Fallback("key-refused")]);
    let answer = answered(rank(&world, &world.client(), &world.grant("a")));
    assert_eq!((answer.cell.as_str(), world.asked()), ("b", vec!["a".into(), "b".into()]));
    let world = World::with(&["a"], &[]);
    world.script(|script| script.sealed = vec![Sealed::Fallback("key-refused"); 2]);
    let outcome = rank(&world, &world.client(), &world.grant("a"));
    assert_eq!((reason(&outcome), world.asked()), (Reason::KeyRefused, vec!["a".to_owned()]));
}

#[test]
fn a_clock_that_is_off_costs_one_attempt_and_is_known_from_then_on() {
    let mut world = World::whole();
    std::sync::Arc::get_mut(&mut world.0).unwrap().cells[0].ahead_s = 300;
    let (client, grant) = (world.client(), world.grant("a"));
    assert_eq!(answered(rank(&world, &client, &grant)).attempts, 2);
    assert_eq!(world.asked(), ["a", "a"]);
    assert_eq!(answered(rank(&world, &client, &grant)).attempts, 1);
    // A cell that never agrees is refused, not asked for ever.
    let skewed = Sealed::Problem(Code::DateSkew);
    world.script(|script| script.sealed = vec![skewed.clone(), skewed]);
    world.posted();
    assert!(matches!(rank(&world, &client, &grant), Outcome::Refused(refusal) if refusal.attempts == 2));
    assert_eq!(world.asked(), ["a", "a"]);
}

#[test]
fn a_dead_cell_is_left_alone_for_a_time_that_grows() {
    let world = World::with(&["a", "b"], &[]);
    let (client, grant) = (world.client(), world.grant("a"));
    let dead = |count| world.script(|script| script.sealed = vec![Sealed::Fallback("cell-failed"); count]);
    dead(1);
    assert_eq!(answered(rank(&world, &client, &grant)).cell, "b");
    world.posted();
    assert_eq!(answered(rank(&world, &client, &grant)).cell, "b");
    assert_eq!(world.asked(), ["b"], "nobody asks the dead one");
    world.pass(Duration::from_millis(500));
    dead(1);
    assert_eq!(answered(rank(&world, &client, &grant)).cell, "b");
    assert_eq!(world.asked(), ["a", "b"], "it is tried again");
    world.pass(Duration::from_millis(900));
    assert_eq!(answered(rank(&world, &client, &grant)).cell, "b");
    assert_eq!(world.asked(), ["b"], "twice the time");
    world.pass(Duration::from_millis(100));
    assert_eq!(answered(rank(&world, &client, &grant)).cell, "a");
    world.posted();

    dead(2);
    assert_eq!(reason(&rank(&world, &client, &grant)), Reason::CellFailed);
    assert_eq!(world.asked(), ["a", "b"]);
    assert_eq!(reason(&rank(&world, &client, &grant)), Reason::BackingOff);
    assert!(world.asked().is_empty(), "while both are left alone, nothing is sent");
    client.turn_page();
    assert_eq!(answered(rank(&world, &client, &grant)).cell, "a", "another page knows nothing of it");
}

#[test]
fn a_hint_is_followed_by_its_fraction_for_its_time_and_within_the_class() {
    let world = World::whole();
    let (client, grant) = (world.client(), world.grant("a"));
    world.script(|script| script.sealed = vec![Sealed::Steers("c")]);
    let cell = || answered(rank(&world, &client, &grant)).cell;
    assert_eq!(cell(), "a");
    world.draw(499);
    assert_eq!(cell(), "c");
    world.draw(500);
    assert_eq!(cell(), "a");
    world.draw(0);
    world.pass(Duration::from_secs(30));
    assert_eq!(cell(), "a");
    world.script(|script| script.sealed = vec![Sealed::Steers("us")]);
    assert_eq!([cell(), cell()], ["a", "a"]);
    assert!(!world.asked().contains(&"us".to_owned()));
}

#[test]
fn a_call_ends_at_the_page_s_limit_and_keeps_half_of_it_for_another_cell() {
    let world = World::whole();
    world.script(|script| script.sealed = vec![Sealed::Hangs, Sealed::Hangs]);
    let (client, grant) = (world.client(), world.grant("a"));
    let page = page();
    let ask = ask(&client, &grant, &page);
    assert_eq!(reason(&world.run(client.rank(ask, vec![]))), Reason::PageLimit);
    let posted = world.posted();
    // 900 ms, less two fetches of 20 ms, halved; the second attempt has what is left after a third.
    let at: Vec<u64> = posted.iter().map(|posted| posted.at.as_micros() / 1_000).collect();
    assert_eq!(at, [40, 480]);
    assert!(ask.deadline.remaining(world.now()).is_zero());
    assert_eq!(world.now().as_micros(), u64::try_from(LIMIT.as_micros()).unwrap());
}

#[test]
fn a_cell_asked_by_name_is_one_of_the_class_and_the_only_one() {
    let world = World::whole();
    let (client, grant, page) = (world.client(), world.grant("a"), page());
    let only = |cell| Ask { cells: Cells::Only(cell), ..ask(&client, &grant, &page) };
    assert_eq!(answered(world.run(client.rank(only("c"), vec![]))).cell, "c");
    world.posted();
    world.script(|script| script.sealed = vec![Sealed::Fallback("cell-failed"); 2]);
    assert_eq!(reason(&world.run(client.rank(only("c"), vec![]))), Reason::CellFailed);
    assert_eq!(world.asked(), ["c"]);
    assert_eq!(reason(&world.run(client.rank(only("us"), vec![]))), Reason::CellNotInClass);
    assert!(world.asked().is_empty());
}
