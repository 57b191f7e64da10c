//! Interim heads (1xx), of which there may be a few before an answer (RFC 9110 §15.2), and not more.
//!
//! hyper passes over any number of them, in one go for as long as they keep coming: a cell that sends them without end
//! keeps the thread that reads it, and with it whoever waits on that thread, past every clock. So they are counted, and
//! after too many the connection reads no more, which ends it and the call. A clock around the call was not enough: what
//! it wakes waits for the very thread.

use std::io;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};

use http::Request;

use super::CallFailure;
use crate::guest::Body;
use crate::tapped::Tap;

/// Early hints come once or twice, and a cell of ours sends none.
const MOST: usize = 8;

/// Whether too many came on one connection.
#[derive(Clone, Default)]
pub(super) struct Interim(Arc<AtomicBool>);

impl Interim {
    /// Counts those before the answer to this request.
    pub(super) fn count(&self, request: &mut Request<Body>) {
        let (seen, over) = (AtomicUsize::new(0), Arc::clone(&self.0));
        hyper::ext::on_informational(request, move |_head| {
            if seen.fetch_add(1, Ordering::Relaxed) >= MOST {
                over.store(true, Ordering::Relaxed);
            }
        });
    }

    /// Why the connection ended before an answer.
    pub(super) fn failure(&self) -> CallFailure {
        if self.0.load(Ordering::Relaxed) { CallFailure::InterimHeads } else { CallFailure::Broken }
    }
}

impl Tap for Interim {
    fn before(&self) -> io::Result<()> {
        if self.0.load(Ordering::Relaxed) { Err(io::ErrorKind::InvalidData.into()) } else { Ok(()) }
    }
}
