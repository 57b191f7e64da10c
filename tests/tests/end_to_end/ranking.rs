//! Answers that are as they should be.

use std::collections::BTreeSet;

use domicile_tests::http::{self, Answer};
use domicile_tests::world::{World, inner};
use domicile_wire::{RankAnswer, Source};

/// Asks for a shopper's shelf through the edge.
pub(crate) fn ask(world: &World, class: &str, cell: &str, locale: &str, slot: &str, shopper: &str) -> Answer {
    let pin = world.pin(class, 0).unwrap();
    let body = inner(&pin, shopper, locale, slot, &[]);
    http::send(world.edge(), "POST", &format!("/v1/sealed/{pin}/{cell}/{locale}/{slot}"), &[], &body).unwrap()
}

/// The ranking in a relayed answer.
pub(crate) fn ranking(answer: &Answer) -> RankAnswer {
    assert_eq!((answer.status, answer.header("domicile-outcome")), (200, "relayed"), "{answer:?}");
    assert_eq!(answer.header("cache-control"), "no-store");
    match domicile_wire::decode_response(&answer.body).unwrap() {
        Ok(ranking) => ranking,
        Err(problem) => panic!("a problem: {}", problem.code.as_str()),
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
        let answer = ranking(&ask(world, "eu_only", "eu-a", "de-DE", slot, shopper));
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
    let mut ranked = 0;
    for (shopper, locale) in &world.shoppers {
        let locale = world.topology.locale_named(locale).unwrap();
        let class = world.topology.class(locale.class).unwrap();
        let Some(home) = world.topology.home_cell(class.id, shopper) else { continue };
        let cell = world.topology.cell(home).unwrap();
        let answer = ranking(&ask(world, &class.name, &cell.name, &locale.name, "home", shopper));
        assert_eq!(answer.cell, cell.name);
        assert!(["full", "compact"].contains(&answer.rung.as_str()), "{}", answer.reason.as_str());
        shelves.insert(answer.items.iter().map(|i| i.id.clone()).collect::<Vec<_>>());
        ranked += 1;
    }
    assert!(ranked > 80, "{ranked}");
    assert_eq!(shelves.len(), ranked, "shoppers with different histories see different shelves");
}

pub(crate) fn a_shopper_without_history_is_never_ranked_by_the_full_model(world: &World) {
    let answer = ranking(&ask(world, "us_only", "us-a", "en-US", "home", "nobody-knows-this-one"));
    assert_ne!(answer.rung.as_str(), "full");
    assert_eq!((answer.features.state.as_str(), answer.reason.as_str()), ("none", "no-features"));
    assert_eq!(answer.items.len(), 24);
}
