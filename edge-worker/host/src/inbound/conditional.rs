//! Conditional requests: the guest cannot read `If-None-Match`, so the host answers 304 as a cache in front would.

use http::{HeaderMap, HeaderValue, Method, Response, StatusCode, header};

use crate::guest::Body;

/// What a GET or HEAD says it already has (RFC 9110 §13.1.2).
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(crate) struct Known {
    values: Vec<HeaderValue>,
}

/// What a 304 keeps of the answer it stands for (RFC 9110 §15.4.5), and what a browser needs to let a page see it.
fn kept(name: &header::HeaderName) -> bool {
    const KEPT: [header::HeaderName; 7] = [
        header::AGE,
        header::CACHE_CONTROL,
        header::CONTENT_LOCATION,
        header::DATE,
        header::ETAG,
        header::EXPIRES,
        header::VARY,
    ];
    KEPT.contains(name)
        || name.as_str().starts_with("access-control-")
        || name.as_str().starts_with("domicile-")
}

impl Known {
    /// Reads it off a request; other methods than GET and HEAD know nothing.
    pub(crate) fn of(method: &Method, headers: &HeaderMap) -> Self {
        if method != Method::GET && method != Method::HEAD {
            return Self::default();
        }
        Self { values: headers.get_all(header::IF_NONE_MATCH).iter().cloned().collect() }
    }

    /// Turns a 200 whose entity tag is known into a 304 without a body.
    pub(crate) fn apply(&self, response: Response<Body>) -> Response<Body> {
        let matches = response.status() == StatusCode::OK
            && response.headers().get(header::ETAG).is_some_and(|tag| self.holds(tag));
        if !matches {
            return response;
        }
        let (mut parts, _body) = response.into_parts();
        parts.status = StatusCode::NOT_MODIFIED;
        parts.headers = parts
            .headers
            .iter()
            .filter(|(name, _)| kept(name))
            .map(|(name, value)| (name.clone(), value.clone()))
            .collect();
        Response::from_parts(parts, crate::body::empty())
    }

    fn holds(&self, tag: &HeaderValue) -> bool {
        let opaque = strong(tag.as_bytes());
        self.values.iter().any(|value| lists(value.as_bytes(), opaque))
    }
}

/// A tag without its weakness: the comparison is weak.
fn strong(tag: &[u8]) -> &[u8] {
    tag.strip_prefix(b"W/").unwrap_or(tag)
}

/// Whether a field value, `*` or entity tags parted by commas, lists a tag. It stops at what is not a tag.
fn lists(value: &[u8], opaque: &[u8]) -> bool {
    if value.trim_ascii() == b"*" {
        return true;
    }
    let mut rest = value;
    loop {
        while let [b' ' | b'\t' | b',', tail @ ..] = rest {
            rest = tail;
        }
        rest = strong(rest);
        let Some(inside) = rest.strip_prefix(b"\"") else { return false };
        let Some(length) = inside.iter().position(|byte| *byte == b'"') else { return false };
        let (tag, tail) = rest.split_at(length.saturating_add(2));
        if tag == opaque {
            return true;
        }
        rest = tail;
    }
}

#[cfg(test)]
mod tests {
    use super::lists;

    #[test]
    fn compares_weakly_and_reads_lists() {
        for (value, expected) in [
            (r#""a""#, true),
            (r#"W/"a""#, true),
            ("*", true),
            (" * ", true),
            (r#""b", "a""#, true),
            (r#""b",W/"a" , "c""#, true),
            (r#""x,"a"y"#, false),
            (r#""b""#, false),
            ("a", false),
            (r#""a"#, false),
            ("", false),
            (r#"w/"a""#, false),
        ] {
            assert_eq!(lists(value.as_bytes(), br#""a""#), expected, "{value}");
        }
    }

    #[test]
    fn a_comma_inside_a_tag_is_part_of_it() {
        assert!(lists(br#""b", "x,y""#, br#""x,y""#));
        assert!(!lists(br#""x,y""#, br#""y""#));
    }
}
