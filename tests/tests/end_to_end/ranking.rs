//! Answers that are as they should be.

use std::collections::BTreeSet;

use domicile_client::{Answered, Outcome};
use domicile_receipt::Receipt;
use domicile_seal::size;
use domicile_tests::http;
use domicile_tests::world::World;
use domicile_wire::{RankAnswer, Source};

/// A shopper's ranking, through edge and client.
pub(crate) fn ranked(world: &World, shopper: &str, locale: &str, slot: &str) -> Answered<RankAnswer> {
    match world.rank(shopper, locale, slot).unwrap() {
        Outcome::Answered(answered) => *answered,
        other => panic!("{other:?}"),
    }
}

pub(crate) fn a_shelf_is_the_list(world: &World) {
    for locale in &world.topology.locales {
        for slot in &world.topology.slots {
            let path = format!("/v1/shelf/{}/{}", locale.name, slot.name);
            let answer = http::send(world.edge(), "GET", &path, &[], &[]).unwrap();
            assert_eq!((answer.status, answer.header("domicile-outcome")), (200, "list"), "{path}");
            assert_eq!(answer.header("cache-control"), "public, max-age=60, stale-while-revalidate=600");
            assert_eq!(answer.header("access-control-allow-origin"), "*");
            let list = answer.json();
            let items = list["items"].as_array().unwrap();
            assert_eq!(items.len(), usize::from(slot.items), "{path}");
            assert_eq!(list["stale"], false);
            for item in items {
                for field in ["id", "title", "image", "url", "category"] {
                    assert!(item[field].as_str().is_some_and(|text| !text.is_empty()), "{path}: {field}");
                }
                assert!(item.get("price").is_none(), "a price would make the list personal to a price list");
            }
            let etag = answer.header("etag").to_owned();
            let again = http::send(world.edge(), "GET", &path, &[("if-none-match", &etag)], &[]).unwrap();
            assert_eq!((again.status, again.body.len()), (304, 0), "{path}");
        }
    }
}

pub(crate) fn a_shopper_gets_a_personal_shelf(world: &World) {
    let shopper = world.shopper("de-DE", "eu-a").unwrap();
    for (slot, count) in [("home", 24), ("basket", 12), ("product", 12)] {
        let answer = ranked(world, shopper, "de-DE", slot).answer;
        assert_eq!((answer.rung.as_str(), answer.reason.as_str()), ("full", "within-budget"));
        assert_eq!(answer.cell, "eu-a");
        assert!(answer.snapshot.starts_with("sha256:") && answer.overlay.starts_with("sha256:"));
        assert_ne!(answer.features.state.as_str(), "none");
        let ids: BTreeSet<&str> = answer.items.iter().map(|i| i.id.as_str()).collect();
        assert_eq!((answer.items.len(), ids.len()), (count, count), "{slot}: full, and no item twice");
        assert!(
            answer.items.iter().any(|i| i.source == Source::Own),
            "{slot}: a repeat shop shows what was bought"
        );
        let scores: Vec<f32> = answer.items.iter().filter_map(|i| i.score).collect();
        assert!(scores.windows(2).all(|pair| pair[0] >= pair[1]), "{slot}: best first");
    }
}

pub(crate) fn every_shopper_is_ranked_in_the_home_cell(world: &World) {
    let mut shelves = BTreeSet::new();
    let mut count = 0;
    for (shopper, locale) in &world.shoppers {
        let locale = world.topology.locale_named(locale).unwrap();
        let class = world.topology.class(locale.class).unwrap();
        let Some(home) = world.topology.home_cell(class.id, shopper) else { continue };
        let cell = world.topology.cell(home).unwrap();
        let answered = ranked(world, shopper, &locale.name, "home");
        assert_eq!((answered.cell.as_str(), answered.attempts), (cell.name.as_str(), 1));
        let answer = answered.answer;
        assert_eq!(answer.cell, cell.name);
        assert!(["full", "compact"].contains(&answer.rung.as_str()), "{}", answer.reason.as_str());
        shelves.insert(answer.items.iter().map(|i| i.id.clone()).collect::<Vec<_>>());
        count += 1;
    }
    assert!(count > 80, "{count}");
    assert_eq!(shelves.len(), count, "shoppers with different histories see different shelves");
}

pub(crate) fn a_shopper_without_history_is_never_ranked_by_the_full_model(world: &World) {
    let answer = ranked(world, "nobody-knows-this-one", "en-US", "home").answer;
    assert_ne!(answer.rung.as_str(), "full");
    assert_eq!((answer.features.state.as_str(), answer.reason.as_str()), ("none", "no-features"));
    assert_eq!(answer.items.len(), 24);
}

pub(crate) fn an_answer_has_one_size_and_a_receipt(world: &World) {
    let shopper = world.shopper("de-DE", "eu-a").unwrap();
    let answered = ranked(world, shopper, "de-DE", "basket");
    let (cell, kept) = (world.topology.cell_named("eu-a").unwrap(), &answered.kept);
    let receipt = Receipt::open(&kept.receipt, cell.signing_key.as_slice()).unwrap();
    assert_eq!(receipt.covers(&kept.answer, Some(&kept.request), Some("eu-a")), Ok(()));
    assert_eq!((receipt.rung.as_str(), receipt.snapshot), ("full", Some(answered.answer.snapshot)));

    // As the edge sees it: a request and an answer of one size each, whatever is inside.
    let request = world.request(shopper, "de-DE", "basket").unwrap();
    let (sealed, _opener) = world.seal("eu-a", &request.encode()).unwrap();
    let path = format!("/v1/sealed/{}/eu-a/de-DE/basket", request.pin);
    let answer = http::send(world.edge(), "POST", &path, &[], &sealed).unwrap();
    assert_eq!((answer.status, answer.header("domicile-outcome")), (200, "relayed"));
    assert_eq!(answer.header("cache-control"), "no-store");
    assert_eq!(sealed.len(), size::REQUEST);
    assert_eq!(answer.body.len(), usize::try_from(world.topology.answer_bytes()).unwrap());
}
