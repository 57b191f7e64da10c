//! Before anything is sealed.

use std::time::Duration;

use domicile_client::{Client, Fallback, Grant, Outcome, Page, Reason, Seen};
use domicile_envelope::SigningKey;
use domicile_route::RouteManifest;

use crate::tricks::{Keys, Route, Sealed};
use crate::world::{NOW_S, Shared, World, ask, page};

/// The reason of a call, which must not have sealed anything.
fn reason(world: &Shared, client: &Client<Shared>, grant: &Grant, page: &Page) -> Reason {
    match world.run(client.rank(ask(client, grant, page), vec![])) {
        Outcome::Fallback(Fallback { reason, attempts: 0, .. }) => {
            assert!(world.posted().is_empty(), "nothing is sent");
            reason
        }
        other => panic!("{other:?}"),
    }
}

#[test]
fn each_manifest_that_does_not_hold_is_refused_by_name() {
    for (trick, expected) in [
        (Route::Forged, Reason::ManifestUntrusted),
        (Route::Garbage, Reason::ManifestUntrusted),
        (Route::OtherClass, Reason::OtherClass),
        (Route::Stale, Reason::ManifestStale),
        (Route::Missing, Reason::ManifestLost),
        (Route::Lost, Reason::ManifestLost),
        (Route::Hangs, Reason::PageLimit),
    ] {
        let world = World::whole();
        world.script(|script| script.route = trick);
        assert_eq!(reason(&world, &world.client(), &world.grant("a"), &page()), expected, "{trick:?}");
    }
}

#[test]
fn a_manifest_is_not_rolled_back_within_a_session_or_across_two() {
    let world = World::whole();
    let (client, grant) = (world.client(), world.grant("a"));
    assert!(matches!(world.run(client.rank(ask(&client, &grant, &page()), vec![])), Outcome::Answered(_)));
    assert_eq!(client.seen().version("eu_only"), 7);
    world.posted();
    world.script(|script| script.route = Route::RolledBack);
    let kept: Seen = serde_json::from_str(&serde_json::to_string(&client.seen()).unwrap()).unwrap();
    let next = Client::new("http://edge", vec![world.0.root.verifying_key()], kept, world.clone());
    assert_eq!(reason(&world, &next, &grant, &page()), Reason::ManifestRolledBack);
    // It was held for an hour; then it is fetched again.
    world.pass(Duration::from_secs(3_600));
    let later =
        format!(r#"{{"token":"t","pin":"PIN","class":"eu_only","home":"a","not_after":{}}}"#, NOW_S * 2);
    let later = Grant::from_json(later.as_bytes()).unwrap();
    assert_eq!(reason(&world, &client, &later, &page()), Reason::ManifestRolledBack);
    // Who never saw a newer one cannot know.
    world.script(|script| script.keys = [Keys::Missing; 4]);
    assert_eq!(reason(&world, &world.client(), &later, &page()), Reason::KeysLost);
}

#[test]
fn a_successor_of_the_root_key_is_trusted_once_it_is_carried() {
    let world = World::whole();
    let (old, grant) = (SigningKey::generate().verifying_key(), world.grant("a"));
    let client = |roots| Client::new("http://edge", roots, Seen::default(), world.clone());
    let before = client(vec![old.clone()]);
    assert_eq!(reason(&world, &before, &grant, &page()), Reason::ManifestUntrusted);
    let after = client(vec![old, world.0.root.verifying_key()]);
    assert!(matches!(world.run(after.rank(ask(&after, &grant, &page()), vec![])), Outcome::Answered(_)));
}

#[test]
fn each_statement_of_keys_that_does_not_hold_is_refused_by_name() {
    for (trick, expected) in [
        (Keys::Swapped, Reason::KeysUntrusted),
        (Keys::OtherCells, Reason::KeysUntrusted),
        (Keys::Garbage, Reason::KeysUntrusted),
        (Keys::Stale, Reason::KeysStale),
    ] {
        let world = World::whole();
        world.script(|script| script.keys = [trick; 4]);
        assert_eq!(reason(&world, &world.client(), &world.grant("a"), &page()), expected, "{trick:?}");
    }
}

#[test]
fn a_grant_has_to_be_of_the_class_and_of_now_and_the_page_too() {
    let world = World::whole();
    let client = world.client();
    let grant = |class: &str, home: &str, not_after: i64| {
        let text = format!(
            r#"{{"token":"t","pin":"PIN","class":"{class}","home":"{home}","not_after":{not_after}}}"#
        );
        Grant::from_json(text.as_bytes()).unwrap()
    };
    let of = |grant: &Grant, page: &Page| reason(&world, &client, grant, page);
    assert_eq!(of(&grant("eu_only", "us", NOW_S + 1), &page()), Reason::HomeNotInClass);
    assert_eq!(of(&grant("eu_only", "a", NOW_S), &page()), Reason::GrantExpired);
    let good = grant("eu_only", "a", NOW_S + 1);
    assert_eq!(of(&good, &Page::new("en-US", "home").unwrap()), Reason::PageNotInManifest);
    assert_eq!(of(&good, &Page::new("de-DE", "attic").unwrap()), Reason::PageNotInManifest);
}

#[test]
fn a_class_without_a_cell_is_list_only() {
    let world = World::with(&[], &[]);
    assert!(world.0.manifest.cells.is_empty());
    assert_eq!(reason(&world, &world.client(), &world.grant("a"), &page()), Reason::NoCell);
}

#[test]
fn a_manifest_is_signed_by_a_key_of_its_own_kind() {
    // A cell's signing key signs statements and receipts, never which cells there are.
    let world = World::whole();
    let cells = [&world.0.cells[0].signer, &world.0.cells[3].signer];
    for signer in cells {
        let trust = domicile_route::Trust { roots: &[world.0.root.verifying_key()], seen: 0, now_s: NOW_S };
        assert!(RouteManifest::open(&world.0.manifest.sign(signer), "eu_only", trust).is_err());
    }
}

#[test]
fn a_token_of_another_class_is_sealed_to_nobody() {
    let world = World::whole();
    // `{"class":"us_only"}` and `{"class":"eu_only"}`, base64url.
    for (claims, sealed) in [("eyJjbGFzcyI6InVzX29ubHkifQ", false), ("eyJjbGFzcyI6ImV1X29ubHkifQ", true)] {
        let text = format!(
            r#"{{"token":"aa.{claims}.cc","pin":"PIN","class":"eu_only","home":"a","not_after":{}}}"#,
            NOW_S + 600
        );
        let grant = Grant::from_json(text.as_bytes()).unwrap();
        let client = world.client();
        if sealed {
            let outcome = world.run(client.rank(ask(&client, &grant, &page()), vec![]));
            assert!(matches!(outcome, Outcome::Answered(_)), "{outcome:?}");
        } else {
            assert_eq!(reason(&world, &client, &grant, &page()), Reason::OtherClass);
        }
    }
}

#[test]
fn an_edge_that_refuses_the_class_is_asked_for_its_manifest_again() {
    for (status, fetches) in [(403, 2), (404, 1)] {
        let world = World::whole();
        world.script(|script| script.sealed = vec![Sealed::Refused(status)]);
        let (client, grant) = (world.client(), world.grant("a"));
        for answers in [false, true] {
            let outcome = world.run(client.rank(ask(&client, &grant, &page()), vec![]));
            assert_eq!(matches!(outcome, Outcome::Answered(_)), answers, "{outcome:?}");
        }
        let mut routes = 0;
        world.script(|script| {
            routes = script.fetched.iter().filter(|(url, _)| url.contains("/v1/route/")).count()
        });
        assert_eq!(routes, fetches, "{status}");
    }
}
