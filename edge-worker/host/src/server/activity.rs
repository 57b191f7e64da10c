//! What a connection is doing, so that it can be let go: one without a request may, one with a request must not, and
//! one whose request should have ended long ago is held open by its caller.
//!
//! The last is HTTP/2's: an answer whose caller grants no window is not asked for its next piece, so its own deadline
//! is never looked at, and its seat never free. Someone outside has to look.

use std::collections::BTreeMap;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};

use tokio::time::sleep_until;

use crate::clock;

/// The requests open on one connection.
#[derive(Debug)]
pub(crate) struct Activity {
    requests: Mutex<Requests>,
    writing: AtomicBool,
}

#[derive(Debug)]
struct Requests {
    next: u64,
    /// When each began; the oldest is the first.
    open: BTreeMap<u64, Instant>,
    quiet_since: Instant,
}

/// A request that is open until this is dropped.
#[derive(Debug)]
pub(crate) struct Open {
    activity: Arc<Activity>,
    id: u64,
}

/// Why a connection may be let go.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum LetGo {
    /// Nothing was asked for this long.
    Quiet,
    /// A request is open for longer than its clocks allow.
    Overdue,
}

impl Default for Activity {
    fn default() -> Self {
        let requests = Requests { next: 0, open: BTreeMap::new(), quiet_since: clock::now() };
        Self { requests: Mutex::new(requests), writing: AtomicBool::new(false) }
    }
}

impl Activity {
    /// A request begins.
    pub(super) fn open(self: &Arc<Self>) -> Open {
        let mut requests = self.requests.lock().unwrap_or_else(PoisonError::into_inner);
        let id = requests.next;
        requests.next += 1;
        requests.open.insert(id, clock::now());
        Open { activity: Arc::clone(self), id }
    }

    /// A write stands still, or goes on.
    pub(super) fn writes(&self, stands: bool) {
        self.writing.store(stands, Ordering::Relaxed);
    }

    /// Waits until the connection was quiet for `quiet`, `from` on at the earliest, or a request is older than `whole`.
    /// It looks at its own times only, so that a request costs it nothing.
    pub(super) async fn let_go(&self, from: Instant, quiet: Duration, whole: Duration) -> LetGo {
        loop {
            match self.look(clock::now(), from, quiet, whole) {
                Ok(verdict) => return verdict,
                Err(next) => sleep_until(next.into()).await,
            }
        }
    }

    /// Whether nothing was asked for this long.
    pub(super) fn is_quiet(&self, quiet: Duration) -> bool {
        let now = clock::now();
        self.look(now, now.checked_sub(quiet).unwrap_or(now), quiet, Duration::MAX) == Ok(LetGo::Quiet)
    }

    /// A verdict, or when to look again.
    fn look(&self, now: Instant, from: Instant, quiet: Duration, whole: Duration) -> Result<LetGo, Instant> {
        let requests = self.requests.lock().unwrap_or_else(PoisonError::into_inner);
        let since = requests.quiet_since.max(from);
        let oldest = requests.open.first_key_value().map(|(_, begun)| *begun);
        match oldest {
            Some(begun) if now.duration_since(begun) >= whole => Ok(LetGo::Overdue),
            Some(begun) => Err(begun.checked_add(whole).map_or(now + quiet, |end| end.min(now + quiet))),
            None if self.writing.load(Ordering::Relaxed) => Err(now + quiet),
            None if now.duration_since(since) >= quiet => Ok(LetGo::Quiet),
            None => Err(since + quiet),
        }
    }
}

impl Drop for Open {
    fn drop(&mut self) {
        let mut requests = self.activity.requests.lock().unwrap_or_else(PoisonError::into_inner);
        requests.open.remove(&self.id);
        if requests.open.is_empty() {
            requests.quiet_since = clock::now();
        }
    }
}

#[cfg(test)]
mod tests {
    use super::{Activity, LetGo};
    use std::sync::Arc;
    use std::time::Duration;

    use crate::clock;

    const QUIET: Duration = Duration::from_secs(15);
    const WHOLE: Duration = Duration::from_secs(60);

    #[test]
    fn a_connection_goes_when_quiet_or_overdue_and_not_between() {
        let activity = Arc::new(Activity::default());
        let begin = clock::now();
        let at = |seconds| activity.look(begin + Duration::from_secs(seconds), begin, QUIET, WHOLE);
        assert!(at(14).is_err());
        assert_eq!(at(16), Ok(LetGo::Quiet));
        let first = activity.open();
        let second = activity.open();
        assert!(at(59).is_err());
        assert_eq!(at(61), Ok(LetGo::Overdue));
        drop((first, second));
        assert_eq!(at(61), Ok(LetGo::Quiet));
        let later = activity.look(begin + QUIET, begin + QUIET / 2, QUIET, WHOLE);
        assert_eq!(later, Err(begin + QUIET / 2 + QUIET), "it counts from when it is asked to");
        activity.writes(true);
        assert!(at(61).is_err());
    }
}
