//! Route manifests: which are built in, how, and which are refused.

use domicile_envelope::{Envelope, SigningKey};
use domicile_forge::{Rows, SignedRoute, SignedRouteError};
use domicile_route::{RouteError, RouteManifest, Trust};
use domicile_tables::{Lists, RoutePage, RoutingTable};
use domicile_topology::Topology;

use crate::rows::overlay;

const NOW: i64 = 1_800_000_000;
const DAY: i64 = 86_400;

fn demo() -> Topology {
    Topology::parse(include_str!("../../../../deploy/demo/topology.toml")).unwrap()
}

/// The manifests of a topology, each opened as an edge build of `now_s` does.
fn opened(
    signed: &Topology,
    topology: &Topology,
    signer: &SigningKey,
    roots: &[&SigningKey],
    now_s: i64,
) -> Result<Vec<SignedRoute>, SignedRouteError> {
    let roots: Vec<_> = roots.iter().map(|key| key.verifying_key()).collect();
    let manifests = signed.routes(NOW, NOW + DAY).unwrap();
    let classes = topology.classes.iter().zip(&manifests);
    classes
        .map(|(class, manifest)| SignedRoute::open(&manifest.sign(signer), class, topology, &roots, now_s))
        .collect()
}

#[test]
fn every_class_s_manifest_is_handed_out_as_it_was_signed() {
    let (topology, root) = (demo(), SigningKey::generate());
    let routes = opened(&topology, &topology, &root, &[&root], NOW).unwrap();
    let rows = Rows::new(&topology, &overlay(&topology), &[], &routes);
    let table = Lists::decode(&rows.popularity[0]).unwrap();
    let names = RoutingTable::decode(&rows.router[0]).unwrap().classes;
    let roots = [root.verifying_key()];
    let mut tags = std::collections::BTreeSet::new();
    for class in &topology.classes {
        assert!(names.iter().any(|row| (row.id, &row.name) == (class.id.0, &class.name)));
        let row = usize::try_from(table.route(class.id.0).unwrap()).unwrap();
        let page = RoutePage::decode(&rows.popularity[row]).unwrap();
        let trust = Trust { roots: &roots, seen: topology.serial, now_s: NOW };
        let manifest = RouteManifest::open(&page.body, &class.name, trust).unwrap();
        assert_eq!(topology.agrees(&manifest), Ok(()));
        assert!(page.body.is_ascii() && !page.body.contains(['<', '\n']), "{}", page.body);
        tags.insert(page.etag);
    }
    assert_eq!(tags.len(), topology.classes.len(), "a tag of its own for every manifest");
    // The lists are found beside them.
    assert_eq!(table.rows.len(), topology.locales.len() * topology.slots.len());
    assert_eq!(rows.popularity.len(), 1 + table.rows.len() + topology.classes.len());
}

#[test]
fn an_edge_without_manifests_has_none_to_hand_out() {
    let topology = demo();
    let rows = Rows::new(&topology, &overlay(&topology), &[], &[]);
    assert_eq!(Lists::decode(&rows.popularity[0]).unwrap().route(1), None);
}

#[test]
fn what_a_client_would_refuse_is_refused() {
    let (topology, root, other) = (demo(), SigningKey::generate(), SigningKey::generate());
    let untrusted = opened(&topology, &topology, &other, &[&root], NOW).unwrap_err();
    assert!(matches!(untrusted, SignedRouteError::Refused(RouteError::Untrusted(_))), "{untrusted}");
    assert!(untrusted.to_string().contains("`domicile topology sign --routes`"), "{untrusted}");
    let stale = opened(&topology, &topology, &root, &[&root], NOW + DAY).unwrap_err();
    assert!(matches!(stale, SignedRouteError::Refused(RouteError::Stale(_))), "{stale}");
    // The successor of the root key signs as well.
    assert!(opened(&topology, &topology, &other, &[&root, &other], NOW).is_ok());
    let class = &topology.classes[1];
    let of_another = topology.routes(NOW, NOW + DAY).unwrap()[0].sign(&root);
    let refused = SignedRoute::open(&of_another, class, &topology, &[root.verifying_key()], NOW);
    assert!(matches!(refused, Err(SignedRouteError::Refused(RouteError::OtherClass { .. }))));
    let overlay = Envelope::sign("application/vnd.domicile.overlay+json", b"{}", &root).to_json();
    let refused = SignedRoute::open(&overlay, class, &topology, &[root.verifying_key()], NOW);
    assert!(matches!(refused, Err(SignedRouteError::Refused(RouteError::Untrusted(_)))));
}

#[test]
fn manifests_of_another_topology_are_refused_by_what_differs() {
    let (topology, root) = (demo(), SigningKey::generate());
    let refusal = |change: fn(&mut Topology)| {
        let mut signed = demo();
        change(&mut signed);
        opened(&signed, &topology, &root, &[&root], NOW).unwrap_err().to_string()
    };
    let older = refusal(|t| t.serial -= 1);
    assert!(older.contains("class \"eu_only\": the route manifest's versions differ"), "{older}");
    assert!(older.contains("`domicile topology sign --routes`"), "{older}");
    assert!(refusal(|t| t.classes[1].cells[0].weight += 1).contains("class \"us_only\""));
    assert!(refusal(|t| t.slots[0].relay_wait_ms += 1).contains("manifest's slots differ"));
}
