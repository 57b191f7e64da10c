//! The load: so many connections, each with one request under way.

use std::net::SocketAddr;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::time::Duration;

use anyhow::Context as _;
use bytes::Bytes;
use http::response::Parts;
use http_body_util::{BodyExt as _, Full};
use hyper::client::conn::http1::{SendRequest, handshake};
use hyper::{Method, Request, StatusCode};
use hyper_util::rt::TokioIo;
use tokio::net::TcpStream;
use tokio::task::JoinSet;

use domicile_cluster::report;

/// Longer than any clock of the edge: past it, a request counts as lost.
const PATIENCE: Duration = Duration::from_secs(10);

/// What is asked, and what the answer's `Domicile-Outcome` has to be (empty: there must be none).
#[derive(Debug, Clone)]
pub(crate) struct Ask {
    pub(crate) method: Method,
    pub(crate) path: String,
    pub(crate) body: Bytes,
    pub(crate) outcome: &'static str,
    /// The content type, where one is to be sent.
    pub(crate) media: Option<&'static str>,
}

impl Ask {
    pub(crate) fn get(path: impl Into<String>, outcome: &'static str) -> Self {
        Self { method: Method::GET, path: path.into(), body: Bytes::new(), outcome, media: None }
    }

    pub(crate) fn post(path: impl Into<String>, outcome: &'static str) -> Self {
        let body = Bytes::from_static(&[b'q'; crate::cell::SIZE]);
        Self { method: Method::POST, path: path.into(), body, outcome, media: None }
    }
}

/// When a load ends.
#[derive(Clone)]
pub(crate) enum Until {
    /// After so many requests.
    Requests(usize),
    /// When it is told to.
    Told(Arc<AtomicBool>),
}

/// What came of it.
#[derive(Debug, Default)]
pub(crate) struct Tally {
    /// Latency of each request that was answered rightly, in nanoseconds, sorted.
    pub(crate) nanos: Vec<u64>,
    /// Requests without an answer, or with another one than they should have.
    pub(crate) lost: usize,
    /// What was wrong with one of them.
    pub(crate) complaint: Option<String>,
    /// How long all of it took.
    pub(crate) elapsed: Duration,
}

impl Tally {
    /// Answers a second.
    pub(crate) fn rate(&self) -> f64 {
        f64::from(u32::try_from(self.nanos.len()).unwrap_or(u32::MAX)) / self.elapsed.as_secs_f64()
    }

    /// An error when a request was lost.
    pub(crate) fn whole(self) -> anyhow::Result<Self> {
        let complaint = self.complaint.as_deref().unwrap_or_default();
        anyhow::ensure!(
            self.lost == 0,
            "{} requests were not answered as they should be: {complaint}",
            self.lost
        );
        Ok(self)
    }
}

/// Asks, in the order given and from the beginning again, over `connections` connections that are kept.
pub(crate) async fn drive(
    to: SocketAddr,
    asks: &Arc<[Ask]>,
    connections: u16,
    until: Until,
) -> anyhow::Result<Tally> {
    anyhow::ensure!(!asks.is_empty(), "nothing to ask");
    let next = Arc::new(AtomicUsize::new(0));
    let mut callers = JoinSet::new();
    let started = report::now();
    for _ in 0..connections {
        callers.spawn(caller(to, Arc::clone(asks), Arc::clone(&next), until.clone()));
    }
    let mut all = Tally::default();
    while let Some(tally) = callers.join_next().await {
        let tally = tally.context("a caller failed")??;
        all.nanos.extend(tally.nanos);
        all.lost += tally.lost;
        all.complaint = all.complaint.or(tally.complaint);
    }
    all.elapsed = started.elapsed();
    all.nanos.sort_unstable();
    Ok(all)
}

async fn caller(
    to: SocketAddr,
    asks: Arc<[Ask]>,
    next: Arc<AtomicUsize>,
    until: Until,
) -> anyhow::Result<Tally> {
    let mut tally = Tally::default();
    let mut connection = Connection::open(to).await?;
    loop {
        let at = next.fetch_add(1, Ordering::Relaxed);
        let over = match &until {
            Until::Requests(requests) => at >= *requests,
            Until::Told(told) => told.load(Ordering::Relaxed),
        };
        let Some(ask) = asks.get(at % asks.len()).filter(|_| !over) else { return Ok(tally) };
        let started = report::now();
        match connection.ask(ask).await {
            Ok(()) => tally.nanos.push(u64::try_from(started.elapsed().as_nanos()).unwrap_or(u64::MAX)),
            Err(error) => {
                tally.lost += 1;
                tally.complaint = Some(format!("{} {:.60}: {error:#}", ask.method, ask.path));
                connection = Connection::open(to).await?;
            }
        }
    }
}

/// One kept connection.
pub(crate) struct Connection {
    sender: SendRequest<Full<Bytes>>,
    host: String,
    _running: JoinSet<hyper::Result<()>>,
}

impl Connection {
    pub(crate) async fn open(to: SocketAddr) -> anyhow::Result<Self> {
        let stream = TcpStream::connect(to).await.with_context(|| format!("nobody listens on {to}"))?;
        stream.set_nodelay(true)?;
        let (sender, connection) = handshake(TokioIo::new(stream)).await?;
        let mut running = JoinSet::new();
        running.spawn(connection);
        Ok(Self { sender, host: to.to_string(), _running: running })
    }

    /// Asks and reads the whole answer.
    pub(crate) async fn ask(&mut self, ask: &Ask) -> anyhow::Result<()> {
        self.fetch(ask).await.map(drop)
    }

    /// Asks, reads the whole answer and gives back its entity tag.
    pub(crate) async fn fetch(&mut self, ask: &Ask) -> anyhow::Result<String> {
        self.exchange(ask).await.map(|(tag, _)| tag)
    }

    /// Asks and gives back the whole answer.
    pub(crate) async fn read(&mut self, ask: &Ask) -> anyhow::Result<Bytes> {
        self.exchange(ask).await.map(|(_, body)| body)
    }

    /// Asks and gives back the answer's status and body, whatever they are; an error is an end without an answer.
    pub(crate) async fn answer(&mut self, ask: &Ask) -> anyhow::Result<(StatusCode, Bytes)> {
        self.whole(ask).await.map(|(head, body)| (head.status, body))
    }

    async fn exchange(&mut self, ask: &Ask) -> anyhow::Result<(String, Bytes)> {
        let (head, body) = self.whole(ask).await?;
        let header =
            |name: &str| head.headers.get(name).and_then(|v| v.to_str().ok()).unwrap_or_default().to_owned();
        let (status, outcome, tag) = (head.status, header("domicile-outcome"), header("etag"));
        anyhow::ensure!(status == 200, "status {status}: {:.200}", String::from_utf8_lossy(&body));
        anyhow::ensure!(outcome == ask.outcome, "outcome {outcome:?}, not {:?}", ask.outcome);
        anyhow::ensure!(!body.is_empty(), "an empty body");
        Ok((tag, body))
    }

    async fn whole(&mut self, ask: &Ask) -> anyhow::Result<(Parts, Bytes)> {
        let mut request = Request::builder().method(&ask.method).uri(&ask.path).header("host", &self.host);
        if let Some(media) = ask.media {
            request = request.header("content-type", media);
        }
        let request = request.body(Full::new(ask.body.clone()))?;
        let exchange = async {
            let response = self.sender.send_request(request).await.context("no answer")?;
            let (head, body) = response.into_parts();
            let body = body.collect().await.context("the answer broke off")?.to_bytes();
            anyhow::Ok((head, body))
        };
        tokio::time::timeout(PATIENCE, exchange).await.context("no answer in time")?
    }
}
