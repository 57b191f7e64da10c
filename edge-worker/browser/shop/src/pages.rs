//! The pages, as the browser package's build left them, and the headers that they are given.

use std::collections::BTreeMap;
use std::path::Path;

use anyhow::Context as _;
use axum::response::{IntoResponse as _, Response};
use bytes::Bytes;
use http::{HeaderMap, HeaderName, HeaderValue, StatusCode, header};

/// What a page must be made of.
const SHELL: &str = "index.html";

/// The built files, in memory.
pub(crate) struct Pages(BTreeMap<String, (&'static str, Bytes)>);

impl Pages {
    /// Reads every page, script, style and map of a folder.
    ///
    /// # Errors
    /// The folder cannot be read, or has no page.
    pub(crate) fn read(folder: &Path) -> anyhow::Result<Self> {
        let named = || format!("cannot read {}; is the browser package built?", folder.display());
        let mut files = BTreeMap::new();
        for entry in std::fs::read_dir(folder).with_context(named)? {
            let path = entry.with_context(named)?.path();
            let Some(kind) = path.extension().and_then(|e| e.to_str()).and_then(kind) else { continue };
            let Some(name) = path.file_name().and_then(|name| name.to_str()) else { continue };
            files.insert(name.to_owned(), (kind, Bytes::from(std::fs::read(&path).with_context(named)?)));
        }
        anyhow::ensure!(files.contains_key(SHELL), "{} has no {SHELL}", folder.display());
        Ok(Self(files))
    }

    /// The page, which fills itself: every address of the shop has it.
    pub(crate) fn shell(&self, status: StatusCode) -> Response {
        (status, self.file(SHELL)).into_response()
    }

    /// A file by name.
    pub(crate) fn file(&self, name: &str) -> Response {
        self.0.get(name).map_or_else(
            || crate::refusal::Refusal::Unknown.into_response(),
            |(kind, bytes)| ([(header::CONTENT_TYPE, *kind)], bytes.clone()).into_response(),
        )
    }
}

fn kind(extension: &str) -> Option<&'static str> {
    match extension {
        "html" => Some("text/html; charset=utf-8"),
        "js" => Some("text/javascript; charset=utf-8"),
        "css" => Some("text/css; charset=utf-8"),
        "svg" => Some("image/svg+xml"),
        _ => None,
    }
}

/// What every answer carries. `reached`: the origins that a page may ask beside its own.
///
/// # Errors
/// An origin that cannot stand in a header.
pub(crate) fn headers(reached: &[&str]) -> anyhow::Result<HeaderMap> {
    let policy = format!(
        "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self'; connect-src 'self' {}; \
         base-uri 'none'; form-action 'none'; frame-ancestors 'none'; require-trusted-types-for 'script'; \
         trusted-types 'none'",
        reached.join(" ")
    );
    let fixed: [(HeaderName, &str); 6] = [
        (header::X_CONTENT_TYPE_OPTIONS, "nosniff"),
        (header::REFERRER_POLICY, "no-referrer"),
        (header::CACHE_CONTROL, "no-cache"),
        (HeaderName::from_static("cross-origin-opener-policy"), "same-origin"),
        (HeaderName::from_static("cross-origin-resource-policy"), "same-origin"),
        (
            HeaderName::from_static("permissions-policy"),
            "camera=(), geolocation=(), microphone=(), browsing-topics=()",
        ),
    ];
    let mut headers: HeaderMap =
        fixed.map(|(name, value)| (name, HeaderValue::from_static(value))).into_iter().collect();
    let policy = HeaderValue::from_str(&policy).context("an origin cannot stand in a policy")?;
    headers.insert(header::CONTENT_SECURITY_POLICY, policy);
    Ok(headers)
}
