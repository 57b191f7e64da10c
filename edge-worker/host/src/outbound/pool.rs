//! Kept connections to one cell.

use std::net::SocketAddr;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};

use hyper::client::conn::http1::{SendRequest, handshake};
use hyper_util::rt::TokioIo;
use tokio::io::{AsyncRead, AsyncWrite};
use tokio::net::{TcpStream, lookup_host};
use tokio::sync::{OwnedSemaphorePermit, Semaphore};
use tokio::time::timeout;
use tokio_rustls::TlsConnector;
use tokio_rustls::rustls::pki_types::ServerName;

use super::interim::Interim;
use super::{CallFailure, Origin, OwnMachine, Rules, Transport, is_this_machine};
use crate::body::Held;
use crate::clock;
use crate::guest::Body;
use crate::tapped::Tapped;

/// A connection to a cell. Dropping it closes the connection once its running answer is over.
pub(super) struct Connection {
    pub(super) sender: SendRequest<Body>,
    pub(super) interim: Interim,
    _seat: OwnedSemaphorePermit,
}

/// How long an unused connection is kept: less than what servers and middle boxes commonly allow, since a connection
/// that the other side closes just as a request is written costs that request.
const KEPT_FOR: Duration = Duration::from_secs(15);
/// How long a kept connection may take to be done with the answer before. It is done already, or a thread switch away.
const SETTLES_WITHIN: Duration = Duration::from_millis(5);

/// Kept connections that are tried before a new one is opened.
const KEPT_TRIES: usize = 2;

/// The connections kept to one cell, used last in, first out so that the surplus grows old.
pub(crate) struct Pool {
    origin: Origin,
    rules: Arc<Rules>,
    seats: Arc<Semaphore>,
    kept: Mutex<Vec<Kept>>,
}

struct Kept {
    connection: Connection,
    since: Instant,
}

/// A connection to be used, and whether it is one that may have been closed meanwhile.
pub(super) enum Taken {
    Kept(Connection),
    New(Connection),
}

/// A connection that is given back when its answer is over, unless that broke off.
pub(crate) struct Lent(Option<(Arc<Pool>, Connection)>);

impl Lent {
    pub(super) fn new(pool: Arc<Pool>, connection: Connection) -> Self {
        Self(Some((pool, connection)))
    }
}

impl Held for Lent {
    fn spoil(&mut self) {
        self.0 = None;
    }
}

impl Drop for Lent {
    fn drop(&mut self) {
        if let Some((pool, connection)) = self.0.take() {
            pool.keep(connection);
        }
    }
}

impl Pool {
    pub(super) fn new(origin: Origin, rules: Arc<Rules>) -> Self {
        let seats = Arc::new(Semaphore::new(rules.most));
        Self { origin, rules, seats, kept: Mutex::default() }
    }

    /// A kept connection if one is usable, else a new one.
    pub(super) async fn take(&self, connect: Duration) -> Result<Taken, CallFailure> {
        for _ in 0..KEPT_TRIES {
            let Some(mut connection) = self.newest() else { break };
            if matches!(timeout(SETTLES_WITHIN, connection.sender.ready()).await, Ok(Ok(()))) {
                return Ok(Taken::Kept(connection));
            }
        }
        self.connect(connect).await.map(Taken::New)
    }

    /// Gives a connection back. One that is still receiving is closed when it is taken again.
    fn keep(&self, connection: Connection) {
        if connection.sender.is_closed() {
            return;
        }
        let now = clock::now();
        let mut kept = self.kept.lock().unwrap_or_else(PoisonError::into_inner);
        let old = kept.iter().take_while(|kept| now.duration_since(kept.since) > KEPT_FOR).count();
        drop(kept.drain(..old));
        if kept.len() < self.rules.keep {
            kept.push(Kept { connection, since: now });
        }
    }

    /// Opens a connection.
    pub(super) async fn connect(&self, within: Duration) -> Result<Connection, CallFailure> {
        let seat =
            Arc::clone(&self.seats).try_acquire_owned().map_err(|_full| CallFailure::TooManyConnections)?;
        let interim = Interim::default();
        let opened = timeout(within, self.open(interim.clone())).await;
        let sender = opened.map_err(|_elapsed| CallFailure::ConnectTimedOut)??;
        Ok(Connection { sender, interim, _seat: seat })
    }

    async fn open(&self, interim: Interim) -> Result<SendRequest<Body>, CallFailure> {
        let addresses = self.addresses().await?;
        let stream = TcpStream::connect(&*addresses).await.map_err(|_error| CallFailure::ConnectRefused)?;
        stream.set_nodelay(true).map_err(|_error| CallFailure::ConnectRefused)?;
        match self.origin.transport {
            Transport::Plain => spoken(Tapped::new(stream, interim)).await,
            Transport::Tls => {
                let config = self.rules.tls.clone().ok_or(CallFailure::TlsRefused)?;
                let name = ServerName::try_from(self.origin.authority.host().to_owned())
                    .map_err(|_not_a_name| CallFailure::TlsRefused)?;
                let stream = TlsConnector::from(config).connect(name, stream).await;
                let stream = stream.map_err(|_error| CallFailure::TlsRefused)?;
                spoken(Tapped::new(stream, interim)).await
            }
        }
    }

    /// What the cell's name stands for now. It is looked at here too, since a name can come to mean another machine.
    async fn addresses(&self) -> Result<Vec<SocketAddr>, CallFailure> {
        let authority = &self.origin.authority;
        let found = lookup_host((authority.host(), authority.port()))
            .await
            .map_err(|_error| CallFailure::NameUnknown)?;
        let found: Vec<_> = found.collect();
        let refused = self.rules.own_machine == OwnMachine::Refused;
        if refused && found.iter().any(|address| is_this_machine(address.ip())) {
            return Err(CallFailure::OnThisMachine);
        }
        Ok(found)
    }

    fn newest(&self) -> Option<Connection> {
        let now = clock::now();
        let mut kept = self.kept.lock().unwrap_or_else(PoisonError::into_inner);
        while let Some(Kept { connection, since }) = kept.pop() {
            if now.duration_since(since) <= KEPT_FOR && !connection.sender.is_closed() {
                return Some(connection);
            }
        }
        None
    }
}

/// HTTP/1.1 over a stream, driven by a task of its own.
async fn spoken<S>(stream: S) -> Result<SendRequest<Body>, CallFailure>
where
    S: AsyncRead + AsyncWrite + Send + Unpin + 'static,
{
    let (sender, connection) = handshake(TokioIo::new(stream)).await.map_err(|_error| CallFailure::Broken)?;
    #[expect(
        clippy::disallowed_methods,
        reason = "owned by its `Connection`: the task ends when that is dropped, or when the cell hangs up"
    )]
    tokio::spawn(async move {
        if connection.await.is_err() {
            tracing::debug!("connection to a cell broke");
        }
    });
    Ok(sender)
}
