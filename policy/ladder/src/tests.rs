use proptest::prelude::*;

use super::*;

fn ms(millis: u64) -> Duration {
    Duration::from_millis(millis)
}

fn easy() -> Situation {
    Situation {
        remaining: ms(120),
        reserve: ms(5),
        full: Ranker::Ready(ms(20)),
        compact: Ranker::Ready(ms(4)),
        features: FeatureState::Fresh,
        last_good: LastGood::AtHand,
    }
}

#[test]
fn each_rung_is_reached_for_its_reason() {
    let at = |remaining| choose(&Situation { remaining: ms(remaining), ..easy() });
    assert_eq!(at(120), (Rung::Full, Reason::WithinBudget));
    assert_eq!(at(29), (Rung::Full, Reason::WithinBudget), "exactly enough is enough");
    assert_eq!(at(28), (Rung::Compact, Reason::FullTooSlow), "the compact one could not follow");
    let only = Situation { remaining: ms(25), compact: Ranker::Out(Reason::RankerFailed), ..easy() };
    assert_eq!(choose(&only), (Rung::Full, Reason::WithinBudget), "nothing is kept back for what is out");
    assert_eq!(at(8), (Rung::LastGood, Reason::DeadlineTooNear));
    let alone = Situation { remaining: ms(8), last_good: LastGood::Absent, ..easy() };
    assert_eq!(choose(&alone), (Rung::List, Reason::DeadlineTooNear));
}

#[test]
fn a_store_that_failed_is_told_from_a_shopper_nobody_knows() {
    let at = |features| choose(&Situation { features, ..easy() });
    assert_eq!(at(FeatureState::None), (Rung::Compact, Reason::NoFeatures));
    assert_eq!(at(FeatureState::Failed), (Rung::Compact, Reason::FeaturesFailed));
}

#[test]
fn what_was_tried_is_not_tried_again() {
    let once = Situation { full: Ranker::Out(Reason::RankerFailed), ..easy() };
    assert_eq!(choose(&once), (Rung::Compact, Reason::RankerFailed));
    let twice = Situation { compact: Ranker::Out(Reason::RankerBusy), ..once };
    assert_eq!(choose(&twice), (Rung::LastGood, Reason::RankerBusy));
}

#[test]
fn names_are_those_of_serde() {
    for rung in Rung::ALL {
        assert_eq!(serde_name(&rung), rung.as_str());
    }
    for reason in Reason::ALL {
        assert_eq!(serde_name(&reason), reason.as_str());
    }
    for state in FeatureState::ALL {
        assert_eq!(serde_name(&state), state.as_str());
    }
}

fn serde_name(value: &impl Serialize) -> String {
    serde_json::to_value(value).unwrap().as_str().unwrap().to_owned()
}

fn ranker() -> impl Strategy<Value = Ranker> {
    prop_oneof![
        (0u64..200).prop_map(|millis| Ranker::Ready(ms(millis))),
        prop::sample::select(Reason::ALL.to_vec()).prop_map(Ranker::Out),
    ]
}

fn situation() -> impl Strategy<Value = Situation> {
    let states = prop::sample::select(FeatureState::ALL.to_vec());
    let last = prop::sample::select(vec![LastGood::AtHand, LastGood::Absent]);
    (0u64..300, 0u64..20, ranker(), ranker(), states, last).prop_map(
        |(remaining, reserve, full, compact, features, last_good)| Situation {
            remaining: ms(remaining),
            reserve: ms(reserve),
            full,
            compact,
            features,
            last_good,
        },
    )
}

fn affords(ranker: Ranker, allowed: Duration) -> bool {
    matches!(ranker, Ranker::Ready(needs) if needs <= allowed)
}

fn known(state: FeatureState) -> bool {
    !matches!(state, FeatureState::None | FeatureState::Failed)
}

proptest! {
    #[test]
    fn a_rung_that_cannot_be_afforded_is_never_taken(situation in situation()) {
        match choose(&situation).0 {
            Rung::Full => prop_assert!(affords(situation.full, situation.for_full())),
            Rung::Compact => prop_assert!(affords(situation.compact, situation.for_compact())),
            Rung::LastGood => prop_assert_eq!(situation.last_good, LastGood::AtHand),
            Rung::List => prop_assert_eq!(situation.last_good, LastGood::Absent),
        }
    }

    #[test]
    fn the_best_affordable_rung_is_taken(situation in situation()) {
        let rung = choose(&situation).0;
        if affords(situation.compact, situation.for_compact()) {
            prop_assert!(rung >= Rung::Compact);
        }
        if affords(situation.full, situation.for_full()) && known(situation.features) {
            prop_assert_eq!(rung, Rung::Full);
        }
    }

    #[test]
    fn nothing_known_is_never_full(situation in situation()) {
        for features in [FeatureState::None, FeatureState::Failed] {
            let unknown = Situation { features, ..situation };
            prop_assert!(choose(&unknown).0 < Rung::Full);
        }
    }

    #[test]
    fn after_a_full_ranker_that_used_up_its_time_the_compact_one_still_fits(situation in situation()) {
        let (Ranker::Ready(full), Ranker::Ready(needs)) = (situation.full, situation.compact) else {
            return Ok(());
        };
        prop_assume!(needs < full && choose(&situation).0 == Rung::Full);
        let remaining = situation.remaining - situation.for_full();
        let after = Situation { remaining, full: Ranker::Out(Reason::RankerLate), ..situation };
        prop_assert!(needs <= after.for_compact());
        prop_assert_eq!(choose(&after).0, Rung::Compact);
    }

    #[test]
    fn more_time_never_gives_a_worse_rung(situation in situation(), more in 0u64..300) {
        let later = Situation { remaining: situation.remaining + ms(more), ..situation };
        prop_assert!(choose(&later).0 >= choose(&situation).0);
    }

    #[test]
    fn only_the_full_rung_has_nothing_to_explain(situation in situation()) {
        let (rung, reason) = choose(&situation);
        let told = |ranker| matches!(ranker, Ranker::Out(Reason::WithinBudget));
        if !told(situation.full) && !told(situation.compact) {
            prop_assert_eq!(rung == Rung::Full, reason == Reason::WithinBudget);
        }
    }
}
