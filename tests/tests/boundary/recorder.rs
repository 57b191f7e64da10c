//! A proxy that writes down what passes through it, and may lie: before the edge it is a hostile edge, between edge and
//! cell it is the network.
//!
//! Real TCP. Each request goes on over a connection of its own, byte for byte; where nobody listens any more, it hangs
//! up as the one behind it would.

use std::io::{BufReader, Read, Result, Write as _};
use std::net::{SocketAddr, TcpListener, TcpStream};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use super::message::{Kind, Message};

/// Longer than every clock of edge and cell together.
const PATIENCE: Duration = Duration::from_secs(10);

/// What passed.
#[derive(Clone, Debug)]
pub(crate) struct Exchange {
    pub(crate) request: Message,
    /// What came back to the one who asked; none when nobody answered.
    pub(crate) answer: Option<Message>,
}

impl Exchange {
    /// Whether it carries a sealed request.
    pub(crate) fn is_post(&self) -> bool {
        self.request.start().starts_with("POST ")
    }

    /// The answer.
    pub(crate) fn answered(&self) -> &Message {
        self.answer.as_ref().unwrap()
    }
}

/// What a lying recorder makes of an answer; none leaves it as it is.
type Trick = Box<dyn Fn(&Message, &Message) -> Option<Message> + Send>;

/// A running recorder. Its threads end with the process.
pub(crate) struct Recorder {
    pub(crate) address: SocketAddr,
    shared: Arc<Shared>,
}

struct Shared {
    target: SocketAddr,
    /// Bytes that arrived from those who ask, whole requests or not.
    bytes: Arc<AtomicUsize>,
    exchanges: Mutex<Vec<Exchange>>,
    trick: Mutex<Option<Trick>>,
}

impl Recorder {
    /// A recorder on a port of its own.
    pub(crate) fn before(target: SocketAddr) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let address = listener.local_addr().unwrap();
        let (exchanges, trick) = (Mutex::default(), Mutex::default());
        let shared = Arc::new(Shared { target, bytes: Arc::default(), exchanges, trick });
        let recorder = Self { address, shared: shared.clone() };
        std::thread::spawn(move || {
            for stream in listener.incoming().flatten() {
                let shared = shared.clone();
                std::thread::spawn(move || shared.serve(stream));
            }
        });
        recorder
    }

    /// How many exchanges there were so far.
    pub(crate) fn count(&self) -> usize {
        self.shared.exchanges().len()
    }

    /// The exchanges after the first `from`.
    pub(crate) fn since(&self, from: usize) -> Vec<Exchange> {
        self.shared.exchanges().get(from..).unwrap_or_default().to_vec()
    }

    /// How many bytes have arrived.
    pub(crate) fn bytes(&self) -> usize {
        self.shared.bytes.load(Ordering::SeqCst)
    }

    /// Lies while `during` runs.
    pub(crate) fn lying<T>(
        &self,
        trick: impl Fn(&Message, &Message) -> Option<Message> + Send + 'static,
        during: impl FnOnce() -> T,
    ) -> T {
        *self.shared.trick() = Some(Box::new(trick));
        let out = during();
        *self.shared.trick() = None;
        out
    }
}

impl Shared {
    fn exchanges(&self) -> MutexGuard<'_, Vec<Exchange>> {
        self.exchanges.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn trick(&self) -> MutexGuard<'_, Option<Trick>> {
        self.trick.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Serves one connection until either side hangs up.
    fn serve(&self, stream: TcpStream) {
        let Ok(mut back) = stream.try_clone() else { return };
        let mut from = BufReader::new(Counted(stream, self.bytes.clone()));
        while let Ok(Some(request)) = Message::read(&mut from, Kind::Request) {
            // Written down before anyone is asked: a request that nobody answers was sent all the same.
            let at = {
                let mut exchanges = self.exchanges();
                exchanges.push(Exchange { request: request.clone(), answer: None });
                exchanges.len() - 1
            };
            let Ok(Some(answer)) = self.pass_on(&request) else { return };
            // What the cell said is written down, and not the lie: it is the cell that is looked at.
            if let Some(exchange) = self.exchanges().get_mut(at) {
                exchange.answer = Some(answer.clone());
            }
            let answer = match self.trick().as_ref().and_then(|trick| trick(&request, &answer)) {
                Some(lie) => lie,
                None => answer,
            };
            let last = request.value("connection").is_some_and(|value| value.eq_ignore_ascii_case("close"));
            if back.write_all(&answer.raw).is_err() || last {
                return;
            }
        }
    }

    fn pass_on(&self, request: &Message) -> Result<Option<Message>> {
        let mut stream = TcpStream::connect(self.target)?;
        stream.set_read_timeout(Some(PATIENCE))?;
        stream.write_all(&request.raw)?;
        Message::read(&mut BufReader::new(stream), Kind::Answer)
    }
}

/// Counts what is read.
struct Counted(TcpStream, Arc<AtomicUsize>);

impl Read for Counted {
    fn read(&mut self, buffer: &mut [u8]) -> Result<usize> {
        let count = self.0.read(buffer)?;
        self.1.fetch_add(count, Ordering::SeqCst);
        Ok(count)
    }
}
