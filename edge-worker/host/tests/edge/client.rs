//! A caller that sends what it is told and keeps what it gets.

use std::net::SocketAddr;

use bytes::Bytes;
use http::{HeaderMap, Method, Request, StatusCode};
use http_body_util::{BodyExt, Collected, Full};
use hyper::body::Incoming;
use hyper::client::conn::http1::handshake;
use hyper_util::rt::TokioIo;
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::TcpStream;
use tokio::task::JoinSet;

/// An answer. `body` is `None` when it broke off.
#[derive(Debug)]
pub(crate) struct Answer {
    pub(crate) status: StatusCode,
    pub(crate) headers: HeaderMap,
    pub(crate) body: Option<Bytes>,
}

impl Answer {
    pub(crate) fn header(&self, name: &str) -> Option<&str> {
        self.headers.get(name).map(|value| value.to_str().unwrap())
    }

    pub(crate) fn text(&self) -> &str {
        std::str::from_utf8(self.body.as_deref().expect("a whole body")).unwrap()
    }
}

/// An answer whose head has come.
pub(crate) struct Begun {
    status: StatusCode,
    headers: HeaderMap,
    body: Incoming,
    _connection: JoinSet<hyper::Result<()>>,
}

impl Begun {
    pub(crate) async fn finish(self) -> Answer {
        let body = self.body.collect().await.ok().map(Collected::to_bytes);
        Answer { status: self.status, headers: self.headers, body }
    }
}

/// Sends one request over a connection of its own and waits for the head of the answer.
pub(crate) async fn begin(
    to: SocketAddr,
    method: Method,
    path: &str,
    headers: &[(&str, &str)],
    body: &[u8],
) -> Begun {
    let stream = TcpStream::connect(to).await.unwrap();
    let (mut sender, connection) = handshake(TokioIo::new(stream)).await.unwrap();
    let mut running = JoinSet::new();
    running.spawn(connection);
    let mut request = Request::builder().method(method).uri(path).header("host", to.to_string());
    for (name, value) in headers {
        request = request.header(*name, *value);
    }
    let request = request.body(Full::new(Bytes::copy_from_slice(body))).unwrap();
    let (parts, body) = sender.send_request(request).await.unwrap().into_parts();
    Begun { status: parts.status, headers: parts.headers, body, _connection: running }
}

/// Sends one request and waits for the whole answer.
pub(crate) async fn send(
    to: SocketAddr,
    method: Method,
    path: &str,
    headers: &[(&str, &str)],
    body: &[u8],
) -> Answer {
    begin(to, method, path, headers, body).await.finish().await
}

/// A GET without headers.
pub(crate) async fn get(to: SocketAddr, path: &str) -> Answer {
    send(to, Method::GET, path, &[], b"").await
}

/// Sends bytes as they are and reads until the other side closes.
pub(crate) async fn raw(to: SocketAddr, bytes: &[u8]) -> String {
    let mut stream = TcpStream::connect(to).await.unwrap();
    stream.write_all(bytes).await.unwrap();
    let mut answer = Vec::new();
    // A reset after the answer is an end as well.
    drop(stream.read_to_end(&mut answer).await);
    String::from_utf8_lossy(&answer).into_owned()
}

/// Sends bytes as they are, says that no more will come, and reads until the other side closes.
pub(crate) async fn raw_then_end(to: SocketAddr, bytes: &[u8]) -> String {
    let mut stream = TcpStream::connect(to).await.unwrap();
    stream.write_all(bytes).await.unwrap();
    stream.shutdown().await.unwrap();
    let mut answer = Vec::new();
    drop(stream.read_to_end(&mut answer).await);
    String::from_utf8_lossy(&answer).into_owned()
}

/// A connection that was opened and has sent this much.
pub(crate) async fn opened(to: SocketAddr, bytes: &[u8]) -> TcpStream {
    let mut stream = TcpStream::connect(to).await.unwrap();
    stream.write_all(bytes).await.unwrap();
    stream
}

/// Waits until the other side has closed it; what came before.
pub(crate) async fn closed(mut stream: TcpStream) -> String {
    let mut answer = Vec::new();
    drop(stream.read_to_end(&mut answer).await);
    String::from_utf8_lossy(&answer).into_owned()
}
