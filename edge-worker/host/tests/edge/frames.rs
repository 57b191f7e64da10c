//! HTTP/2 callers that use its frames against it. Frames are written by hand: no client library would.

use std::time::Duration;

use domicile_edge::Settings;
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::TcpStream;
use tokio_rustls::TlsConnector;
use tokio_rustls::client::TlsStream;
use tokio_rustls::rustls::version::TLS13;

use crate::admin::soon;
use crate::certificates::Signer;
use crate::client::get;
use crate::fixture::Artefact;
use crate::host::{Host, any_port, settings};

const PREFACE: &[u8] = b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n";
/// `:method: GET`, `:scheme: https`, `:path: /v1/shelf/de-DE/home`, `:authority: a` (RFC 7541, literals unindexed).
const GET_SHELF: &[u8] = b"\x82\x87\x04\x14/v1/shelf/de-DE/home\x01\x01a";
const HEADERS: u8 = 1;
const RST_STREAM: u8 = 3;
const SETTINGS: u8 = 4;
const GOAWAY: u8 = 7;
/// A request without a body, in one frame.
const WHOLE: u8 = 0x5;

fn frame(kind: u8, flags: u8, stream: u32, payload: &[u8]) -> Vec<u8> {
    let length = u32::try_from(payload.len()).unwrap().to_be_bytes();
    [&length[1..], &[kind, flags], &stream.to_be_bytes(), payload].concat()
}

async fn framed(host: &Host, signer: &Signer) -> TlsStream<TcpStream> {
    let stream = TcpStream::connect(host.address).await.unwrap();
    let config = signer.caller(&["h2"], &[&TLS13]);
    TlsConnector::from(std::sync::Arc::new(config))
        .connect("edge.example".try_into().unwrap(), stream)
        .await
        .unwrap()
}

/// The error code for a peer that asks for too much (RFC 9113, section 7).
const ENHANCE_YOUR_CALM: u32 = 11;

async fn https(change: fn(&mut Settings)) -> (Artefact, Signer, Host) {
    let (artefact, signer) = (Artefact::listing("milk"), Signer::new());
    let mut settings = settings(&artefact.path(), &[]);
    settings.tls = Some(signer.identity("edge.example"));
    settings.admin = any_port();
    change(&mut settings);
    let host = Host::start(settings).await;
    (artefact, signer, host)
}

/// Everything until the other side closes.
async fn rest(mut stream: TlsStream<TcpStream>) -> Vec<u8> {
    let mut said = Vec::new();
    drop(stream.read_to_end(&mut said).await);
    said
}

/// The kinds of the frames in what was said.
fn kinds(mut said: &[u8]) -> Vec<u8> {
    let mut kinds = Vec::new();
    while let [a, b, c, kind, ..] = *said {
        kinds.push(kind);
        let length = u32::from_be_bytes([0, a, b, c]) as usize + 9;
        said = said.get(length..).unwrap_or_default();
    }
    kinds
}

/// The error code of the last GOAWAY in what was said (RFC 9113, section 6.8).
fn farewell(mut said: &[u8]) -> Option<u32> {
    let mut code = None;
    while let [a, b, c, kind, ..] = *said {
        let length = u32::from_be_bytes([0, a, b, c]) as usize + 9;
        if kind == GOAWAY {
            code = said.get(13..17).and_then(|code| Some(u32::from_be_bytes(code.try_into().ok()?)));
        }
        said = said.get(length..).unwrap_or_default();
    }
    code
}

#[tokio::test]
async fn a_flood_of_resets_ends_its_connection_only() {
    let (_artefact, signer, host) = https(|_| {}).await;
    let mut flood = [PREFACE, &frame(SETTINGS, 0, 0, b"")].concat();
    for stream in (1..2_000).step_by(2) {
        flood.extend(frame(HEADERS, WHOLE, stream, GET_SHELF));
        flood.extend(frame(RST_STREAM, 0, stream, &[0, 0, 0, 8]));
    }
    let mut stream = framed(&host, &signer).await;
    // It may be closed while this is written.
    drop(stream.write_all(&flood).await);
    // A farewell for another reason, such as the end of an unused connection, is not what is meant.
    assert_eq!(farewell(&rest(stream).await), Some(ENHANCE_YOUR_CALM));

    let mut next = framed(&host, &signer).await;
    let one = [PREFACE, &frame(SETTINGS, 0, 0, b""), &frame(HEADERS, WHOLE, 1, GET_SHELF)].concat();
    next.write_all(&one).await.unwrap();
    let mut said = Vec::new();
    while !kinds(&said).contains(&HEADERS) {
        assert_ne!(next.read_buf(&mut said).await.unwrap(), 0, "{said:?}");
    }
    drop(next);
    host.stop().await;
}

/// A caller that grants no window keeps its answer, and so its seat, as long as it likes: nothing asks for the next
/// piece of the answer, so nothing looks at its deadline.
#[tokio::test]
async fn a_caller_that_takes_no_byte_of_its_answer_is_cut() {
    let (_artefact, signer, host) = https(|settings| {
        settings.limits.in_flight = 1;
        settings.clocks.body = Duration::from_millis(100);
        settings.clocks.request = Duration::from_millis(200);
    })
    .await;
    let no_window = frame(SETTINGS, 0, 0, &[0, 4, 0, 0, 0, 0]);
    let ask = [PREFACE, &no_window, &frame(HEADERS, WHOLE, 1, GET_SHELF)].concat();
    let mut stream = framed(&host, &signer).await;
    stream.write_all(&ask).await.unwrap();
    assert!(kinds(&rest(stream).await).contains(&HEADERS), "the head of the answer came");
    // The seat is free a thread switch later.
    let counted = async || get(host.admin.unwrap(), "/metrics").await.text().to_owned();
    soon("the seat to be free", async {
        while !counted().await.contains("domicile_edge_in_flight 0\n") {
            tokio::task::yield_now().await;
        }
    })
    .await;
    assert!(counted().await.contains("domicile_edge_connections_cut_total 1\n"));
    host.stop().await;
}
