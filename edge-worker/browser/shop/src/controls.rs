//! Stopping, slowing and starting cells, by asking whoever started them.
//!
//! The shop owns no process but itself. Its owner, `cargo xtask demo`, reads wishes from the shop's standard output and
//! writes what became of them to its standard input, a line each:
//!
//! ```text
//! wish stop eu-a          (also: slow, start)
//! cell eu-a stopped       (also: starting, running, slow)
//! ```
//!
//! The end of its input is the end of its owner, and so of the shop.

use std::collections::BTreeMap;
use std::io::Write;
use std::str::FromStr;
use std::sync::{Mutex, PoisonError};

use serde::Serialize;

use crate::refusal::Refusal;

/// How a cell's process does.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
pub(crate) enum State {
    /// Nobody said.
    Unknown,
    Starting,
    Running,
    Slow,
    Stopped,
}

impl FromStr for State {
    type Err = ();

    fn from_str(text: &str) -> Result<Self, ()> {
        match text {
            "starting" => Ok(Self::Starting),
            "running" => Ok(Self::Running),
            "slow" => Ok(Self::Slow),
            "stopped" => Ok(Self::Stopped),
            _ => Err(()),
        }
    }
}

/// What can be done to a cell.
const WISHES: [&str; 3] = ["stop", "slow", "start"];

/// The cells' states, and the way to their owner.
pub(crate) struct Controls {
    states: Mutex<BTreeMap<String, State>>,
    /// None where nobody reads.
    owner: Option<Mutex<Box<dyn Write + Send>>>,
}

impl Controls {
    pub(crate) fn new(cells: impl IntoIterator<Item = String>, owner: Option<Box<dyn Write + Send>>) -> Self {
        let states = cells.into_iter().map(|cell| (cell, State::Unknown)).collect();
        Self { states: Mutex::new(states), owner: owner.map(Mutex::new) }
    }

    /// Tells the owner what is wanted. Whether and when it happens, the states say.
    ///
    /// # Errors
    /// There is no such cell or wish, or no owner.
    pub(crate) fn wish(&self, cell: &str, wish: &str) -> Result<(), Refusal> {
        let owner = self.owner.as_ref().ok_or(Refusal::NoControls)?;
        if !WISHES.contains(&wish) || !self.states().contains_key(cell) {
            return Err(Refusal::Cell);
        }
        let mut owner = owner.lock().unwrap_or_else(PoisonError::into_inner);
        writeln!(owner, "wish {wish} {cell}")
            .and_then(|()| owner.flush())
            .map_err(|_gone| Refusal::NoControls)
    }

    /// Takes a line of the owner's. What is none is passed over.
    pub(crate) fn heard(&self, line: &str) {
        let words: Vec<&str> = line.split(' ').collect();
        let ["cell", cell, state] = words[..] else { return };
        if let (Ok(state), Some(known)) = (state.parse(), self.lock().get_mut(cell)) {
            *known = state;
        }
    }

    pub(crate) fn states(&self) -> BTreeMap<String, State> {
        self.lock().clone()
    }

    fn lock(&self) -> std::sync::MutexGuard<'_, BTreeMap<String, State>> {
        self.states.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use super::*;

    #[derive(Clone, Default)]
    struct Heard(Arc<Mutex<Vec<u8>>>);

    impl Write for Heard {
        fn write(&mut self, bytes: &[u8]) -> std::io::Result<usize> {
            self.0.lock().unwrap().write(bytes)
        }

        fn flush(&mut self) -> std::io::Result<()> {
            Ok(())
        }
    }

    #[test]
    fn a_wish_is_a_line_and_only_of_what_is_there() {
        let heard = Heard::default();
        let controls = Controls::new(["eu-a".to_owned()], Some(Box::new(heard.clone())));
        assert_eq!(controls.wish("eu-a", "stop"), Ok(()));
        assert_eq!(controls.wish("eu-a", "kill"), Err(Refusal::Cell));
        assert_eq!(controls.wish("eu-b\nwish stop eu-a", "stop"), Err(Refusal::Cell));
        assert_eq!(*heard.0.lock().unwrap(), b"wish stop eu-a\n");
    }

    #[test]
    fn without_an_owner_nothing_can_be_done() {
        let controls = Controls::new(["eu-a".to_owned()], None);
        assert_eq!(controls.wish("eu-a", "stop"), Err(Refusal::NoControls));
    }

    #[test]
    fn states_are_what_the_owner_said_last() {
        let controls = Controls::new(["eu-a".to_owned()], None);
        assert_eq!(controls.states()["eu-a"], State::Unknown);
        for line in [
            "cell eu-a running",
            "cell eu-a slow",
            "cell eu-a odd",
            "cell eu-z stopped",
            "",
            "x eu-a stopped",
        ] {
            controls.heard(line);
        }
        assert_eq!(controls.states(), BTreeMap::from([("eu-a".to_owned(), State::Slow)]));
    }
}
