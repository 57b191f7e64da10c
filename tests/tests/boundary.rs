//! The boundary, proved over real processes: what an edge sees, keeps and passes on, and what it can do to a client.
//!
//! `docs/boundary.md` says which claim is proved by which of these. One cluster for all sections; the ones that look at
//! everything that passed come late, the ones that stop cells last. Each section shows that it can fail.

#![expect(
    clippy::panic,
    clippy::unwrap_used,
    clippy::indexing_slicing,
    reason = "a failed expectation ends the test"
)]

mod boundary {
    pub(crate) mod canaries;
    pub(crate) mod counting;
    pub(crate) mod message;
    pub(crate) mod non_interference;
    pub(crate) mod opaque;
    pub(crate) mod outage;
    pub(crate) mod recorder;
    pub(crate) mod sizes;
    pub(crate) mod stage;
    pub(crate) mod substitution;
    pub(crate) mod wire;
}

use boundary::stage::Stage;
use boundary::{canaries, counting, non_interference, opaque, outage, sizes, substitution, wire};

#[test]
fn the_boundary_holds() {
    let mut stage = Stage::set();
    non_interference::two_shoppers_are_the_same_to_the_edge(&stage);
    sizes::shelves_have_one_size_and_as_many_paths_as_there_are_places(&stage);
    sizes::a_problem_has_the_size_of_a_shelf(&stage);
    substitution::a_lying_edge_gets_nothing(&stage);
    canaries::no_canary_leaves_the_envelope(&stage);
    opaque::errors_are_opaque(&stage);
    outage::a_class_without_a_cell_reaches_none(&stage);
    wire::a_cell_sees_exactly_the_allowed_headers(&stage);
    outage::a_stopped_cell_sends_nobody_abroad(&mut stage);
}

#[test]
fn pins_and_paths_are_counted() {
    counting::pins_and_paths_are_of_places_and_not_of_people();
}
