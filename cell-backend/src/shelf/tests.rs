use std::collections::HashMap;

use proptest::prelude::*;

use super::*;
use crate::testing::{item, snapshot};

fn rules(denied: &[u32], list: &[&str]) -> Rules {
    let denied = (1..=6).map(|number| denied.contains(&number)).collect();
    let listed = |id: &&str| RankedItem {
        id: (*id).into(),
        title: String::new(),
        category: String::new(),
        image: String::new(),
        url: String::new(),
        source: Source::Popular,
        score: None,
    };
    Rules::of(denied, HashMap::from([("home".to_owned(), list.iter().map(listed).collect())]))
}

fn ids(items: &[RankedItem]) -> Vec<&str> {
    items.iter().map(|item| item.id.as_str()).collect()
}

fn candidate(number: u32) -> Candidate {
    Candidate {
        item: item(number),
        from_own: true,
        from_ann: false,
        from_popular: false,
        ann_score: 0.0,
        popular_rank: 0.0,
    }
}

#[test]
fn a_short_ranking_is_filled_from_the_list_then_the_popular_then_the_catalogue() {
    let (snapshot, rules) = (snapshot(), rules(&[4], &["b"]));
    let place = Place { snapshot: &snapshot, rules: &rules, slot: "home", items: 4, anchor: &[] };
    let shelf = place.ranked(&[candidate(6), candidate(1)], &[0.5, 0.75]);
    assert_eq!(ids(&shelf), ["a", "f", "b", "e"], "d is popular and denied");
    assert_eq!(shelf[0].url, "/p/a");
    assert_eq!(ids(&place.list()), ["b", "e", "a", "c"]);
}

#[test]
fn a_last_good_ranking_is_filtered_again() {
    let (snapshot, rules) = (snapshot(), rules(&[3], &[]));
    let place = Place { snapshot: &snapshot, rules: &rules, slot: "home", items: 2, anchor: &[item(2)] };
    let old = |id: &str| (id.to_owned(), Source::Own, 1.0);
    let ranking = Ranking { snapshot: "old".into(), items: vec![old("gone"), old("c"), old("b"), old("a")] };
    assert_eq!(ids(&place.last_good(&ranking)), ["a", "e"]);
}

proptest! {
    #[test]
    fn a_shelf_has_its_length_and_nothing_twice_or_denied(
        chosen in prop::collection::btree_set(1u32..=6, 0..6),
        scores in prop::collection::vec(-1.0f32..1.0, 6),
        denied in 1u32..=6,
        anchor in 1u32..=6,
        items in 1usize..=4,
    ) {
        let (snapshot, rules) = (snapshot(), rules(&[denied], &["a", "b", "a"]));
        let anchor = [item(anchor)];
        let place = Place { snapshot: &snapshot, rules: &rules, slot: "home", items, anchor: &anchor };
        let candidates: Vec<Candidate> =
            chosen.into_iter().map(candidate).filter(|c| place.allows(c.item)).collect();
        let shelf = place.ranked(&candidates, &scores);
        prop_assert_eq!(shelf.len(), items);
        let distinct: HashSet<&str> = ids(&shelf).into_iter().collect();
        prop_assert_eq!(distinct.len(), items);
        // The list is filtered where it is loaded; what is ranked is filtered before.
        let ranked = shelf.iter().filter(|i| i.score.is_some());
        for entry in ranked {
            prop_assert!(place.allows(snapshot.items.index_of(&entry.id).unwrap()));
        }
    }
}
