//! Headers that name a person, or let two requests be joined.

use http::{HeaderMap, HeaderName, header};

/// What is taken off every request before the guest.
const NAMES: [HeaderName; 7] = [
    header::COOKIE,
    header::AUTHORIZATION,
    header::REFERER,
    header::FORWARDED,
    HeaderName::from_static("x-forwarded-for"),
    HeaderName::from_static("traceparent"),
    HeaderName::from_static("tracestate"),
];

/// Whether a header is one of those.
pub(crate) fn names_a_person(name: &HeaderName) -> bool {
    NAMES.contains(name)
}

/// Takes them off.
pub(crate) fn strip(headers: &mut HeaderMap) {
    for name in &NAMES {
        headers.remove(name);
    }
}

#[cfg(test)]
mod tests {
    use http::{HeaderMap, HeaderValue};

    #[test]
    fn takes_off_every_value_and_leaves_the_rest() {
        let mut headers = HeaderMap::new();
        for name in
            ["cookie", "cookie", "authorization", "referer", "forwarded", "x-forwarded-for", "tracestate"]
        {
            headers.append(name, HeaderValue::from_static("canary"));
        }
        headers.append("content-type", HeaderValue::from_static("message/ohttp-req"));
        super::strip(&mut headers);
        assert_eq!(headers.keys().map(http::HeaderName::as_str).collect::<Vec<_>>(), ["content-type"]);
    }
}
