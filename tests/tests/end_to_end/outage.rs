//! A cell that is gone: the next of its class, then the list, within the page's clocks; and nothing sent anywhere else.

use domicile_client::{Outcome, Reason};
use domicile_tests::http;
use domicile_tests::world::World;
use domicile_wire::RankAnswer;

use super::ranking::ranked;

/// What a cell of another class has done so far.
fn foreign(world: &World) -> String {
    let admin = format!("127.0.0.1:{}", world.cluster.admin_port("us-a").unwrap());
    let metrics = http::send(&admin, "GET", "/metrics", &[], &[]).unwrap();
    let metrics = String::from_utf8(metrics.body).unwrap();
    let counts =
        ["domicile_cell_calls_total", "domicile_cell_problems_total", "domicile_cell_turned_away_total"];
    metrics
        .lines()
        .filter(|line| counts.iter().any(|count| line.starts_with(count)))
        .collect::<Vec<_>>()
        .join("\n")
}

pub(crate) fn a_stopped_cell_is_stood_in_for_and_then_a_list_and_a_started_one_ranks_again(
    world: &mut World,
) {
    let shopper = world.shopper("de-DE", "eu-b").unwrap().to_owned();
    let before = ranked(world, &shopper, "de-DE", "home");
    assert_eq!((before.cell.as_str(), before.attempts), ("eu-b", 1));
    let elsewhere = foreign(world);

    // The edge alone falls back; the client goes on to the next cell of the class, where the history is not.
    world.cluster.stop_cell("eu-b");
    let pin = world.pin("eu_only", 0).unwrap();
    let path = format!("/v1/sealed/{pin}/eu-b/de-DE/home");
    let answer = http::send(world.edge(), "POST", &path, &[], &before.kept.request).unwrap();
    assert_eq!((answer.status, answer.header("domicile-outcome")), (200, "fallback; reason=cell-failed"));
    let list = answer.json();
    assert_eq!((list["rung"].as_str(), list["items"].as_array().unwrap().len()), (Some("list"), 24));
    let stand_in = ranked(world, &shopper, "de-DE", "home");
    assert_eq!((stand_in.cell.as_str(), stand_in.attempts), ("eu-a", 2));
    assert_eq!(stand_in.answer.features.state.as_str(), "none");

    world.cluster.stop_cell("eu-a");
    match world.rank(&shopper, "de-DE", "home").unwrap() {
        Outcome::Fallback(fallback) => {
            assert_eq!((fallback.reason, fallback.attempts), (Reason::CellFailed, 2))
        }
        other => panic!("{other:?}"),
    }
    assert_eq!(foreign(world), elsewhere, "no cell outside of the class saw a byte");

    world.cluster.start_cell("eu-a").unwrap();
    world.cluster.start_cell("eu-b").unwrap();
    let after = ranked(world, &shopper, "de-DE", "home");
    let ids = |answer: &RankAnswer| answer.items.iter().map(|item| item.id.clone()).collect::<Vec<_>>();
    assert_eq!(after.cell, "eu-b", "its keys lie in its region, and the ones that clients hold still open");
    assert_eq!(
        ids(&before.answer),
        ids(&after.answer),
        "the history is durable, and ranking it again gives the same shelf"
    );
}
