//! Kept connections to one cell.

use std::sync::{Mutex, PoisonError};
use std::time::{Duration, Instant};

use hyper::client::conn::http1::{SendRequest, handshake};
use hyper_util::rt::TokioIo;
use tokio::net::TcpStream;
use tokio::time::timeout;

use super::{Authority, CallFailure};
use crate::clock;
use crate::guest::Body;

/// A connection to a cell. Dropping it closes the connection once its running answer is over.
pub(super) type Connection = SendRequest<Body>;

/// Connections kept open to one cell; more are closed after use.
const MOST_KEPT: usize = 256;
/// How long an unused connection is kept: less than what servers and middle boxes commonly allow, since a connection
/// that the other side closes just as a request is written costs that request.
const KEPT_FOR: Duration = Duration::from_secs(15);
/// How long a kept connection may take to be done with the answer before. It is done already, or a thread switch away.
const SETTLES_WITHIN: Duration = Duration::from_millis(5);

/// Kept connections that are tried before a new one is opened.
const KEPT_TRIES: usize = 2;

/// The connections kept to one cell, used last in, first out so that the surplus grows old.
pub(super) struct Pool {
    authority: Authority,
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

impl Pool {
    pub(super) fn new(authority: Authority) -> Self {
        Self { authority, kept: Mutex::default() }
    }

    /// A kept connection if one is usable, else a new one.
    pub(super) async fn take(&self, connect: Duration) -> Result<Taken, CallFailure> {
        for _ in 0..KEPT_TRIES {
            let Some(mut connection) = self.newest() else { break };
            if matches!(timeout(SETTLES_WITHIN, connection.ready()).await, Ok(Ok(()))) {
                return Ok(Taken::Kept(connection));
            }
        }
        self.connect(connect).await.map(Taken::New)
    }

    /// Gives a connection back. One that is still receiving is closed when it is taken again.
    pub(super) fn keep(&self, connection: Connection) {
        if connection.is_closed() {
            return;
        }
        let now = clock::now();
        let mut kept = self.kept.lock().unwrap_or_else(PoisonError::into_inner);
        let old = kept.iter().take_while(|kept| now.duration_since(kept.since) > KEPT_FOR).count();
        drop(kept.drain(..old));
        if kept.len() < MOST_KEPT {
            kept.push(Kept { connection, since: now });
        }
    }

    /// Opens a connection.
    pub(super) async fn connect(&self, within: Duration) -> Result<Connection, CallFailure> {
        timeout(within, self.open()).await.map_err(|_elapsed| CallFailure::ConnectTimedOut)?
    }

    async fn open(&self) -> Result<Connection, CallFailure> {
        let stream = TcpStream::connect(self.authority.to_string())
            .await
            .map_err(|_error| CallFailure::ConnectRefused)?;
        stream.set_nodelay(true).map_err(|_error| CallFailure::ConnectRefused)?;
        let (sender, connection) =
            handshake(TokioIo::new(stream)).await.map_err(|_error| CallFailure::Broken)?;
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

    fn newest(&self) -> Option<Connection> {
        let now = clock::now();
        let mut kept = self.kept.lock().unwrap_or_else(PoisonError::into_inner);
        while let Some(Kept { connection, since }) = kept.pop() {
            if now.duration_since(since) <= KEPT_FOR && !connection.is_closed() {
                return Some(connection);
            }
        }
        None
    }
}
