//! Canaries: a text of its own in every place of a request that is not the sealed body. None may reach a cell, a log
//! or a metric.

use std::collections::BTreeSet;
use std::net::SocketAddr;

use anyhow::Context as _;

use super::caller::{Answer, Connection, ask};
use super::cell::{Does, Seen};
use super::stage::{Host, Stage};

/// Where canaries sit. A page, a browser or a proxy could put something personal into each.
const PLACES: [&str; 18] = [
    "cookie",
    "authorization",
    "proxy-authorization",
    "referer",
    "user-agent",
    "x-forwarded-for",
    "x-real-ip",
    "forwarded",
    "via",
    "traceparent",
    "tracestate",
    "baggage",
    "origin",
    "accept-language",
    "content-type",
    "if-none-match",
    "x-anything",
    "content-disposition",
];
/// Those that are no header.
const ELSEWHERE: [&str; 3] = ["host", "trailer", "chunk-extension"];
/// The sealed body itself: this one has to arrive.
pub(super) const BODY: &str = "canary-body";
/// Requests over instances that are used again.
const MANY: usize = 10_000;
const CONNECTIONS: usize = 4;
/// One in so many has a trailer, and a connection of its own.
const IN_PIECES: usize = 8;
/// Most instances that many requests may need: an instance serves up to 128 (`domicile-edge --reuse`).
const INSTANCES: u64 = 200;

/// Exactly what a cell sees beside the body, and one of [`FRAMING`].
const NAMES: [&str; 2] = ["content-type", "host"];
const FRAMING: [&str; 2] = ["content-length", "transfer-encoding"];

pub(super) fn canary(place: &str) -> String {
    format!("canary-{place}-9f2c")
}

/// Every place there is.
pub(super) fn places() -> impl Iterator<Item = &'static str> {
    PLACES.into_iter().chain(ELSEWHERE)
}

/// A request with a canary in every place.
pub(super) fn request(path: &str) -> Vec<u8> {
    in_pieces(path, BODY)
}

/// The same around another body, on a connection that ends with it.
fn in_pieces(path: &str, body: &str) -> Vec<u8> {
    let (length, extension, trailer) = (body.len(), canary("chunk-extension"), canary("trailer"));
    let mut request = head(path);
    request.push_str(&format!(
        "connection: close\r\ntrailer: x-end\r\ntransfer-encoding: chunked\r\n\r\n{length:x};x={extension}\r\n{body}\r\n0\r\nx-end: {trailer}\r\n\r\n"
    ));
    request.into_bytes()
}

/// The same in one piece: there is no place for an extension or a trailer, and the connection is kept.
fn in_one_piece(path: &str, body: &str) -> Vec<u8> {
    format!("{}content-length: {}\r\n\r\n{body}", head(path), body.len()).into_bytes()
}

fn head(path: &str) -> String {
    let mut head = format!("POST {path} HTTP/1.1\r\nhost: {}.example\r\n", canary("host"));
    for place in PLACES {
        // Many times over: what a guest has read and freed, its allocator writes into, but not all over.
        head.push_str(&format!("{place}: {}\r\n", canary(place).repeat(8)));
    }
    head
}

/// The places whose canaries are found in some bytes.
fn found(bytes: &[u8]) -> BTreeSet<&'static str> {
    places().filter(|place| holds(bytes, &canary(place))).collect()
}

fn holds(bytes: &[u8], text: &str) -> bool {
    // Names are not looked at: a value that is written in other letters is still the value.
    let (lower, text) = (bytes.to_ascii_lowercase(), text.to_ascii_lowercase());
    lower.windows(text.len()).any(|window| window == text.as_bytes())
}

/// Sends the canaries, and looks for them behind the edge.
pub(super) fn sweep(stage: &Stage) -> anyhow::Result<()> {
    stage.cell.does(Does::Echoes);
    prove(stage)?;
    for path in [stage.route.clone(), format!("{}?strict", stage.route)] {
        let answer = exchange(stage.edge, &request(&path))?;
        anyhow::ensure!(answer.text() == format!("answer to {BODY}"), "not relayed: {answer:?}");
        anyhow::ensure!(
            !format!("{:?}", answer.headers).contains("canary"),
            "got back: {:?}",
            answer.headers
        );
        let arrived = stage.cell.taken().concat();
        anyhow::ensure!(holds(&arrived, BODY), "the capture server saw no body: it would see no canary");
        let leaked = found(&arrived);
        anyhow::ensure!(leaked.is_empty(), "reached the cell: {leaked:?}");
    }
    // Refused and answered without a cell: these must not be written down either.
    let headers: String = PLACES.iter().map(|place| format!("{place}: {}\r\n", canary(place))).collect();
    for (method, path) in [
        ("GET", "/v1/shelf/de-DE/home".to_owned()),
        ("GET", format!("/v1/shelf/de-DE/home?q={}", canary("query"))),
        ("GET", format!("/v1/shelf/{}/home", canary("path"))),
        ("POST", format!("/v1/sealed/{}/eu-a/de-DE/home", canary("pin"))),
        ("OPTIONS", "/v1/shelf/de-DE/home".to_owned()),
        ("DELETE", stage.route.clone()),
    ] {
        let answer = ask(stage.edge, method, &path, &headers, "")?;
        anyhow::ensure!(
            !format!("{:?}{}", answer.headers, answer.text()).contains("canary"),
            "got back: {answer:?}"
        );
    }
    let arrived = stage.cell.taken().concat();
    anyhow::ensure!(
        arrived.is_empty(),
        "what is refused reached the cell: {}",
        String::from_utf8_lossy(&arrived)
    );
    Ok(())
}

/// Straight to the cell, without an edge: the search has to find every canary, or it would find none behind an edge.
fn prove(stage: &Stage) -> anyhow::Result<()> {
    exchange(stage.cell.address, &request("/gateway"))?;
    let leaked = found(&stage.cell.taken().concat());
    let missed: Vec<_> = places().filter(|place| !leaked.contains(place)).collect();
    anyhow::ensure!(missed.is_empty(), "the search does not find what is there: {missed:?}");
    exchange(stage.cell.address, &request("/gateway"))?;
    for request in stage.cell.requests()? {
        let passed = nothing_but_the_fixed(&request, stage).is_ok();
        anyhow::ensure!(!passed, "a request full of headers passes for the relay's own: {request:?}");
    }
    Ok(())
}

/// Sends a request as it is, and waits for its answer.
pub(super) fn exchange(to: SocketAddr, request: &[u8]) -> anyhow::Result<Answer> {
    let mut connection = Connection::open(to)?;
    connection.send(request)?;
    connection.answer()?.context("no answer")
}

/// Ten thousand requests with a canary in every place, most over kept connections: everybody gets the answer to the own
/// body, and the cell sees the same few headers every time and no trailer.
pub(super) fn many(stage: &Stage) -> anyhow::Result<()> {
    stage.cell.does(Does::Echoes);
    let before = lives(stage)?;
    let callers: Vec<_> = (0..CONNECTIONS)
        .map(|caller| {
            let (edge, route) = (stage.edge, stage.route.clone());
            std::thread::spawn(move || one_caller(edge, &route, caller))
        })
        .collect();
    for caller in callers {
        caller.join().map_err(|_| anyhow::anyhow!("a caller failed"))??;
    }
    let seen = stage.cell.requests()?;
    anyhow::ensure!(seen.len() == MANY, "{} requests reached the cell, not {MANY}", seen.len());
    let bodies: BTreeSet<_> = seen.iter().filter_map(|request| request.body.clone()).collect();
    anyhow::ensure!(bodies.len() == MANY, "{} different bodies reached the cell, not {MANY}", bodies.len());
    for request in &seen {
        nothing_but_the_fixed(request, stage)?;
    }
    let Some((made, reused)) = before.zip(lives(stage)?).map(|(b, a)| (a.0 - b.0, a.1 - b.1)) else {
        return Ok(());
    };
    anyhow::ensure!(
        made <= INSTANCES && made + reused >= u64::try_from(MANY)?,
        "{MANY} requests took {made} new instances, and {reused} met a used one"
    );
    Ok(())
}

/// Instances made so far, and requests given to one that had served before; `wasmtime serve` counts neither.
fn lives(stage: &Stage) -> anyhow::Result<Option<(u64, u64)>> {
    if stage.admin.is_none() {
        return Ok(None);
    }
    let made = stage.metric("domicile_edge_instances_made_total")?;
    Ok(Some((made, stage.metric("domicile_edge_instances_reused_total")?)))
}

fn one_caller(edge: SocketAddr, route: &str, caller: usize) -> anyhow::Result<()> {
    let mut connection = Connection::open(edge)?;
    for number in 0..MANY / CONNECTIONS {
        let body = format!("{BODY} {caller} {number}");
        let answer = if number % IN_PIECES == 0 {
            exchange(edge, &in_pieces(route, &body))?
        } else {
            connection.send(&in_one_piece(route, &body))?;
            connection.answer()?.context("the connection was closed")?
        };
        anyhow::ensure!(
            answer.text() == format!("answer to {body}"),
            "asked with {body:?}, answered {} {:?}",
            answer.outcome(),
            answer.text()
        );
    }
    Ok(())
}

/// An error when a cell sees anything but the fixed headers with their fixed values.
pub(super) fn nothing_but_the_fixed(seen: &Seen, stage: &Stage) -> anyhow::Result<()> {
    let mut names: Vec<&str> = seen.headers.iter().map(|(name, _)| name.as_str()).collect();
    names.retain(|name| !FRAMING.contains(name));
    names.sort_unstable();
    anyhow::ensure!(
        names == NAMES && seen.headers.len() == NAMES.len() + 1,
        "headers at the cell: {:?}",
        seen.headers
    );
    anyhow::ensure!(seen.trailers.is_empty(), "trailers at the cell: {:?}", seen.trailers);
    let values = (seen.line.as_str(), seen.header("content-type"), seen.header("host"));
    let wanted = ("POST /gateway HTTP/1.1", super::cell::MEDIA_TYPE, stage.cell.address.to_string());
    anyhow::ensure!(values == (wanted.0, wanted.1, wanted.2.as_str()), "at the cell: {values:?}");
    Ok(())
}

/// Log and metrics, after everything else.
pub(super) fn nothing_was_said(stage: &Stage) -> anyhow::Result<()> {
    let mut said = stage.said()?;
    if stage.host == Host::Ours {
        anyhow::ensure!(holds(&said, "/v1/sealed"), "the host logged no request: nothing was searched");
    }
    if let Some(admin) = stage.admin {
        let metrics = ask(admin, "GET", "/metrics", "", "")?;
        anyhow::ensure!(metrics.status == 200 && !metrics.body.is_empty(), "no metrics: {metrics:?}");
        said.extend_from_slice(&metrics.body);
    }
    for text in [BODY, "canary-", "edge.example", stage.route.as_str()] {
        anyhow::ensure!(!holds(&said, text), "{text:?} was written down");
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_leak_is_found_wherever_it_is() {
        let request = request("/gateway");
        assert_eq!(found(&request), places().collect());
        assert!(found(b"POST / HTTP/1.1\r\nCookie: CANARY-COOKIE-9F2C\r\n\r\n").contains("cookie"));
        assert!(found(b"POST / HTTP/1.1\r\n\r\n").is_empty());
    }

    #[test]
    fn a_route_with_capitals_is_found_in_a_log() {
        let route = "/v1/sealed/q7Zk-A_b/eu-a/de-DE/home";
        assert!(holds(
            b"INFO request method=POST path=/v1/sealed/q7Zk-A_b/eu-a/de-DE/home status=200",
            route
        ));
        assert!(!holds(b"INFO request method=POST route=/v1/sealed status=200", route));
    }
}
