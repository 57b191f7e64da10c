use proptest::prelude::*;

use super::{Key, Plan, Policy, PolicyError, Stuck};

const DAY: i64 = 86_400;
const OVERLAP: i64 = 7_200;

fn policy() -> Policy {
    Policy::new(DAY, OVERLAP, 3_600 + 900).unwrap()
}

fn key(id: u8, born_s: i64) -> Key {
    Key { id, born_s }
}

#[test]
fn a_life_from_birth_to_deletion() {
    let first = policy().plan(&[], &[], 0);
    assert_eq!((first.make, first.offer), (Some(0), None));

    let young = policy().plan(&[key(0, 0)], &[], DAY - 1);
    let calm =
        Plan { make: None, stuck: None, offer: Some(0), accept: vec![0], delete: vec![], again_s: DAY };
    assert_eq!(young, calm);

    // It goes on being offered while the next one is made: there is no moment without a key.
    let old = policy().plan(&[key(0, 0)], &[], DAY);
    assert_eq!((old.make, old.offer, old.accept), (Some(1), Some(0), vec![0]));

    let both = policy().plan(&[key(0, 0), key(1, DAY)], &[], DAY + OVERLAP - 1);
    assert_eq!((both.make, both.offer, both.again_s), (None, Some(1), DAY + OVERLAP));
    assert_eq!(both.accept, [0, 1]);

    let over = policy().plan(&[key(0, 0), key(1, DAY)], &[], DAY + OVERLAP);
    assert_eq!((over.accept, over.delete), (vec![1], vec![0]));
}

#[test]
fn a_cell_that_was_down_for_a_week_makes_a_key_and_deletes_the_old() {
    let plan = policy().plan(&[key(9, 0)], &[], 7 * DAY);
    assert_eq!((plan.make, plan.offer, plan.accept, plan.delete), (Some(10), None, vec![], vec![9]));
}

#[test]
fn ids_are_the_ring_s_and_come_back_late() {
    assert_eq!(policy().plan(&[key(255, 0)], &[0, 1], DAY).make, Some(2));
    let all: Vec<Key> = (0..=255).map(|id| key(id, 0)).collect();
    assert_eq!(policy().plan(&all, &[], DAY).make, None, "no id is free: the newest is offered on");
    assert_eq!(policy().plan(&all, &[], DAY).stuck, Some(Stuck::NoId), "and it is said");
    assert_eq!(policy().plan(&all, &[], DAY - 1).stuck, None, "none is due");
    assert_eq!(policy().plan(&all, &[], DAY).offer, Some(255));
}

#[test]
fn a_clock_put_back_is_survived() {
    let hours = policy().plan(&[key(3, 5 * 3_600)], &[], 0);
    assert_eq!((hours.make, hours.offer, hours.delete.len()), (None, Some(3), 0));
    // A key of a clock that was a year wrong is no key for a year, but this clock may be the wrong one: it stays.
    let year = policy().plan(&[key(3, 365 * DAY)], &[], 0);
    assert_eq!((year.make, year.offer, year.accept, year.delete), (Some(4), None, vec![], vec![]));
    // Once the clock is right, the key made under the wrong one is the one that is over.
    let right = policy().plan(&[key(3, 365 * DAY), key(4, 0)], &[], 365 * DAY + 60);
    assert_eq!((right.make, right.offer, right.accept, right.delete), (None, Some(3), vec![3], vec![4]));
    // It is looked at again when it is a life ahead, and counts from then on.
    let life = DAY + OVERLAP;
    let before = policy().plan(&[key(3, life + 60), key(4, 0)], &[], 0);
    assert_eq!((before.offer, before.again_s), (Some(4), 60));
    assert_eq!(policy().plan(&[key(3, life + 60), key(4, 0)], &[], 60).offer, Some(3));
}

#[test]
fn a_policy_that_cannot_work_is_refused() {
    assert_eq!(Policy::new(59, OVERLAP, 0), Err(PolicyError::TooOften(59)));
    let many = Policy::new(60, 4 * 3_600, 0);
    assert_eq!(many, Err(PolicyError::TooMany { every_s: 60, overlap_s: 4 * 3_600, keys: 484 }));
    assert!(Policy::new(60, 126 * 60, 0).is_ok() && Policy::new(60, 127 * 60, 0).is_err());
    let short = Policy::new(DAY, 3_600, 4_500);
    assert_eq!(short, Err(PolicyError::Overlap { overlap_s: 3_600, kept_s: 4_500 }));
}

proptest! {
    /// A month of looks at random moments: whenever a list is given out, its key is accepted for as long as the list
    /// may be kept; nothing is accepted for longer than its life; there is a key to offer from the first look on.
    #[test]
    fn a_key_that_was_offered_is_accepted_for_as_long_as_its_list_is_kept(
        gaps in prop::collection::vec(1i64..40_000, 1..120),
        kept in 0i64..OVERLAP,
        taken in prop::collection::vec(any::<u8>(), 0..4),
    ) {
        let policy = Policy::new(DAY, OVERLAP, kept).unwrap();
        let (mut keys, mut now): (Vec<Key>, i64) = (Vec::new(), 0);
        let mut offered: Vec<(u8, i64)> = Vec::new();
        for gap in gaps {
            let plan = policy.plan(&keys, &taken, now);
            keys.retain(|key| !plan.delete.contains(&key.id));
            if let Some(id) = plan.make {
                prop_assert!(!taken.contains(&id) && keys.iter().all(|key| key.id != id));
                keys.push(key(id, now));
            }
            let plan = policy.plan(&keys, &taken, now);
            prop_assert_eq!(plan.make, None, "one look is enough");
            let offer = plan.offer.unwrap();
            prop_assert!(plan.accept.contains(&offer));
            for &id in &plan.accept {
                let born = keys.iter().find(|key| key.id == id).unwrap().born_s;
                prop_assert!(now < born + DAY + OVERLAP);
            }
            prop_assert!(plan.again_s > now);
            // Whoever was given a key still has it accepted, provided that the cell looked when it was to.
            offered.retain(|&(_, since)| now < since + kept);
            for &(id, since) in &offered {
                prop_assert!(plan.accept.contains(&id), "offered at {since}, gone at {now}");
            }
            offered.push((offer, now));
            now = (now + gap).min(plan.again_s);
        }
    }
}
