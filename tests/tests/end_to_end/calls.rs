//! Events, export and erasure, through the one sealed route.

use domicile_client::{Cells, Outcome};
use domicile_tests::world::World;
use domicile_wire::{ErasureState, Event, EventKind};

use super::ranking::ranked;

const SHOPPER: &str = "somebody-new";

pub(crate) fn what_a_shopper_does_is_ranked_with_given_out_and_erased(world: &World) {
    let page = (SHOPPER, "en-US", "home");
    let first = ranked(world, SHOPPER, "en-US", "home").answer;
    assert_eq!(first.features.state.as_str(), "none");
    let mut items: Vec<String> = first.items.iter().take(2).map(|item| item.id.clone()).collect();
    items.sort();
    let now_s = i64::try_from(domicile_cluster::report::unix_seconds()).unwrap();
    let event = |(at, item): (usize, &String)| Event {
        id: format!("purchase-{at}"),
        kind: EventKind::Purchase,
        item: Some(item.clone()),
        time_s: now_s - 60,
        rung: None,
        shown: None,
        client_ms: None,
    };
    let events: Vec<Event> = items.iter().enumerate().map(event).collect();
    for expected in [(2, 0), (0, 2)] {
        let told = world.call(page, async |ask| world.client.tell(ask, events.clone()).await).unwrap();
        assert!(told.undelivered.is_empty(), "{:?}", told.stopped);
        assert_eq!((told.accepted, told.duplicates), expected);
    }
    let next = ranked(world, SHOPPER, "en-US", "home").answer;
    assert_eq!((next.features.state.as_str(), next.candidates.own), ("session", 2));

    let export = || {
        let exported = world.call(page, async |ask| world.client.export(ask).await).unwrap();
        assert!(exported.stopped.is_none(), "{:?}", exported.stopped);
        exported.pages.into_iter().flat_map(|page| page.items).map(|item| item.item).collect::<Vec<_>>()
    };
    assert_eq!(export(), items);
    let erased = world.call(page, async |ask| world.client.erase(ask).await).unwrap();
    let Outcome::Answered(erased) = erased else { panic!("{erased:?}") };
    assert_eq!((erased.cell.as_str(), erased.answer.state), ("us-a", ErasureState::Complete));
    assert_eq!(erased.receipt.rung, "erasure");
    assert!(export().is_empty());

    // No cell outside of the class can even be named.
    let mut ask_elsewhere = world.call(page, async |ask| {
        let ask = domicile_client::Ask { cells: Cells::Only("eu-a"), ..ask };
        world.client.erase(ask).await
    });
    assert!(matches!(ask_elsewhere.as_mut().unwrap(), Outcome::Fallback(fallback) if fallback.attempts == 0));
}
