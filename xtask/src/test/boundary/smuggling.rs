//! Requests that two readers could read differently. Whatever the host makes of one, the cell may only ever see whole,
//! well-formed requests of the relay's own, and never more of them than were asked for.

use super::caller::raw;
use super::canaries::nothing_but_the_fixed;
use super::cell::Does;
use super::stage::{Host, Stage};

/// What may come of an attempt.
struct Attempt {
    name: &'static str,
    bytes: Vec<u8>,
    /// Statuses that the first answer of any host may have; with [`NOTHING`], it may just close.
    answers: &'static [u16],
    /// The status that our host's has: there, nothing is left to choose.
    ours: u16,
    /// Most requests that may reach the cell.
    relayed: usize,
}

/// No answer at all.
const NOTHING: u16 = 0;
const REFUSED: &[u16] = &[400, 404, 405, 408, 413, 414, 431, 501, 502, 505, NOTHING];
/// Refused by one host, read in the one harmless way by another.
const EITHER: &[u16] = &[200, 400, 404, 405, 408, 413, 414, 431, 501, 502, 505, NOTHING];

impl Attempt {
    /// The same, answered with this by our host.
    fn but(self, ours: u16) -> Self {
        Self { ours, ..self }
    }
}

/// Sends every attempt; after each one the edge has to be there for others.
pub(super) fn check(stage: &Stage) -> anyhow::Result<()> {
    stage.cell.does(Does::Echoes);
    stage.cell.taken();
    let mut wrong = Vec::new();
    for attempt in attempts(&stage.route) {
        let name = attempt.name;
        let answers = raw(stage.edge, &attempt.bytes)?;
        let first = answers.first().map_or(NOTHING, |answer| answer.status);
        let ours = stage.host == Host::Ours;
        let expected = if ours { first == attempt.ours } else { attempt.answers.contains(&first) };
        if !expected {
            wrong.push(format!("{name}: {first}"));
        }
        let seen =
            stage.cell.requests().map_err(|error| error.context(format!("{name}: malformed at the cell")))?;
        anyhow::ensure!(
            seen.len() <= attempt.relayed,
            "{name}: {} requests at the cell, not {}: {seen:?}",
            seen.len(),
            attempt.relayed
        );
        anyhow::ensure!(
            !ours || seen.len() == if first == 200 { attempt.relayed } else { 0 },
            "{name}: answered {first}, and {} requests at the cell",
            seen.len()
        );
        for request in &seen {
            nothing_but_the_fixed(request, stage).map_err(|error| error.context(name))?;
        }
        let after = super::caller::ask(stage.edge, "POST", &stage.route, "", name)?;
        anyhow::ensure!(after.text() == format!("answer to {name}"), "after {name}: {after:?}");
        stage.cell.taken();
    }
    anyhow::ensure!(wrong.is_empty(), "answered otherwise than they should be: {}", wrong.join("; "));
    Ok(())
}

fn attempts(route: &str) -> Vec<Attempt> {
    let mut all = framing(route);
    all.extend(targets(route));
    all.extend(heads(route));
    all
}

/// A sealed request with these header lines and this body, byte by byte.
fn post(target: &str, headers: &str, body: &str) -> Vec<u8> {
    format!("POST {target} HTTP/1.1\r\nhost: edge.example\r\n{headers}\r\n{body}").into_bytes()
}

/// A second request, hidden in what one reader takes for the first one's body.
fn hidden(route: &str) -> String {
    format!(
        "POST {route} HTTP/1.1\r\nhost: edge.example\r\nx-smuggled: canary\r\nconnection: close\r\ncontent-length: 8\r\n\r\nsmuggled"
    )
}

/// Where a body ends.
fn framing(route: &str) -> Vec<Attempt> {
    let hidden = hidden(route);
    let chunked = format!("6\r\nsealed\r\n0\r\n\r\n{hidden}");
    let with = |name, headers: &str, body: &str, answers, relayed| Attempt {
        name,
        bytes: post(route, headers, body),
        answers,
        ours: 400,
        relayed,
    };
    vec![
        with("two lengths", "content-length: 6\r\ncontent-length: 7\r\n", "sealed!", REFUSED, 0),
        with("a list of lengths", "content-length: 6, 7\r\n", "sealed!", REFUSED, 0),
        with("a length with a sign", "content-length: +6\r\n", "sealed", REFUSED, 0),
        with(
            "a length past all numbers",
            "content-length: 99999999999999999999999\r\n",
            "sealed",
            REFUSED,
            0,
        ),
        with("a negative length", "content-length: -1\r\n", "sealed", REFUSED, 0),
        // Chunks win (RFC 9112, section 6.3), and what follows is a request of its own: both are the sender's.
        with("length and chunks", "content-length: 6\r\ntransfer-encoding: chunked\r\n", &chunked, EITHER, 2),
        with("chunks and length", "transfer-encoding: chunked\r\ncontent-length: 6\r\n", &chunked, EITHER, 2),
        with("chunks not last", "transfer-encoding: chunked, identity\r\n", &chunked, REFUSED, 0),
        with("an unknown coding", "transfer-encoding: xchunked\r\n", &chunked, REFUSED, 0),
        with("two codings", "transfer-encoding: chunked\r\ntransfer-encoding: x\r\n", &chunked, REFUSED, 0),
        with(
            "a space before the colon",
            "transfer-encoding : chunked\r\ncontent-length: 6\r\n",
            &chunked,
            REFUSED,
            0,
        ),
        with(
            "a folded coding",
            "transfer-encoding:\r\n chunked\r\ncontent-length: 6\r\n",
            &chunked,
            REFUSED,
            0,
        ),
        with(
            "a coding after a vertical tab",
            "transfer-encoding: \u{b}chunked\r\ncontent-length: 6\r\n",
            "sealed",
            REFUSED,
            0,
        ),
        with(
            "a chunk past all numbers",
            "transfer-encoding: chunked\r\n",
            "fffffffffffffffff\r\nsealed\r\n0\r\n\r\n",
            EITHER,
            1,
        ),
        with(
            "a chunk longer than it says",
            "transfer-encoding: chunked\r\n",
            "3\r\nsealed\r\n0\r\n\r\n",
            EITHER,
            1,
        ),
        with(
            "a chunk without a size",
            "transfer-encoding: chunked\r\n",
            "\r\nsealed\r\n0\r\n\r\n",
            EITHER,
            1,
        ),
        with("a chunk with a bare end", "transfer-encoding: chunked\r\n", "6\nsealed\n0\n\n", EITHER, 1),
        with(
            "a trailer with a length",
            "transfer-encoding: chunked\r\nconnection: close\r\n",
            "6\r\nsealed\r\n0\r\ncontent-length: 99\r\n\r\n",
            EITHER,
            1,
        )
        .but(200),
        with("two on one connection", "content-length: 6\r\n", &format!("sealed{hidden}"), &[200], 2)
            .but(200),
    ]
}

/// What is asked for.
fn targets(route: &str) -> Vec<Attempt> {
    let body = "connection: close\r\ncontent-length: 6\r\n";
    let at = |name, target: String| Attempt {
        name,
        bytes: post(&target, body, "sealed"),
        answers: REFUSED,
        ours: 404,
        relayed: 0,
    };
    let inside = route.trim_start_matches('/');
    let mut all = vec![
        at("another place", "http://cell.internal/gateway".to_owned()),
        at("no place", "*".to_owned()),
        at("two slashes", format!("/{route}")),
        at("two slashes inside", route.replace("/eu-a", "//eu-a")),
        at("a slash at the end", format!("{route}/")),
        at("a dot segment", format!("/./{inside}")),
        at("dots to the gateway", "/v1/sealed/../../gateway".to_owned()),
        at("dots and back", format!("/v1/x/../{}", inside.trim_start_matches("v1/"))),
        at("encoded dots", format!("/%2e%2e/{inside}")),
        at("an encoded slash", route.replace("/eu-a", "%2feu-a")),
        at("an encoded letter", route.replace("eu-a", "eu-%61")),
        at("encoded twice", route.replace("eu-a", "eu-%2561")),
        at("an overlong encoding", route.replace("/eu-a", "/%c0%afeu-a")),
        at("an encoded nul", format!("{route}%00")),
        at("an encoded line end", format!("{route}%0d%0ax-smuggled:%20canary")),
        at("a backslash", route.replace("/eu-a", "\\eu-a")),
        at("a parameter", format!("{route};x=1")),
        at("a query", format!("{route}?strict&to=cell.internal")),
        at("other letters", route.replace("/v1/", "/V1/")),
        at("an inner page", "/_/list/1/1/0".to_owned()),
        at("ten kilobytes", format!("/{}", "a".repeat(10_240))).but(414),
    ];
    // Harmless readings: the place is the edge's whatever is named, and a fragment is the sender's own.
    for (name, target, ours) in [
        ("a whole address", format!("http://cell.internal{route}"), 200),
        ("a fragment", format!("{route}#canary"), 400),
    ] {
        all.push(Attempt { name, bytes: post(&target, body, "sealed"), answers: EITHER, ours, relayed: 1 });
    }
    let connect = b"CONNECT cell.internal:80 HTTP/1.1\r\nhost: cell.internal:80\r\n\r\n".to_vec();
    all.push(Attempt { name: "a tunnel", bytes: connect, answers: REFUSED, ours: 404, relayed: 0 });
    all
}

/// Lines and what stands in them.
fn heads(route: &str) -> Vec<Attempt> {
    let close = "connection: close\r\ncontent-length: 6\r\n";
    let with = |name, headers: &str, answers, relayed| Attempt {
        name,
        bytes: post(route, &format!("{headers}{close}"), "sealed"),
        answers,
        ours: 400,
        relayed,
    };
    let line = |name, line: String, answers| Attempt {
        name,
        bytes: format!("{line}\r\nhost: edge.example\r\n{close}\r\nsealed").into_bytes(),
        answers,
        ours: 400,
        relayed: 0,
    };
    let mut all = vec![
        with("a bare carriage return", "x-a: b\rx-c: canary\r\n", REFUSED, 0),
        with("a nul in a value", "x-a: b\0canary\r\n", REFUSED, 0),
        with("a nul in a name", "x\0a: canary\r\n", REFUSED, 0),
        with("a line without a colon", "canary\r\n", REFUSED, 0),
        with("a nameless line", ": canary\r\n", REFUSED, 0),
        with("two hosts", "host: cell.internal\r\n", EITHER, 1),
        with("many headers", &"x-a: canary\r\n".repeat(500), EITHER, 1).but(431),
        with("a long header", &format!("x-a: canary-{}\r\n", "a".repeat(100_000)), EITHER, 1).but(431),
        with("a wish to be asked first", "expect: 100-continue\r\n", EITHER, 1).but(200),
        with(
            "a wish for another protocol",
            "upgrade: h2c, websocket\r\nhttp2-settings: AAMAAABk\r\n",
            EITHER,
            1,
        )
        .but(200),
        with("our own header named for one hop", "connection: content-type, host\r\n", EITHER, 1).but(200),
        with("another method in a header", "x-http-method-override: DELETE\r\n", EITHER, 1).but(200),
        with("another path in a header", "x-original-url: /admin\r\nx-rewrite-url: /admin\r\n", EITHER, 1)
            .but(200),
        line("a method in small letters", format!("post {route} HTTP/1.1"), REFUSED).but(405),
        line("a read of the sealed route", format!("GET {route} HTTP/1.1"), REFUSED).but(405),
        line("no version", format!("POST {route}"), REFUSED),
        line("a version of the future", format!("POST {route} HTTP/3.0"), REFUSED),
        line("a space in the path", format!("POST {route} x HTTP/1.1"), REFUSED),
        line("a nul in the path", format!("POST {route}\0 HTTP/1.1"), REFUSED),
        line("a tab for a space", format!("POST\t{route}\tHTTP/1.1"), REFUSED),
    ];
    let bare =
        format!("POST {route} HTTP/1.1\nhost: edge.example\nconnection: close\ncontent-length: 6\n\nsealed");
    all.push(Attempt {
        name: "bare line feeds",
        bytes: bare.into_bytes(),
        answers: EITHER,
        ours: 400,
        relayed: 1,
    });
    let old = format!(
        "POST {route} HTTP/1.0\r\nhost: edge.example\r\ntransfer-encoding: chunked\r\n\r\n6\r\nsealed\r\n0\r\n\r\n"
    );
    all.push(Attempt {
        name: "chunks of an old version",
        bytes: old.into_bytes(),
        answers: EITHER,
        ours: 400,
        relayed: 1,
    });
    let preface = b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n\0\0\0\x04\0\0\0\0\0".to_vec();
    all.push(Attempt {
        name: "another protocol's greeting",
        bytes: preface,
        answers: EITHER,
        ours: NOTHING,
        relayed: 0,
    });
    all
}
