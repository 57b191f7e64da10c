//! Who is logged in: bounded tables of sessions, in memory.
//!
//! Anonymous sessions have a table of their own: a crowd of them makes room among itself, and logs nobody out.

use std::collections::{BTreeMap, HashMap};
use std::sync::{Mutex, MutexGuard, PoisonError};

use domicile_token::Subject;

/// Sessions kept of either kind; the oldest makes room for the next.
const MOST: usize = 10_000;
/// How long a session lasts, in seconds: a shopper's random subject should not outlive a day.
pub(super) const SESSION_S: i64 = 12 * 3_600;

/// A session's secret name, 128 bits as hex, as its cookie holds it.
#[derive(Clone, PartialEq, Eq, Hash)]
pub(super) struct SessionId(String);

/// Who a session is.
#[derive(Clone)]
pub(super) struct Session {
    pub(super) subject: Subject,
    /// Nobody in particular: the subject is random and means nothing outside of this session.
    pub(super) anonymous: bool,
}

/// All sessions.
#[derive(Default)]
pub(super) struct Sessions {
    known: Mutex<Table>,
    anonymous: Mutex<Table>,
}

#[derive(Default)]
struct Table {
    next: u64,
    by_id: HashMap<SessionId, Entry>,
    /// In the order in which they were opened.
    by_age: BTreeMap<u64, SessionId>,
}

struct Entry {
    number: u64,
    ends_s: i64,
    session: Session,
}

impl SessionId {
    /// The text of a cookie, if it can be one.
    pub(super) fn of_cookie(text: &str) -> Option<Self> {
        let digit = |byte: u8| matches!(byte, b'0'..=b'9' | b'a'..=b'f');
        (text.len() == 32 && text.bytes().all(digit)).then(|| Self(text.to_owned()))
    }

    pub(super) fn as_str(&self) -> &str {
        &self.0
    }
}

impl Sessions {
    /// A session of a shopper that the shop knows; none when the system gives no randomness.
    pub(super) fn log_in(&self, subject: Subject, now_s: i64) -> Option<SessionId> {
        lock(&self.known).open(Session { subject, anonymous: false }, now_s)
    }

    /// A session of nobody in particular, for ranking by what happens in it; none as above.
    pub(super) fn anonymous(&self, now_s: i64) -> Option<(SessionId, Session)> {
        let subject = Subject::new(&format!("anonymous-{}", random()?))?;
        let session = Session { subject, anonymous: true };
        lock(&self.anonymous).open(session.clone(), now_s).map(|id| (id, session))
    }

    /// Who this session is, if it is not over.
    pub(super) fn of(&self, id: &SessionId, now_s: i64) -> Option<Session> {
        lock(&self.known).of(id, now_s).or_else(|| lock(&self.anonymous).of(id, now_s))
    }

    /// Ends a session.
    pub(super) fn log_out(&self, id: &SessionId) {
        lock(&self.known).close(id);
        lock(&self.anonymous).close(id);
    }
}

impl Table {
    fn open(&mut self, session: Session, now_s: i64) -> Option<SessionId> {
        let id = SessionId(random()?);
        if self.by_id.len() >= MOST
            && let Some((_, oldest)) = self.by_age.pop_first()
        {
            self.by_id.remove(&oldest);
        }
        let number = self.next;
        self.next += 1;
        self.by_age.insert(number, id.clone());
        self.by_id.insert(id.clone(), Entry { number, ends_s: now_s.saturating_add(SESSION_S), session });
        Some(id)
    }

    fn of(&mut self, id: &SessionId, now_s: i64) -> Option<Session> {
        let entry = self.by_id.get(id)?;
        if now_s < entry.ends_s {
            return Some(entry.session.clone());
        }
        self.close(id);
        None
    }

    fn close(&mut self, id: &SessionId) {
        if let Some(entry) = self.by_id.remove(id) {
            self.by_age.remove(&entry.number);
        }
    }
}

/// Whoever panicked left a whole table: an entry is put in and taken out in two steps that cannot.
fn lock(table: &Mutex<Table>) -> MutexGuard<'_, Table> {
    table.lock().unwrap_or_else(PoisonError::into_inner)
}

/// 128 random bits as hex.
fn random() -> Option<String> {
    let mut bytes = [0u8; 16];
    getrandom::fill(&mut bytes).ok()?;
    Some(domicile_envelope::hex(&bytes))
}

#[cfg(test)]
mod tests {
    use domicile_token::Subject;

    use super::*;

    const NOW: i64 = 1_800_000_000;

    fn subject(text: &str) -> Subject {
        Subject::new(text).unwrap()
    }

    #[test]
    fn a_session_lasts_until_its_logout_or_its_end() {
        let sessions = Sessions::default();
        let open = || sessions.log_in(subject("17"), NOW).unwrap();
        let (first, second) = (open(), open());
        assert_eq!(sessions.of(&first, NOW).unwrap().subject.expose(), "17");
        sessions.log_out(&SessionId::of_cookie(first.as_str()).unwrap());
        assert!(sessions.of(&first, NOW).is_none());
        assert!(sessions.of(&second, NOW + SESSION_S - 1).is_some());
        assert!(sessions.of(&second, NOW + SESSION_S).is_none());
        let known = lock(&sessions.known);
        assert!(known.by_id.is_empty() && known.by_age.is_empty());
    }

    #[test]
    fn nobody_in_particular_is_somebody_else_each_time() {
        let sessions = Sessions::default();
        let ((_, first), (_, second)) = (sessions.anonymous(NOW).unwrap(), sessions.anonymous(NOW).unwrap());
        assert!(first.anonymous && first.subject != second.subject);
    }

    #[test]
    fn ten_thousand_and_one_make_the_oldest_leave_and_a_crowd_logs_nobody_out() {
        let sessions = Sessions::default();
        let known = sessions.log_in(subject("known"), NOW).unwrap();
        let first = sessions.anonymous(NOW).unwrap().0;
        let second = sessions.anonymous(NOW).unwrap().0;
        (0..MOST - 1).for_each(|_| drop(sessions.anonymous(NOW).unwrap()));
        let there = |id: &SessionId| sessions.of(id, NOW).is_some();
        assert!(!there(&first) && there(&second) && there(&known));
        assert_eq!(lock(&sessions.anonymous).by_age.len(), MOST);
    }

    #[test]
    fn a_cookie_is_32_hex_digits() {
        for bad in ["", "a", &"g".repeat(32), &"A".repeat(32), &"a".repeat(33)] {
            assert!(SessionId::of_cookie(bad).is_none());
        }
        assert!(SessionId::of_cookie(&"0a".repeat(16)).is_some());
    }
}
