//! One client of one edge.

use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use domicile_deadline::Deadline;
use domicile_envelope::VerifyingKey;
use serde_json::Value;

use crate::exchange::{Caches, OUTCOME, get};
use crate::memory::Memory;
use crate::{Lost, Outside, Page, Seen};

/// A client: what it trusts, and what it remembers while a page's session lasts. It holds no token: a
/// [`Grant`](crate::Grant) comes with each call, and is the caller's to drop at logout.
pub struct Client<O> {
    pub(crate) outside: O,
    pub(crate) edge: String,
    pub(crate) roots: Vec<VerifyingKey>,
    memory: Mutex<Memory>,
}

/// Why there is no list.
#[derive(Debug, PartialEq, thiserror::Error)]
pub enum ListError {
    /// Nobody answered, or not to the end.
    #[error("no list: {0}")]
    Lost(Lost),
    /// The edge refused, or answered something else.
    #[error("no list: the edge answers {status}{}", code(.problem))]
    Refused {
        /// The HTTP status.
        status: u16,
        /// Its problem document, or null.
        problem: Value,
    },
}

fn code(problem: &Value) -> String {
    problem.get("code").and_then(Value::as_str).map(|code| format!(" ({code})")).unwrap_or_default()
}

impl<O: Outside> Client<O> {
    /// A client of the edge at `edge`, such as `https://edge.shop.example`, that trusts the root key and its successor
    /// where there is one. What was seen in earlier sessions keeps an edge from handing out what is older.
    pub fn new(edge: &str, roots: Vec<VerifyingKey>, seen: Seen, outside: O) -> Self {
        let edge = edge.trim_end_matches('/').to_owned();
        Self { outside, edge, roots, memory: Mutex::new(Memory::new(seen)) }
    }

    /// The moment this much later: a page's limit, begun now.
    pub fn deadline(&self, limit: Duration) -> Deadline {
        Deadline::after(self.outside.now(), limit)
    }

    /// The popularity list of a page's slot: what is shown first, and what stays.
    ///
    /// # Errors
    /// [`ListError`].
    pub async fn shelf(&self, page: &Page, deadline: Deadline) -> Result<Value, ListError> {
        let url = format!("{}/v1/shelf/{}/{}", self.edge, page.locale(), page.slot());
        let answer = get(&self.outside, url, Caches::May, deadline).await.map_err(ListError::Lost)?;
        let status = answer.status().as_u16();
        let said = serde_json::from_slice(answer.body()).unwrap_or(Value::Null);
        let is_list = answer.headers().get(OUTCOME).is_some_and(|outcome| outcome == "list");
        if status == 200 && is_list && said.is_object() {
            Ok(said)
        } else {
            Err(ListError::Refused { status, problem: said })
        }
    }

    /// The versions seen so far, to be kept for the next session.
    pub fn seen(&self) -> Seen {
        self.memory().seen.clone()
    }

    /// Begins another page's session: who failed and where to go instead is forgotten.
    pub fn turn_page(&self) {
        self.memory().turn_page();
    }

    /// Never held across an await.
    pub(crate) fn memory(&self) -> MutexGuard<'_, Memory> {
        self.memory.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
