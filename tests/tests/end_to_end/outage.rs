//! A cell that is gone: the list within the page's clocks, and nothing sent anywhere else.

use domicile_tests::world::World;

use super::ranking::{ask, ranking};

pub(crate) fn a_stopped_cell_is_a_list_and_a_started_one_ranks_again(world: &mut World) {
    let shopper = world.shopper("de-DE", "eu-b").unwrap().to_owned();
    let before = ranking(&ask(world, "eu_only", "eu-b", "de-DE", "home", &shopper));

    world.cluster.stop_cell("eu-b");
    let answer = ask(world, "eu_only", "eu-b", "de-DE", "home", &shopper);
    assert_eq!((answer.status, answer.header("domicile-outcome")), (200, "fallback; reason=cell-failed"));
    let list = answer.json();
    assert_eq!((list["rung"].as_str(), list["items"].as_array().unwrap().len()), (Some("list"), 24));

    world.cluster.start_cell("eu-b").unwrap();
    let after = ranking(&ask(world, "eu_only", "eu-b", "de-DE", "home", &shopper));
    let ids =
        |answer: &domicile_wire::RankAnswer| answer.items.iter().map(|i| i.id.clone()).collect::<Vec<_>>();
    assert_eq!(
        ids(&before),
        ids(&after),
        "the history is durable, and ranking it again gives the same shelf"
    );
}
