use super::*;
use crate::features::{Group, ItemHistory, Kind};
use crate::testing::{item, snapshot};

const DAY_S: i64 = 86_400;
const NOW_S: i64 = 1_000 * DAY_S;

fn history(id: &str, days_ago: &[i64]) -> ItemHistory {
    let at = |days: i64| NOW_S - days * DAY_S;
    let mut history = ItemHistory::begin(id, Kind::Purchase, at(days_ago[0]));
    days_ago[1..].iter().for_each(|&days| history.add(Kind::View, at(days)));
    history
}

fn row() -> Row {
    // Half-life 10 days, two recent events an item: a = 2^-1 + 2^-2 (the third is too old to count), d = 2^-1.
    let items = vec![history("d", &[10]), history("a", &[10, 20, 40]), history("gone", &[1, 2])];
    Row { updated_s: NOW_S, profile: Group { items }, ..Row::default() }
}

#[test]
fn a_profile_holds_what_the_catalogue_knows_heaviest_first() {
    let profile = profile(&snapshot(), &row(), NOW_S);
    assert_eq!(profile.own.iter().map(|own| own.item.number()).collect::<Vec<_>>(), [1, 4]);
    let heaviest = &profile.own[0];
    assert_eq!((heaviest.count, heaviest.age_days, heaviest.gap_days), (3, 10.0, 15.0));
    assert!((heaviest.decayed - 0.75).abs() < 1e-12);
    assert_eq!(profile.own[1].gap_days, NEVER);
    assert_eq!(profile.summary, [4.0, 2.0, 10.0, 40.0, 2.5]);
    assert_eq!(Profile::new(&snapshot(), [].iter(), NOW_S), Profile::unknown());
}

#[test]
fn an_item_of_both_groups_counts_with_what_both_know() {
    let mut row = row();
    row.session = Group { items: vec![history("a", &[1]), history("b", &[2])] };
    let profile = profile(&snapshot(), &row, NOW_S);
    let a = profile.own.iter().find(|own| own.item.number() == 1).unwrap();
    assert_eq!((a.count, a.age_days, a.gap_days), (4, 1.0, 13.0));
    assert_eq!((profile.own.len(), profile.summary[0]), (3, 6.0));
}

#[test]
fn inputs_are_padded_to_the_contract() {
    let snapshot = snapshot();
    let profile = profile(&snapshot, &row(), NOW_S);
    let inputs = RequestInputs::new(&snapshot, &profile, &[item(2), item(3), item(5)], "basket", NOW_S);
    assert_eq!(inputs.history, [1, 4, 0, 0]);
    assert_eq!(inputs.history_weight, [0.75, 0.5, 0.0, 0.0]);
    assert_eq!(inputs.history_age, [10.0, 10.0, 0.0, 0.0]);
    assert_eq!(inputs.history_type, [3.0, 3.0, 0.0, 0.0]);
    assert_eq!(inputs.anchor, [2, 3], "the model looks at the first few");
    assert!(inputs.says_something());
    let nobody = RequestInputs::new(&snapshot, &Profile::unknown(), &[], "home", NOW_S);
    assert!(!nobody.says_something());
    assert_eq!(nobody.shopper, [0.0, 0.0, -1.0, -1.0, 0.0]);
}

#[test]
fn a_candidate_s_row_has_the_ten_columns_in_order() {
    let snapshot = snapshot();
    let profile = profile(&snapshot, &row(), NOW_S);
    let candidate = |number, from_own, popular_rank| Candidate {
        item: item(number),
        from_own,
        from_ann: true,
        from_popular: popular_rank > 0.0,
        ann_score: 0.25,
        popular_rank,
    };
    let inputs =
        CandidateInputs::new(&snapshot, &profile, &[candidate(1, true, 0.0), candidate(6, false, 0.5)]);
    assert_eq!(inputs.candidates, [1, 6]);
    assert_eq!(inputs.cross[..10], [3.0, 0.75, 10.0, 15.0, 0.4, 1.0, 1.0, 0.0, 0.25, 0.0]);
    assert_eq!(
        inputs.cross[10..],
        [0.0, 0.0, -1.0, -1.0, 0.0, 0.0, 1.0, 1.0, 0.25, 0.5],
        "no price, no ratio"
    );
}

#[test]
fn an_unknown_anchor_is_named_by_its_place() {
    let ids = ["a".to_owned(), "nowhere".to_owned()];
    assert_eq!(anchors(&snapshot(), &ids), Err((Code::UnknownItem, 1)));
}
