//! What each page is answered with: a pure function of the page, the lists and the time.

use domicile_tables::{FIXED_HEADERS, ListPage, Lists, Page, Problem, RoutePage};

/// An answer, before it becomes a WASI response.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Answer {
    /// The status.
    pub status: u16,
    /// The headers, without the length.
    pub headers: Vec<(&'static str, String)>,
    /// The body.
    pub body: Body,
}

/// A body, in pieces that are sent as they are.
pub type Body = Vec<String>;

/// What a preflight is told besides, for a day (browsers cut it to less).
const PREFLIGHT: [(&str, &str); 3] = [
    ("access-control-allow-methods", "GET, HEAD, POST, OPTIONS"),
    ("access-control-allow-headers", "content-type"),
    ("access-control-max-age", "86400"),
];

const FRESH: &str = "public, max-age=60, stale-while-revalidate=600";
const NO_STORE: &str = "no-store";
/// A manifest changes when cells come or go; a client that has an old one still finds its cells.
const MANIFEST: &str = "public, max-age=300";

/// Answers a page. `row` reads a row's bytes; `now` counts seconds since 1970.
pub fn answer(page: Page, lists: &Lists, now: i64, row: impl Fn(u32) -> Vec<u8>) -> Answer {
    let list = |locale, slot| lists.row(locale, slot).and_then(|at| ListPage::decode(&row(at)).ok());
    let route = |class| lists.route(class).and_then(|at| RoutePage::decode(&row(at)).ok());
    let stale = now >= lists.not_after;
    match page {
        Page::Shelf { locale, slot } => match list(locale, slot) {
            Some(list) => {
                let etag =
                    if stale { format!("\"{}-stale\"", list.etag) } else { format!("\"{}\"", list.etag) };
                shelf(list, stale, FRESH, "list").with("etag", etag)
            }
            None => problem(Problem::UnknownRoute),
        },
        Page::Fallback { locale, slot, reason } => match list(locale, slot) {
            Some(list) => {
                shelf(list, stale, NO_STORE, format!("fallback; reason={}", reason.problem().name()))
            }
            None => problem(reason.problem()),
        },
        Page::Route { class } => match route(class) {
            Some(manifest) => {
                json(vec![manifest.body], MANIFEST, "route").with("etag", format!("\"{}\"", manifest.etag))
            }
            None => problem(Problem::NoManifest),
        },
        Page::Problem(code) => problem(code),
        Page::Preflight => PREFLIGHT
            .iter()
            .fold(Answer::new(204, Body::new()), |answer, (name, value)| answer.with(name, *value))
            .with("cache-control", NO_STORE),
    }
}

fn shelf(list: ListPage, stale: bool, cache: &str, outcome: impl Into<String>) -> Answer {
    json(vec![list.head, stale.to_string(), list.tail], cache, outcome)
}

fn json(body: Body, cache: &str, outcome: impl Into<String>) -> Answer {
    Answer::new(200, body)
        .with("content-type", "application/json")
        .with("cache-control", cache)
        .with("domicile-outcome", outcome)
}

/// A problem document (RFC 9457): `type` is a stable name, `code` the same for those who want to compare a word.
fn problem(problem: Problem) -> Answer {
    let (code, title, status) = (problem.name(), problem.title(), problem.status());
    let body = format!(
        r#"{{"type":"urn:domicile:problem:{code}","title":"{title}","status":{status},"code":"{code}"}}"#
    );
    let mut answer = Answer::new(status, vec![body])
        .with("content-type", "application/problem+json")
        .with("cache-control", NO_STORE);
    if let Some(methods) = problem.allow() {
        answer = answer.with("allow", methods);
    }
    if let Some(seconds) = problem.retry_after() {
        answer = answer.with("retry-after", seconds.to_string());
    }
    answer
}

impl Answer {
    fn new(status: u16, body: Body) -> Self {
        let headers = FIXED_HEADERS.iter().map(|(name, value)| (*name, (*value).to_owned())).collect();
        Self { status, headers, body }
    }

    fn with(mut self, name: &'static str, value: impl Into<String>) -> Self {
        self.headers.push((name, value.into()));
        self
    }

    /// The length of the body in bytes.
    #[must_use]
    pub fn length(&self) -> usize {
        self.body.iter().map(String::len).sum()
    }
}

#[cfg(test)]
#[path = "page/tests.rs"]
mod tests;
