//! The capture server: plays the cell, keeps every byte, answers as it is told.

mod act;
mod seen;

use std::net::{SocketAddr, TcpListener, TcpStream};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use anyhow::Context as _;

pub(super) use act::{Does, STOWAWAY, large};
pub(super) use seen::Seen;

/// What the relay calls the sealed body (`edge-worker/relay`).
pub(super) const MEDIA_TYPE: &str = "message/ohttp-req";
/// How long a connection may say nothing before it is given up.
const PATIENCE: Duration = Duration::from_secs(30);

/// A running capture server; it lives as long as the process.
#[derive(Clone)]
pub(super) struct Cell {
    pub(super) address: SocketAddr,
    shared: Arc<Shared>,
}

struct Shared {
    does: Mutex<Does>,
    /// What each connection has sent, in order of arrival.
    bytes: Mutex<Vec<Vec<u8>>>,
}

impl Cell {
    pub(super) fn start() -> anyhow::Result<Self> {
        let listener = TcpListener::bind("127.0.0.1:0").context("no port for the capture server")?;
        let address = listener.local_addr()?;
        let shared = Arc::new(Shared { does: Mutex::new(Does::Echoes), bytes: Mutex::default() });
        let server = Self { address, shared };
        let accepting = server.clone();
        std::thread::spawn(move || {
            for stream in listener.incoming().flatten() {
                let connection = accepting.clone();
                std::thread::spawn(move || connection.serve(stream));
            }
        });
        Ok(server)
    }

    /// A place where nobody listens.
    pub(super) fn nobody() -> anyhow::Result<Self> {
        let address = TcpListener::bind("127.0.0.1:0")?.local_addr()?;
        let shared = Arc::new(Shared { does: Mutex::new(Does::Hangs), bytes: Mutex::default() });
        Ok(Self { address, shared })
    }

    /// What it does from now on.
    pub(super) fn does(&self, does: Does) {
        *self.shared.does.lock().unwrap_or_else(PoisonError::into_inner) = does;
    }

    /// Takes what has arrived since the last time.
    pub(super) fn taken(&self) -> Vec<Vec<u8>> {
        let mut all = self.shared.bytes.lock().unwrap_or_else(PoisonError::into_inner);
        // Connections keep their places: those that are still open go on writing to theirs.
        all.iter_mut().map(std::mem::take).filter(|bytes| !bytes.is_empty()).collect()
    }

    /// Takes what has arrived as requests; anything that is not exactly requests is an error.
    pub(super) fn requests(&self) -> anyhow::Result<Vec<Seen>> {
        let mut requests = Vec::new();
        for bytes in self.taken() {
            requests.extend(seen::requests(&bytes)?);
        }
        Ok(requests)
    }

    fn serve(&self, mut stream: TcpStream) {
        let place = {
            let mut all = self.shared.bytes.lock().unwrap_or_else(PoisonError::into_inner);
            all.push(Vec::new());
            all.len() - 1
        };
        let prepared = stream.set_nodelay(true).and_then(|()| stream.set_read_timeout(Some(PATIENCE)));
        if prepared.is_err() {
            return;
        }
        let mut unread = Vec::new();
        // Bytes are kept before they are understood, and before they are answered: whoever has an answer finds them.
        while let Some(request) = seen::read(&mut stream, &mut unread, |bytes| self.keep(place, bytes)) {
            let does = self.shared.does.lock().unwrap_or_else(PoisonError::into_inner).clone();
            if act::answer(&mut stream, &does, &request).is_none() {
                return;
            }
        }
    }

    fn keep(&self, place: usize, bytes: &[u8]) {
        let mut all = self.shared.bytes.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(connection) = all.get_mut(place) {
            connection.extend_from_slice(bytes);
        }
    }
}
