//! Events, export and erasure: the same route, the same checks.

use domicile_client::{Ask, Cells, Outcome};
use domicile_seal::size;
use domicile_wire::{ErasureState, Event, EventKind};

use crate::tricks::Sealed;
use crate::world::{World, ask, page};

pub(crate) fn events(count: usize) -> Vec<Event> {
    let event = |at: usize| Event {
        id: format!("{at:0>40}"),
        kind: EventKind::Purchase,
        item: Some("x".repeat(40)),
        time_s: 1_800_000_000,
        rung: None,
        shown: None,
        client_ms: None,
    };
    (0..count).map(event).collect()
}

#[test]
fn a_long_batch_is_split_into_requests_of_one_size() {
    let world = World::whole();
    let (client, grant, page) = (world.client(), world.grant("a"), page());
    let told = world.run(client.tell(ask(&client, &grant, &page), events(100)));
    assert_eq!((told.accepted, told.undelivered.len()), (100, 0));
    assert!(told.stopped.is_none());
    let posted = world.posted();
    assert!(posted.len() > 2 && posted.iter().all(|posted| posted.body.len() == size::REQUEST));
}

#[test]
fn what_nobody_acknowledged_is_handed_back_in_order() {
    let world = World::whole();
    world.script(|script| script.sealed = [vec![Sealed::Answer], vec![Sealed::Lost; 3]].concat());
    let (client, grant, page) = (world.client(), world.grant("a"), page());
    let told = world.run(client.tell(ask(&client, &grant, &page), events(100)));
    let left: Vec<_> = told.undelivered.iter().map(|event| event.id.clone()).collect();
    let accepted = usize::try_from(told.accepted).unwrap();
    assert!(accepted > 0 && matches!(told.stopped, Some(Outcome::Fallback(_))));
    assert_eq!(left, events(100).split_off(accepted).into_iter().map(|event| event.id).collect::<Vec<_>>());
    assert_eq!(world.asked(), ["a", "a", "b"], "one extra attempt for all of it");
    assert_eq!(world.run(client.tell(ask(&client, &grant, &page), vec![])).accepted, 0);
    assert!(world.asked().is_empty());
}

#[test]
fn events_of_a_dead_home_go_to_the_cell_that_stands_in() {
    let world = World::whole();
    world.script(|script| script.sealed = vec![Sealed::Fallback("cell-failed")]);
    let (client, grant, page) = (world.client(), world.grant("a"), page());
    let told = world.run(client.tell(ask(&client, &grant, &page), events(3)));
    assert_eq!((told.accepted, world.asked()), (3, vec!["a".into(), "b".into()]));
}

#[test]
fn an_export_is_every_page_of_one_cell() {
    let world = World::whole();
    let (client, grant, page) = (world.client(), world.grant("b"), page());
    let exported = world.run(client.export(ask(&client, &grant, &page)));
    assert!(exported.stopped.is_none());
    assert_eq!(exported.pages.iter().map(|page| page.event_ids).collect::<Vec<_>>(), [0, 1, 2]);
    assert_eq!(world.asked(), ["b", "b", "b"]);
    world.script(|script| script.sealed = vec![Sealed::Answer, Sealed::Lost]);
    let exported = world.run(client.export(ask(&client, &grant, &page)));
    assert_eq!((exported.pages.len(), world.asked()), (1, vec!["b".into(), "b".into()]), "no cell stands in");
    assert!(matches!(exported.stopped, Some(Outcome::Fallback(_))));
}

#[test]
fn an_erasure_is_one_cell_s_and_each_can_be_asked() {
    let world = World::whole();
    let (client, grant, page) = (world.client(), world.grant("b"), page());
    for (cells, cell) in [(Cells::Any, "b"), (Cells::Only("c"), "c")] {
        let erased = world.run(client.erase(Ask { cells, ..ask(&client, &grant, &page) }));
        let Outcome::Answered(erased) = erased else { panic!("{erased:?}") };
        assert_eq!((erased.cell.as_str(), erased.answer.state), (cell, ErasureState::Complete));
        assert_eq!((erased.receipt.rung.as_str(), world.asked()), ("erasure", vec![cell.to_owned()]));
    }
    world.script(|script| script.sealed = vec![Sealed::Lost]);
    let erased = world.run(client.erase(ask(&client, &grant, &page)));
    assert!(matches!(erased, Outcome::Fallback(_)));
    assert_eq!(world.asked(), ["b"]);
}
