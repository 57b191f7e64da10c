//! Which pages may ask.
//!
//! A page's script can send a request to any address, with this service's cookie where the site is the same, and a form
//! needs no leave at all (Fetch standard, section 3.3: CORS). So a request that states an origin is answered only if that
//! origin is this service's own or listed. Programs state none. Own is what `Host` says, which is believed only where it
//! names this machine: a page elsewhere can have its own name resolve to a loopback address.

use std::str::FromStr;

use http::uri::Authority;
use http::{HeaderMap, HeaderValue, Uri, header};

use super::refusal::Refusal;

/// An origin, as a browser writes it: scheme, host, port unless it is the scheme's own.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Origin(HeaderValue);

impl FromStr for Origin {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let refused = || format!("{text:?} is no origin; write it as http://127.0.0.1:8080, without a path");
        let uri: Uri = text.parse().map_err(|_error| refused())?;
        let scheme = uri.scheme_str().filter(|scheme| ["http", "https"].contains(scheme));
        let authority = uri.authority().filter(|authority| !authority.as_str().contains('@'));
        let (Some(scheme), Some(authority)) = (scheme, authority) else { return Err(refused()) };
        let standard = if scheme == "http" { 80 } else { 443 };
        let as_written = format!("{scheme}://{}", authority.as_str().to_ascii_lowercase());
        if text != as_written || authority.port_u16() == Some(standard) {
            return Err(refused());
        }
        HeaderValue::from_str(text).map(Self).map_err(|_error| refused())
    }
}

/// The origins that may ask.
pub(super) struct Origins(Vec<Origin>);

impl Origins {
    pub(super) fn new(listed: Vec<Origin>) -> Self {
        Self(listed)
    }

    /// The listed origin that asks, to be named in the answer; none for a page of this origin and for a program.
    ///
    /// # Errors
    /// The page is of neither, or the host is not this machine.
    pub(super) fn judge(&self, headers: &HeaderMap) -> Result<Option<HeaderValue>, Refusal> {
        let host = single(headers, &header::HOST).flatten().and_then(local).ok_or(Refusal::Host)?;
        let Some(origin) = single(headers, &header::ORIGIN).ok_or(Refusal::Origin)? else { return Ok(None) };
        if self.0.iter().any(|listed| listed.0 == *origin) {
            return Ok(Some(origin.clone()));
        }
        let own = format!("http://{host}");
        if origin.as_bytes().eq_ignore_ascii_case(own.as_bytes()) { Ok(None) } else { Err(Refusal::Origin) }
    }
}

/// The one value of a header, or none; nothing where there are several.
fn single<'h>(headers: &'h HeaderMap, name: &header::HeaderName) -> Option<Option<&'h HeaderValue>> {
    let mut values = headers.get_all(name).iter();
    let first = values.next();
    values.next().is_none().then_some(first)
}

/// The authority, if it names this machine: a loopback address, or a name that browsers resolve to one (RFC 6761,
/// section 6.3).
fn local(value: &HeaderValue) -> Option<Authority> {
    let authority = Authority::try_from(value.as_bytes()).ok()?;
    let host = authority.host().trim_start_matches('[').trim_end_matches(']').to_ascii_lowercase();
    let address = host.parse::<std::net::IpAddr>().is_ok_and(|address| address.is_loopback());
    let name = host == "localhost" || host.ends_with(".localhost");
    ((address || name) && !authority.as_str().contains('@')).then_some(authority)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn judge(host: &[&'static str], origin: &[&'static str]) -> Result<Option<HeaderValue>, Refusal> {
        let mut headers = HeaderMap::new();
        for host in host {
            headers.append(header::HOST, HeaderValue::from_static(host));
        }
        for origin in origin {
            headers.append(header::ORIGIN, HeaderValue::from_static(origin));
        }
        Origins::new(vec!["http://127.0.0.1:8080".parse().unwrap()]).judge(&headers)
    }

    #[test]
    fn programs_own_pages_and_listed_pages_may_ask() {
        assert_eq!(judge(&["127.0.0.1:7300"], &[]), Ok(None));
        assert_eq!(judge(&["localhost:7300"], &["http://localhost:7300"]), Ok(None));
        assert_eq!(judge(&["[::1]:7300"], &["http://[::1]:7300"]), Ok(None));
        let listed = HeaderValue::from_static("http://127.0.0.1:8080");
        assert_eq!(judge(&["127.0.0.1:7300"], &["http://127.0.0.1:8080"]), Ok(Some(listed)));
    }

    #[test]
    fn every_other_page_is_refused_and_so_is_a_name_that_was_pointed_here() {
        for origin in ["http://127.0.0.1:8081", "https://127.0.0.1:8080", "null", "http://shop.invalid", ""] {
            assert_eq!(judge(&["127.0.0.1:7300"], &[origin]), Err(Refusal::Origin), "{origin}");
        }
        let two = ["http://127.0.0.1:8080", "http://127.0.0.1:7300"];
        assert_eq!(judge(&["127.0.0.1:7300"], &two), Err(Refusal::Origin));
        assert_eq!(judge(&["shop.invalid:7300"], &["http://shop.invalid:7300"]), Err(Refusal::Host));
        for host in
            [&["x@127.0.0.1"][..], &["10.0.0.1"], &["localhost.invalid"], &[""], &[], &["localhost"; 2]]
        {
            assert_eq!(judge(host, &[]), Err(Refusal::Host), "{host:?}");
        }
    }

    #[test]
    fn an_origin_is_written_as_a_browser_writes_it() {
        for bad in [
            "*",
            "null",
            "",
            "shop.invalid",
            "ftp://shop.invalid",
            "http://shop.invalid/",
            "http://Shop.invalid",
            "http://shop.invalid:80",
            "https://shop.invalid:443",
            "http://x@shop.invalid",
        ] {
            assert!(bad.parse::<Origin>().is_err(), "{bad}");
        }
        assert!("https://shop.invalid".parse::<Origin>().is_ok());
    }
}
