use domicile_tables::{FallbackReason, ListKey, ListPage, Lists, Page, Problem, RouteKey, RoutePage};

use super::{Answer, answer};

fn ask(page: Page, now: i64) -> Answer {
    let lists = Lists {
        not_after: 1_000,
        rows: vec![ListKey { locale: 1, slot: 2, row: 7 }],
        routes: vec![RouteKey { class: 3, row: 8 }],
    };
    let list = ListPage {
        etag: "abc".to_owned(),
        head: r#"{"stale":"#.to_owned(),
        tail: r#","items":[]}"#.to_owned(),
    };
    let route = RoutePage { etag: "def".to_owned(), body: r#"{"payload":""}"#.to_owned() };
    answer(page, &lists, now, |row| match row {
        7 => list.encode(),
        8 => route.encode(),
        _ => Vec::new(),
    })
}

fn header<'a>(answer: &'a Answer, name: &str) -> Option<&'a str> {
    let mut values = answer.headers.iter().filter(|(key, _)| *key == name).map(|(_, value)| value.as_str());
    let value = values.next();
    assert_eq!(values.next(), None, "{name} is there once");
    value
}

#[test]
fn a_shelf_can_be_cached_and_has_a_strong_tag() {
    let answer = ask(Page::Shelf { locale: 1, slot: 2 }, 999);
    assert_eq!(answer.status, 200);
    assert_eq!(answer.body.concat(), r#"{"stale":false,"items":[]}"#);
    assert_eq!(answer.length(), 26);
    assert_eq!(header(&answer, "etag"), Some("\"abc\""));
    assert_eq!(header(&answer, "cache-control"), Some("public, max-age=60, stale-while-revalidate=600"));
    assert_eq!(header(&answer, "domicile-outcome"), Some("list"));
}

#[test]
fn a_list_past_its_time_says_so_under_another_tag() {
    let answer = ask(Page::Shelf { locale: 1, slot: 2 }, 1_000);
    assert_eq!(answer.body.concat(), r#"{"stale":true,"items":[]}"#);
    assert_eq!(header(&answer, "etag"), Some("\"abc-stale\""));
}

#[test]
fn a_fallback_is_never_stored_and_names_its_reason() {
    for (reason, outcome) in [
        (FallbackReason::KeyRefused, "fallback; reason=key-refused"),
        (FallbackReason::TooLarge, "fallback; reason=too-large"),
        (FallbackReason::CellBusy, "fallback; reason=cell-busy"),
        (FallbackReason::CellFailed, "fallback; reason=cell-failed"),
    ] {
        let answer = ask(Page::Fallback { locale: 1, slot: 2, reason }, 0);
        assert_eq!(answer.status, 200);
        assert_eq!(header(&answer, "cache-control"), Some("no-store"));
        assert_eq!(header(&answer, "domicile-outcome"), Some(outcome));
        assert_eq!(header(&answer, "etag"), None);
    }
}

#[test]
fn a_list_that_is_not_there_is_a_problem() {
    assert_eq!(ask(Page::Shelf { locale: 2, slot: 2 }, 0).status, 404);
    let reason = FallbackReason::CellBusy;
    assert_eq!(ask(Page::Fallback { locale: 2, slot: 2, reason }, 0).status, 503);
}

#[test]
fn a_route_manifest_is_sent_as_it_was_signed() {
    let answer = ask(Page::Route { class: 3 }, 2_000);
    assert_eq!((answer.status, answer.body.concat().as_str()), (200, r#"{"payload":""}"#));
    assert_eq!(header(&answer, "content-type"), Some("application/json"));
    assert_eq!(header(&answer, "cache-control"), Some("public, max-age=300"));
    assert_eq!(header(&answer, "etag"), Some("\"def\""));
    assert_eq!(header(&answer, "domicile-outcome"), Some("route"));
    let none = ask(Page::Route { class: 4 }, 0);
    assert_eq!((none.status, header(&none, "cache-control")), (404, Some("no-store")));
    assert!(none.body.concat().contains("\"no-manifest\""));
}

#[test]
fn every_problem_is_a_document() {
    for problem in Problem::ALL {
        let answer = ask(Page::Problem(problem), 0);
        assert_eq!(answer.status, problem.status());
        assert_eq!(header(&answer, "content-type"), Some("application/problem+json"));
        assert_eq!(header(&answer, "cache-control"), Some("no-store"));
        assert_eq!(header(&answer, "allow"), problem.allow());
        assert_eq!(header(&answer, "retry-after"), problem.retry_after().map(|s| s.to_string()).as_deref());
        let body = answer.body.concat();
        assert!(body.contains(&format!(r#""code":"{}""#, problem.name())), "{body}");
        // The texts are put into JSON as they are, so they may hold nothing that would need an escape.
        assert!(!problem.title().contains(['"', '\\']) && problem.title().is_ascii());
    }
}

#[test]
fn every_answer_has_the_same_cors_and_never_credentials() {
    for page in [Page::Shelf { locale: 1, slot: 2 }, Page::Problem(Problem::UnknownRoute), Page::Preflight] {
        let answer = ask(page, 0);
        assert_eq!(header(&answer, "access-control-allow-origin"), Some("*"));
        assert_eq!(header(&answer, "access-control-allow-credentials"), None);
        assert!(header(&answer, "access-control-expose-headers").is_some());
    }
    let preflight = ask(Page::Preflight, 0);
    assert_eq!((preflight.status, preflight.length()), (204, 0));
    assert!(header(&preflight, "access-control-max-age").is_some());
}
