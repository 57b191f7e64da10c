//! The whole path with real processes and real data: shopper → edge → cell and back.
//!
//! One cluster for all sections, since a start loads models and histories; each section leaves it as it was.

#![expect(
    clippy::panic,
    clippy::unwrap_used,
    clippy::indexing_slicing,
    reason = "a failed expectation ends the test"
)]

mod end_to_end {
    pub(crate) mod calls;
    pub(crate) mod outage;
    pub(crate) mod ranking;
    pub(crate) mod receipts;
    pub(crate) mod refusals;
    pub(crate) mod residency;
}

use domicile_tests::world::World;
use end_to_end::{calls, outage, ranking, receipts, refusals, residency};

#[test]
fn the_whole_path() {
    let mut world = World::start().unwrap();
    ranking::a_shelf_is_the_list(&world);
    ranking::a_shopper_gets_a_personal_shelf(&world);
    ranking::every_shopper_is_ranked_in_the_home_cell(&world);
    ranking::a_shopper_without_history_is_never_ranked_by_the_full_model(&world);
    ranking::an_answer_has_one_size_and_a_receipt(&world);
    receipts::a_receipt_is_kept_and_verified_and_an_altered_one_is_named(&world);
    calls::what_a_shopper_does_is_ranked_with_given_out_and_erased(&world);
    refusals::the_edge_refuses_with_documented_codes(&world);
    refusals::the_cell_refuses_inside_and_outside(&world);
    refusals::a_cell_takes_nothing_plain(&world);
    residency::no_pin_opens_a_cell_outside_its_class(&world);
    residency::a_locale_without_a_cell_is_list_only(&world);
    residency::each_history_lies_in_one_cell_only(&world);
    outage::a_stopped_cell_is_stood_in_for_and_then_a_list_and_a_started_one_ranks_again(&mut world);
    let folder = world.cluster.setup().folder.clone();
    drop(world);
    let left = domicile_cluster::cluster::running(&folder);
    assert!(left.is_empty(), "processes were left behind: {left:?}");
}
