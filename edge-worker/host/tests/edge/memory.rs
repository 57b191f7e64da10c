//! Canaries over HTTP/2, looked for in everything that the program hands on, writes down, or lets its guest have.

use bytes::Bytes;
use domicile_cluster::memory::{Memory, holds};
use http::{HeaderMap, Method, Request, Response};
use http_body_util::{BodyExt, Full};
use hyper::client::conn::http2;
use hyper_util::rt::{TokioExecutor, TokioIo};
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::TcpStream;
use tokio::task::JoinSet;
use tokio_rustls::client::TlsStream;
use tokio_rustls::rustls::version::TLS13;

use crate::cell::{Cell, Does};
use crate::certificates::Signer;
use crate::client::{get, send};
use crate::fixture::{Artefact, LIST, SHELF, sealed};
use crate::process::Running;
use crate::tls::handshake;

const HEADERS: [&str; 12] = [
    "cookie",
    "authorization",
    "referer",
    "user-agent",
    "x-forwarded-for",
    "forwarded",
    "traceparent",
    "tracestate",
    "baggage",
    "accept-language",
    "content-type",
    "x-anything",
];
/// Nothing of these may be in a linear memory: what a shopper seals, and what a cell does.
const BODY: &str = "sealed-canary-body";
const ANSWER: &str = "sealed-canary-answer";

fn canary(place: &str) -> String {
    format!("canary-{place}-7d1e")
}

/// Many times over: what a guest has freed, its allocator writes into, but not all over.
fn long(place: &str) -> String {
    canary(place).repeat(8)
}

/// A request with a canary in each header and in its trailer.
fn request(path: &str) -> Request<http_body_util::combinators::BoxBody<Bytes, std::convert::Infallible>> {
    let trailers =
        HeaderMap::from_iter([(http::HeaderName::from_static("x-end"), long("trailer").parse().unwrap())]);
    let body = Full::new(Bytes::from_static(BODY.as_bytes())).with_trailers(async { Some(Ok(trailers)) });
    let mut request = Request::builder().method(Method::POST).uri(format!("https://edge.example{path}"));
    for name in HEADERS {
        request = request.header(name, long(name));
    }
    request.body(body.boxed()).unwrap()
}

/// A request over a connection that stays open, and the beginning of another: the program has read both once the first
/// is answered.
async fn held(mut stream: TlsStream<TcpStream>, name: &str, value: &str) -> TlsStream<TcpStream> {
    let head = format!("GET {SHELF} HTTP/1.1\r\nhost: edge.example\r\n");
    stream.write_all(format!("{head}\r\n{head}{name}: {value}\r\n").as_bytes()).await.unwrap();
    let mut said = Vec::new();
    while !holds(&said, LIST) {
        assert_ne!(stream.read_buf(&mut said).await.unwrap(), 0, "{}", String::from_utf8_lossy(&said));
    }
    stream
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn over_http2_no_canary_reaches_a_cell_a_log_a_metric_or_a_guests_memory() {
    let cell = Cell::start(Does::Answers(200, ANSWER.as_bytes().to_vec())).await;
    let (artefact, signer, admin) = (Artefact::relay(cell.address), Signer::new(), Cell::down().await);
    let shown = signer.identity("edge.example");
    let (certificates, key) = (shown.certificates.to_str().unwrap(), shown.key.to_str().unwrap());
    let arguments = ["--tls-cert", certificates, "--tls-key", key, "--strip", "off", "--keep-shelves", "off"];
    let (admin_text, cell_text) = (admin.to_string(), cell.address.to_string());
    let more = ["--log-level", "debug", "--instance-idle-ms", "600000", "--lame-duck-ms", "0"];
    let places = ["--admin", &admin_text, "--allow-outbound", &cell_text];
    let running = Running::start(&artefact.path(), &[&arguments[..], &more, &places].concat());

    let stream = handshake(running.address, signer.caller(&["http/1.1"], &[&TLS13])).await.unwrap();
    let open = held(stream, "cookie", &canary("held")).await;

    let stream = handshake(running.address, signer.caller(&["h2"], &[&TLS13])).await.unwrap();
    let (mut sender, connection) =
        http2::handshake(TokioExecutor::new(), TokioIo::new(stream)).await.unwrap();
    let mut driving = JoinSet::new();
    driving.spawn(connection);
    let mut ask = async |path: String| {
        let (parts, body) = sender.send_request(request(&path)).await.unwrap().into_parts();
        Response::from_parts(parts, body.collect().await.unwrap())
    };
    for _ in 0..3 {
        let answer = ask(sealed()).await;
        assert_eq!(answer.headers().get("domicile-outcome").unwrap(), "relayed");
        assert!(!format!("{:?}", answer.headers()).contains("canary"), "{answer:?}");
        assert!(answer.body().trailers().is_none());
        assert_eq!(answer.into_body().to_bytes(), ANSWER);
    }
    let made_up = sealed().replace("/v1/sealed/", &format!("/v1/sealed/{}", canary("path")));
    let refused = ask(format!("{made_up}?{}", canary("query"))).await;
    assert!(refused.status().is_client_error(), "{refused:?}");

    let memory = Memory::of(running.id()).unwrap();
    let in_a_guest = |text: &str| memory.linear.iter().any(|bytes| holds(bytes, text));
    assert!(in_a_guest(&canary("path")) && in_a_guest(&canary("query")), "nothing was searched");
    assert!(memory.is_elsewhere(&canary("held")).unwrap(), "the host's own memory was not searched");
    let never = HEADERS.map(canary).into_iter().chain([canary("trailer"), canary("held")]);
    for text in never.chain([BODY.to_owned(), ANSWER.to_owned()]) {
        assert!(!in_a_guest(&text), "{text} is in a guest's linear memory");
    }

    let seen = cell.seen();
    assert_eq!(seen.len(), 3);
    for seen in seen {
        assert_eq!(seen.names(), ["content-length", "content-type", "host"]);
        assert_eq!(seen.body, BODY.as_bytes());
        assert!(!format!("{seen:?}").contains("canary-"), "{seen:?}");
    }
    let metrics = get(admin, "/metrics").await;
    assert!(metrics.text().contains("domicile_edge_requests_total") && !metrics.text().contains("canary"));
    drop((driving, open));
    running.signal("TERM");
    let (code, log) = running.end();
    assert_eq!(code, Some(0), "{log}");
    assert!(log.contains("/v1/sealed") && !log.contains("canary") && !log.contains("edge.example"), "{log}");
}

/// That the search would find a header: the same with a relay that reads one.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_header_that_a_guest_reads_is_found_in_its_memory() {
    let artefact = Artefact::reading_a_header();
    let more = ["--strip", "off", "--keep-shelves", "off", "--instance-idle-ms", "600000"];
    let running = Running::start(&artefact.path(), &more);
    let (cookie, referer) = (canary("cookie"), canary("referer"));
    let (long_cookie, long_referer) = (long("cookie"), long("referer"));
    let headers = [("cookie", long_cookie.as_str()), ("referer", &long_referer)];
    let answer = send(running.address, Method::GET, SHELF, &headers, b"").await;
    let memory = Memory::of(running.id()).unwrap();
    let in_a_guest = |text: &str| memory.linear.iter().any(|bytes| holds(bytes, text));
    assert!(in_a_guest(&cookie), "the guest read the header and answered {answer:?}");
    assert!(!in_a_guest(&referer));
    running.signal("TERM");
    assert_eq!(running.end().0, Some(0));
}
