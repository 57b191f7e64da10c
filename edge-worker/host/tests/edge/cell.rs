//! A cell that does what a test tells it to, down to the byte.

use std::net::SocketAddr;
use std::sync::{Arc, Mutex};
use std::time::Duration;

use tokio::io::{AsyncRead, AsyncReadExt, AsyncWrite, AsyncWriteExt};
use tokio::net::TcpListener;
use tokio::sync::Notify;
use tokio::task::JoinSet;
use tokio_rustls::TlsAcceptor;
use tokio_rustls::rustls::ServerConfig;

/// What a cell does with each request.
#[derive(Debug, Clone)]
pub(crate) enum Does {
    /// Answers with this status and body.
    Answers(u16, Vec<u8>),
    /// Answers once it is told to.
    Waits(Arc<Notify>),
    /// Never answers.
    Hangs,
    /// Promises ten bytes, sends five, closes.
    ClosesMidBody,
    /// Promises a thousand bytes, sends one and then nothing.
    Stalls,
    /// Answers with these bytes as they are, and closes.
    Says(&'static [u8]),
    /// Sends this many interim heads, then an answer.
    Hints(usize),
    /// Sends interim heads without end.
    HintsForEver,
    /// Sends a byte every so often, for ever.
    Drips(Duration),
}

/// One request as it arrived.
#[derive(Debug, Clone)]
pub(crate) struct Seen {
    pub(crate) line: String,
    pub(crate) headers: Vec<(String, String)>,
    pub(crate) body: Vec<u8>,
}

impl Seen {
    /// Header names, sorted.
    pub(crate) fn names(&self) -> Vec<&str> {
        let mut names: Vec<_> = self.headers.iter().map(|(name, _)| name.as_str()).collect();
        names.sort_unstable();
        names
    }
}

/// A running cell; it ends when dropped.
pub(crate) struct Cell {
    pub(crate) address: SocketAddr,
    log: Arc<Log>,
    _serving: JoinSet<()>,
}

#[derive(Default)]
struct Log {
    seen: Mutex<Vec<Seen>>,
    connections: Mutex<usize>,
    arrived: Notify,
}

impl Cell {
    pub(crate) async fn start(does: Does) -> Self {
        Self::listen(does, None).await
    }

    async fn listen(does: Does, tls: Option<TlsAcceptor>) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let address = listener.local_addr().unwrap();
        let log = Arc::<Log>::default();
        let mut serving = JoinSet::new();
        let shared = Arc::clone(&log);
        serving.spawn(async move {
            let mut open = JoinSet::new();
            while let Ok((stream, _)) = listener.accept().await {
                *shared.connections.lock().unwrap() += 1;
                stream.set_nodelay(true).unwrap();
                let (does, shared, tls) = (does.clone(), Arc::clone(&shared), tls.clone());
                open.spawn(async move {
                    match tls {
                        None => serve(stream, does, shared).await,
                        Some(tls) => {
                            if let Ok(stream) = tls.accept(stream).await {
                                serve(stream, does, shared).await;
                            }
                        }
                    }
                });
            }
        });
        Self { address, log, _serving: serving }
    }

    /// One that speaks TLS.
    pub(crate) async fn start_tls(does: Does, config: Arc<ServerConfig>) -> Self {
        Self::listen(does, Some(TlsAcceptor::from(config))).await
    }

    /// An address where nobody listens.
    pub(crate) async fn down() -> SocketAddr {
        TcpListener::bind("127.0.0.1:0").await.unwrap().local_addr().unwrap()
    }

    pub(crate) fn seen(&self) -> Vec<Seen> {
        self.log.seen.lock().unwrap().clone()
    }

    pub(crate) fn connections(&self) -> usize {
        *self.log.connections.lock().unwrap()
    }

    /// Waits until a request has arrived.
    pub(crate) async fn arrived(&self) {
        self.log.arrived.notified().await;
    }
}

trait Stream: AsyncRead + AsyncWrite + Send + Unpin {}

impl<S: AsyncRead + AsyncWrite + Send + Unpin> Stream for S {}

async fn serve(mut stream: impl Stream, does: Does, log: Arc<Log>) {
    let mut buffer = Vec::new();
    while let Some(seen) = read(&mut stream, &mut buffer).await {
        log.seen.lock().unwrap().push(seen);
        log.arrived.notify_one();
        if answer(&mut stream, &does).await.is_none() {
            return;
        }
    }
}

async fn answer(stream: &mut impl Stream, does: &Does) -> Option<()> {
    match does {
        Does::Answers(status, body) => whole(stream, *status, body).await,
        Does::Waits(told) => {
            told.notified().await;
            whole(stream, 200, b"late").await
        }
        Does::Hangs => std::future::pending().await,
        Does::ClosesMidBody => {
            stream.write_all(b"HTTP/1.1 200 OK\r\ncontent-length: 10\r\n\r\nhello").await.ok()?;
            None
        }
        Does::Says(bytes) => {
            stream.write_all(bytes).await.ok()?;
            None
        }
        Does::Hints(count) => {
            stream.write_all(&HINT.repeat(*count)).await.ok()?;
            whole(stream, 200, b"opened").await
        }
        Does::HintsForEver => loop {
            stream.write_all(&HINT.repeat(64)).await.ok()?;
        },
        Does::Stalls => {
            stream.write_all(b"HTTP/1.1 200 OK\r\ncontent-length: 1000\r\n\r\nh").await.ok()?;
            std::future::pending().await
        }
        Does::Drips(pause) => {
            stream.write_all(b"HTTP/1.1 200 OK\r\ncontent-length: 100000\r\n\r\n").await.ok()?;
            loop {
                stream.write_all(b"h").await.ok()?;
                tokio::time::sleep(*pause).await;
            }
        }
    }
}

const HINT: &[u8] = b"HTTP/1.1 103 Early Hints\r\nlink: </canary>; rel=preload\r\n\r\n";

async fn whole(stream: &mut impl Stream, status: u16, body: &[u8]) -> Option<()> {
    let head = format!(
        "HTTP/1.1 {status} Told\r\ncontent-length: {}\r\nset-cookie: canary\r\nx-rung: canary\r\n\r\n",
        body.len()
    );
    stream.write_all(head.as_bytes()).await.ok()?;
    stream.write_all(body).await.ok()
}

async fn read(stream: &mut impl Stream, buffer: &mut Vec<u8>) -> Option<Seen> {
    let end = loop {
        if let Some(end) = buffer.windows(4).position(|window| window == b"\r\n\r\n") {
            break end;
        }
        if stream.read_buf(buffer).await.ok()? == 0 {
            return None;
        }
    };
    let head = String::from_utf8(buffer[..end].to_vec()).unwrap();
    buffer.drain(..end + 4);
    let mut lines = head.split("\r\n");
    let line = lines.next()?.to_owned();
    let headers: Vec<(String, String)> = lines
        .filter_map(|line| line.split_once(": "))
        .map(|(name, value)| (name.to_ascii_lowercase(), value.to_owned()))
        .collect();
    let length = headers
        .iter()
        .find(|(name, _)| name == "content-length")
        .map_or(0, |(_, value)| value.parse().unwrap());
    while buffer.len() < length {
        if stream.read_buf(buffer).await.ok()? == 0 {
            return None;
        }
    }
    let body = buffer.drain(..length).collect();
    Some(Seen { line, headers, body })
}
