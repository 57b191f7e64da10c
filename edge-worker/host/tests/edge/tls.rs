//! TLS towards shoppers and towards cells.

use std::net::SocketAddr;
use std::sync::Arc;
use std::time::Duration;

use bytes::Bytes;
use domicile_edge::{CellTls, Drained, Settings};
use http::{Method, Request, Version};
use http_body_util::{BodyExt, Full};
use hyper::client::conn::{http1, http2};
use hyper_util::rt::{TokioExecutor, TokioIo};
use tokio::net::TcpStream;
use tokio::sync::Notify;
use tokio::task::JoinSet;
use tokio_rustls::TlsConnector;
use tokio_rustls::client::TlsStream;
use tokio_rustls::rustls::ClientConfig;
use tokio_rustls::rustls::version::{TLS12, TLS13};

use crate::admin::soon;
use crate::cell::{Cell, Does};
use crate::certificates::Signer;
use crate::client::{closed, get, opened, send};
use crate::fixture::{Artefact, LIST, SHELF, sealed};
use crate::host::{Host, any_port, settings};

pub(crate) async fn handshake(to: SocketAddr, config: ClientConfig) -> std::io::Result<TlsStream<TcpStream>> {
    let stream = TcpStream::connect(to).await.unwrap();
    TlsConnector::from(Arc::new(config)).connect("edge.example".try_into().unwrap(), stream).await
}

/// Speaks HTTP/2 until it is dropped.
async fn framed(
    to: SocketAddr,
    signer: &Signer,
) -> (http2::SendRequest<Full<Bytes>>, JoinSet<hyper::Result<()>>) {
    let stream = handshake(to, signer.caller(&["h2"], &[&TLS13])).await.unwrap();
    assert_eq!(stream.get_ref().1.alpn_protocol(), Some(&b"h2"[..]));
    let (sender, connection) = http2::handshake(TokioExecutor::new(), TokioIo::new(stream)).await.unwrap();
    let mut running = JoinSet::new();
    running.spawn(connection);
    (sender, running)
}

fn request(method: Method, path: &str, body: &'static [u8]) -> Request<Full<Bytes>> {
    let uri = format!("https://edge.example{path}");
    Request::builder().method(method).uri(uri).body(Full::new(Bytes::from_static(body))).unwrap()
}

async fn https(change: impl FnOnce(&mut Settings)) -> (Artefact, Signer, Host) {
    let (artefact, signer) = (Artefact::listing("milk"), Signer::new());
    let mut settings = settings(&artefact.path(), &[]);
    settings.tls = Some(signer.identity("edge.example"));
    change(&mut settings);
    let host = Host::start(settings).await;
    (artefact, signer, host)
}

#[tokio::test]
async fn both_versions_of_tls_and_of_http_are_spoken() {
    let (_artefact, signer, host) = https(|_| {}).await;
    for versions in [[&TLS12], [&TLS13]] {
        let stream = handshake(host.address, signer.caller(&["http/1.1"], &versions)).await.unwrap();
        let (mut sender, connection) = http1::handshake(TokioIo::new(stream)).await.unwrap();
        let mut running = JoinSet::new();
        running.spawn(connection);
        let mut asked = request(Method::GET, "", b"");
        *asked.uri_mut() = SHELF.parse().unwrap();
        asked.headers_mut().insert("host", "edge.example".parse().unwrap());
        let answer = sender.send_request(asked).await.unwrap();
        assert_eq!((answer.version(), answer.status().as_u16()), (Version::HTTP_11, 200));
    }
    let (mut sender, _running) = framed(host.address, &signer).await;
    for _ in 0..3 {
        let answer = sender.send_request(request(Method::GET, SHELF, b"")).await.unwrap();
        assert_eq!((answer.version(), answer.status().as_u16()), (Version::HTTP_2, 200));
        assert_eq!(answer.into_body().collect().await.unwrap().to_bytes(), LIST);
    }
    host.stop().await;
}

#[tokio::test]
async fn what_is_no_handshake_ends_and_the_next_is_served() {
    let (_artefact, signer, host) = https(|settings| settings.admin = any_port()).await;
    let plain = format!("GET {SHELF} HTTP/1.1\r\nhost: edge\r\n\r\n");
    assert!(!closed(opened(host.address, plain.as_bytes()).await).await.contains("200"));
    assert!(handshake(host.address, Signer::new().caller(&["h2"], &[&TLS13])).await.is_err());
    let (mut sender, _running) = framed(host.address, &signer).await;
    assert_eq!(sender.send_request(request(Method::GET, SHELF, b"")).await.unwrap().status().as_u16(), 200);
    let metrics = get(host.admin.unwrap(), "/metrics").await;
    assert!(metrics.text().contains("domicile_edge_handshake_failures_total 2\n"), "{}", metrics.text());
    host.stop().await;
}

#[tokio::test]
async fn headers_over_the_cap_end_no_more_than_their_stream() {
    let (_artefact, signer, host) = https(|_| {}).await;
    let (mut sender, _running) = framed(host.address, &signer).await;
    let mut large = request(Method::GET, SHELF, b"");
    large.headers_mut().insert("x", "x".repeat(17 * 1024).parse().unwrap());
    let refused = sender.send_request(large).await;
    assert!(refused.map_or(true, |answer| answer.status().as_u16() == 431));
    assert_eq!(sender.send_request(request(Method::GET, SHELF, b"")).await.unwrap().status().as_u16(), 200);
    host.stop().await;
}

#[tokio::test]
async fn a_drain_says_goodbye_and_finishes_what_is_open() {
    let told = Arc::new(Notify::new());
    let cell = Cell::start(Does::Waits(Arc::clone(&told))).await;
    let (artefact, signer) = (Artefact::relay(cell.address), Signer::new());
    let mut settings = settings(&artefact.path(), &[cell.address]);
    settings.tls = Some(signer.identity("edge.example"));
    settings.clocks.drain = Duration::from_secs(60);
    let host = Host::start(settings).await;
    let (mut sender, _running) = framed(host.address, &signer).await;
    let open = sender.send_request(request(Method::POST, &sealed(), b"sealed"));
    let stopping = async {
        cell.arrived().await;
        let address = host.address;
        let stopped = host.stop();
        let telling = async {
            soon("the listener to close", async {
                while TcpStream::connect(address).await.is_ok() {
                    tokio::task::yield_now().await;
                }
            })
            .await;
            told.notify_one();
        };
        tokio::join!(stopped, telling).0
    };
    let (answer, drained) =
        tokio::join!(async { open.await.unwrap().into_body().collect().await.unwrap().to_bytes() }, stopping);
    assert_eq!((answer, drained), (Bytes::from_static(b"late"), Drained::Clean));
}

#[tokio::test]
async fn a_reload_shows_the_new_certificate() {
    let (signer, other) = (Signer::new(), Signer::new());
    let shown = signer.identity("edge.example");
    let (_artefact, _, host) = https(|settings| settings.tls = Some(shown.clone())).await;
    assert!(handshake(host.address, signer.caller(&[], &[&TLS13])).await.is_ok());
    let next = other.identity("edge.example");
    std::fs::copy(&next.certificates, &shown.certificates).unwrap();
    std::fs::copy(&next.key, &shown.key).unwrap();
    host.reload.reload().await.unwrap();
    assert!(handshake(host.address, other.caller(&[], &[&TLS13])).await.is_ok());
    assert!(handshake(host.address, signer.caller(&[], &[&TLS13])).await.is_err());
    host.stop().await;
}

/// A cell that wants a certificate, and an edge in front of it.
async fn mutual(change: impl FnOnce(&mut CellTls)) -> (Cell, Artefact, Host) {
    let signer = Signer::new();
    let cell =
        Cell::start_tls(Does::Answers(200, b"opened".to_vec()), signer.cell(&signer.identity("localhost")))
            .await;
    let authority = format!("localhost:{}", cell.address.port());
    let artefact = Artefact::relay_tls(&authority);
    let mut settings = settings(&artefact.path(), &[]);
    settings.outbound = vec![format!("https://{authority}").parse().unwrap()];
    settings.cell_tls =
        CellTls { authorities: Some(signer.file.clone()), identity: Some(signer.identity("edge")) };
    change(&mut settings.cell_tls);
    let host = Host::start(settings).await;
    (cell, artefact, host)
}

#[tokio::test]
async fn a_cell_and_an_edge_that_know_each_other_speak() {
    let (cell, _artefact, host) = mutual(|_| {}).await;
    for _ in 0..3 {
        assert_eq!(send(host.address, Method::POST, &sealed(), &[], b"sealed").await.text(), "opened");
    }
    assert_eq!((cell.seen().len(), cell.connections()), (3, 1));
    assert_eq!(cell.seen()[0].names(), ["content-length", "content-type", "host"]);
    host.stop().await;
}

#[tokio::test]
async fn strangers_get_the_list() {
    type Change = fn(&mut CellTls);
    let cases: [Change; 3] = [
        |tls| tls.identity = None,
        |tls| tls.identity = Some(Signer::new().identity("edge")),
        |tls| tls.authorities = Some(Signer::new().file),
    ];
    for change in cases {
        let (cell, _artefact, host) = mutual(change).await;
        let answer = send(host.address, Method::POST, &sealed(), &[], b"sealed").await;
        assert_eq!(answer.header("domicile-outcome"), Some("fallback; reason=cell-failed"));
        assert_eq!(cell.seen().len(), 0);
        host.stop().await;
    }
}

#[tokio::test]
async fn a_cell_of_another_name_gets_nothing() {
    let signer = Signer::new();
    let cell = Cell::start_tls(
        Does::Answers(200, b"opened".to_vec()),
        signer.cell(&signer.identity("other.example")),
    )
    .await;
    let authority = format!("localhost:{}", cell.address.port());
    let artefact = Artefact::relay_tls(&authority);
    let mut settings = settings(&artefact.path(), &[]);
    settings.outbound = vec![format!("https://{authority}").parse().unwrap()];
    settings.cell_tls =
        CellTls { authorities: Some(signer.file.clone()), identity: Some(signer.identity("edge")) };
    let host = Host::start(settings).await;
    let answer = send(host.address, Method::POST, &sealed(), &[], b"sealed").await;
    assert_eq!(answer.header("domicile-outcome"), Some("fallback; reason=cell-failed"));
    assert_eq!(cell.seen().len(), 0);
    host.stop().await;
}
