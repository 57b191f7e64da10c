//! Who may ask the shop.
//!
//! A page elsewhere can have its own name resolve to this machine, and a form can post anywhere: so `Host` has to name
//! this machine, and whoever wants something done has to come from a page of the shop's own origin, which a browser
//! states with every POST (Fetch standard, section 3.1).

use axum::extract::Request;
use axum::middleware::Next;
use axum::response::{IntoResponse as _, Response};
use http::uri::Authority;
use http::{HeaderMap, HeaderValue, Method, header};

use crate::refusal::Refusal;

/// Refuses what is not asked by this machine, and by another page.
pub(crate) async fn guard(request: Request, next: Next) -> Response {
    match judge(request.method(), request.headers()) {
        Ok(()) => next.run(request).await,
        Err(refusal) => refusal.into_response(),
    }
}

fn judge(method: &Method, headers: &HeaderMap) -> Result<(), Refusal> {
    let host = single(headers, &header::HOST).and_then(local).ok_or(Refusal::Host)?;
    if [Method::GET, Method::HEAD].contains(method) {
        return Ok(());
    }
    let own = format!("http://{host}");
    let origin = single(headers, &header::ORIGIN).ok_or(Refusal::Origin)?;
    if origin.as_bytes().eq_ignore_ascii_case(own.as_bytes()) { Ok(()) } else { Err(Refusal::Origin) }
}

/// The one value of a header.
fn single<'h>(headers: &'h HeaderMap, name: &header::HeaderName) -> Option<&'h HeaderValue> {
    let mut values = headers.get_all(name).iter();
    let first = values.next();
    first.filter(|_| values.next().is_none())
}

/// The authority, if it names this machine: a loopback address, or a name that browsers resolve to one (RFC 6761,
/// section 6.3).
fn local(value: &HeaderValue) -> Option<Authority> {
    let authority = Authority::try_from(value.as_bytes()).ok()?;
    let host = authority.host().trim_start_matches('[').trim_end_matches(']');
    let address = host.parse::<std::net::IpAddr>().is_ok_and(|address| address.is_loopback());
    ((address || host.eq_ignore_ascii_case("localhost")) && !authority.as_str().contains('@'))
        .then_some(authority)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn judged(method: &Method, host: &[&'static str], origin: &[&'static str]) -> Result<(), Refusal> {
        let mut headers = HeaderMap::new();
        for host in host {
            headers.append(header::HOST, HeaderValue::from_static(host));
        }
        for origin in origin {
            headers.append(header::ORIGIN, HeaderValue::from_static(origin));
        }
        judge(method, &headers)
    }

    #[test]
    fn reading_takes_a_name_of_this_machine() {
        for host in ["127.0.0.1:8090", "localhost:8090", "[::1]:8090"] {
            assert_eq!(judged(&Method::GET, &[host], &[]), Ok(()), "{host}");
        }
        for host in
            [&["shop.invalid:8090"][..], &["x@127.0.0.1"], &["10.0.0.1"], &[""], &[], &["localhost"; 2]]
        {
            assert_eq!(judged(&Method::GET, host, &[]), Err(Refusal::Host), "{host:?}");
        }
    }

    #[test]
    fn doing_takes_a_page_of_the_shop_as_well() {
        let host = ["127.0.0.1:8090"];
        assert_eq!(judged(&Method::POST, &host, &["http://127.0.0.1:8090"]), Ok(()));
        for origin in [
            &[][..],
            &["null"],
            &["http://127.0.0.1:8080"],
            &["https://127.0.0.1:8090"],
            &["http://shop.invalid"],
        ] {
            assert_eq!(judged(&Method::POST, &host, origin), Err(Refusal::Origin), "{origin:?}");
        }
        let two = ["http://127.0.0.1:8090"; 2];
        assert_eq!(judged(&Method::POST, &host, &two), Err(Refusal::Origin));
        let pointed = judged(&Method::POST, &["shop.invalid"], &["http://shop.invalid"]);
        assert_eq!(pointed, Err(Refusal::Host));
    }
}
