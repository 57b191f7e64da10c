//! Shelves kept for as long as they say: a small shared cache (RFC 9111) of the artefact's own lists.
//!
//! A popularity list is the same for everybody and says so: `public, max-age=60`. Three components that call each other
//! write it, which is most of what a shelf costs, so it is asked for once a minute and not once a shopper. A CDN in front
//! would do the same; this is for whoever has none. The alternative, to make the guest as cheap as one component that
//! says hello, would have to give up the split that makes it auditable.
//!
//! What is kept belongs to one artefact and goes with it at a swap. Only what the guest itself answered to a shelf's bare
//! path with 200 and such a header is kept, so no caller can put anything in, and nothing personal can be here: nothing
//! of a request but that path is looked at. Bounded: when it is full, the guest is asked as before.

use std::collections::HashMap;
use std::sync::{PoisonError, RwLock};
use std::time::{Duration, Instant};

use bytes::Bytes;
use http::header::{AGE, CACHE_CONTROL, HeaderMap, HeaderValue};
use http::response::Parts;
use http::{Method, Response, StatusCode, Uri};

use crate::body;
use crate::guest::Body;
use crate::inbound::route::RouteKind;

/// Bytes of bodies and paths kept, at most. The lists of 300 locales and 50 slots are larger than this: what does not
/// fit is asked for each time.
const ROOM: usize = 32 * 1024 * 1024;
/// Largest body that is kept.
pub(crate) const BODY_MAX: usize = 256 * 1024;
/// What an entry costs besides its path and body: headers and tables, rounded up.
const ENTRY: usize = 1_024;
/// Longest that anything is kept, whatever it says: lists are published anew within minutes.
const LONGEST: Duration = Duration::from_secs(300);

/// Lists of one artefact.
#[derive(Default)]
pub(crate) struct Shelves {
    kept: RwLock<Kept>,
}

#[derive(Default)]
struct Kept {
    by_path: HashMap<Box<str>, Entry>,
    bytes: usize,
}

struct Entry {
    headers: HeaderMap,
    body: Bytes,
    since: Instant,
    until: Instant,
}

/// Whether a request is one that may be answered from here: the bare path of a shelf.
pub(crate) fn may_be_kept(method: &Method, uri: &Uri) -> bool {
    (method == Method::GET || method == Method::HEAD)
        && uri.query().is_none()
        && RouteKind::of(uri.path()) == RouteKind::Shelf
}

/// For how long an answer may be given to others.
pub(crate) fn lifetime(parts: &Parts) -> Option<Duration> {
    if parts.status != StatusCode::OK {
        return None;
    }
    let control = parts.headers.get(CACHE_CONTROL)?.to_str().ok()?;
    let mut directives = control.split(',').map(str::trim);
    let public = directives.clone().any(|directive| directive == "public");
    let seconds = directives.find_map(|directive| directive.strip_prefix("max-age="))?.parse().ok()?;
    (public && seconds > 0).then(|| Duration::from_secs(seconds).min(LONGEST))
}

impl Shelves {
    /// What is kept for a path and still fresh, with its age.
    pub(crate) fn get(&self, path: &str, now: Instant) -> Option<Response<Body>> {
        let kept = self.kept.read().unwrap_or_else(PoisonError::into_inner);
        let entry = kept.by_path.get(path).filter(|entry| now < entry.until)?;
        let mut response = Response::new(body::full(entry.body.clone()));
        *response.headers_mut() = entry.headers.clone();
        let age = now.saturating_duration_since(entry.since).as_secs();
        response.headers_mut().insert(AGE, HeaderValue::from(age));
        Some(response)
    }

    /// Keeps an answer for `lifetime`, if there is room.
    pub(crate) fn keep(
        &self,
        path: &str,
        headers: &HeaderMap,
        body: &Bytes,
        lifetime: Duration,
        now: Instant,
    ) {
        let Some(until) = now.checked_add(lifetime) else { return };
        let mut kept = self.kept.write().unwrap_or_else(PoisonError::into_inner);
        kept.forget(path);
        let cost = cost(path, body);
        if kept.bytes.saturating_add(cost) > ROOM {
            kept.forget_old(now);
        }
        if kept.bytes.saturating_add(cost) > ROOM {
            return;
        }
        kept.bytes += cost;
        let entry = Entry { headers: headers.clone(), body: body.clone(), since: now, until };
        kept.by_path.insert(path.into(), entry);
    }
}

impl Kept {
    fn forget(&mut self, path: &str) {
        if let Some(entry) = self.by_path.remove(path) {
            self.bytes = self.bytes.saturating_sub(cost(path, &entry.body));
        }
    }

    fn forget_old(&mut self, now: Instant) {
        self.by_path.retain(|_, entry| now < entry.until);
        self.bytes = self.by_path.iter().map(|(path, entry)| cost(path, &entry.body)).sum();
    }
}

fn cost(path: &str, body: &Bytes) -> usize {
    ENTRY + path.len() + body.len()
}

#[cfg(test)]
mod tests {
    use std::time::{Duration, Instant};

    use bytes::Bytes;
    use http::header::{AGE, CACHE_CONTROL, ETAG};
    use http::{HeaderMap, HeaderValue, Method, Response};

    use super::{ROOM, Shelves, lifetime, may_be_kept};
    use crate::clock;

    const MINUTE: Duration = Duration::from_secs(60);

    fn headers() -> HeaderMap {
        HeaderMap::from_iter([(ETAG, HeaderValue::from_static("\"a\""))])
    }

    fn age(shelves: &Shelves, path: &str, now: Instant) -> Option<String> {
        shelves.get(path, now).map(|answer| answer.headers()[AGE].to_str().unwrap().to_owned())
    }

    #[test]
    fn a_list_is_kept_for_as_long_as_it_says_and_tells_its_age() {
        let (shelves, now) = (Shelves::default(), clock::now());
        shelves.keep("/v1/shelf/a/b", &headers(), &Bytes::from_static(b"list"), MINUTE, now);
        assert_eq!(age(&shelves, "/v1/shelf/a/b", now).as_deref(), Some("0"));
        let late = now + MINUTE - Duration::from_millis(1);
        assert_eq!(age(&shelves, "/v1/shelf/a/b", late).as_deref(), Some("59"));
        assert_eq!(age(&shelves, "/v1/shelf/a/b", now + MINUTE), None);
        assert_eq!(age(&shelves, "/v1/shelf/a/c", now), None);
        assert_eq!(shelves.get("/v1/shelf/a/b", now).unwrap().headers()[ETAG], "\"a\"");
    }

    #[test]
    fn it_never_holds_more_than_its_room_and_the_old_makes_room() {
        let (shelves, now) = (Shelves::default(), clock::now());
        let body = Bytes::from(vec![0; 200 * 1024]);
        let keep = |n: usize, now| shelves.keep(&format!("/{n}"), &headers(), &body, MINUTE, now);
        (0..1_000).for_each(|n| keep(n, now));
        let held = shelves.kept.read().unwrap().bytes;
        assert!(held <= ROOM && held > ROOM / 2, "{held}");
        assert!(age(&shelves, "/0", now).is_some() && age(&shelves, "/999", now).is_none());
        keep(999, now + MINUTE);
        assert!(age(&shelves, "/999", now + MINUTE).is_some());
        // The same path again costs nothing more.
        let before = shelves.kept.read().unwrap().bytes;
        keep(999, now + MINUTE);
        assert_eq!(shelves.kept.read().unwrap().bytes, before);
    }

    #[test]
    fn only_what_says_so_is_for_everybody() {
        let of = |status: u16, control: &str| {
            let answer = Response::builder().status(status).header(CACHE_CONTROL, control).body(()).unwrap();
            lifetime(&answer.into_parts().0)
        };
        assert_eq!(of(200, "public, max-age=60, stale-while-revalidate=600"), Some(MINUTE));
        assert_eq!(of(200, "public, max-age=86400"), Some(Duration::from_secs(300)));
        for control in [
            "no-store",
            "max-age=60",
            "public",
            "public, max-age=0",
            "private, max-age=60",
            "public, max-age=x",
        ] {
            assert_eq!(of(200, control), None, "{control}");
        }
        assert_eq!(of(404, "public, max-age=60"), None);
    }

    #[test]
    fn only_a_shelf_s_bare_path_is_looked_up() {
        let may = |method: Method, target: &str| may_be_kept(&method, &target.parse().unwrap());
        assert!(may(Method::GET, "/v1/shelf/de-DE/home") && may(Method::HEAD, "/v1/shelf/de-DE/home"));
        assert!(!may(Method::GET, "/v1/shelf/de-DE/home?x") && !may(Method::POST, "/v1/shelf/de-DE/home"));
        assert!(!may(Method::GET, "/v1/sealed/p/c/de-DE/home") && !may(Method::GET, "/_/list/1/1/x"));
    }
}
