//! A slow process: one that is paused most of the time.
//!
//! SIGSTOP and SIGCONT take turns. A proxy that delays would slow the way to a cell and leave the cell itself as quick
//! as ever; this one is slow as an overloaded machine is: requests wait, time runs out inside, and the cell's own rules
//! about its deadline decide what is answered. It needs no second address either, so nothing else of a cluster changes.

use std::sync::mpsc::{RecvTimeoutError, SyncSender, sync_channel};
use std::thread::JoinHandle;
use std::time::Duration;

use crate::process::signal;

/// How long the process stands still. Less than the 350 ms that the demo's edge waits: some answers still come in time.
const PAUSED: Duration = Duration::from_millis(240);
/// How long it runs between.
const RUNS: Duration = Duration::from_millis(60);

/// Slows a process until it is dropped.
pub(crate) struct Slow {
    end: Option<SyncSender<()>>,
    turns: Option<JoinHandle<()>>,
}

impl Slow {
    /// Slows a process of this one's own.
    pub(crate) fn down(process: u32) -> Self {
        let (end, ended) = sync_channel::<()>(0);
        let turns = std::thread::spawn(move || {
            for (turn, length) in [("STOP", PAUSED), ("CONT", RUNS)].into_iter().cycle() {
                signal(turn, process);
                if ended.recv_timeout(length) != Err(RecvTimeoutError::Timeout) {
                    break;
                }
            }
            signal("CONT", process);
        });
        Self { end: Some(end), turns: Some(turns) }
    }
}

impl Drop for Slow {
    fn drop(&mut self) {
        drop(self.end.take());
        if let Some(turns) = self.turns.take() {
            let _ = turns.join();
        }
    }
}

#[cfg(test)]
mod tests {
    use std::process::Command;

    use super::*;

    /// Reads of a process's state: far more than a turn takes.
    const LOOKS: u32 = 10_000_000;

    /// `T` while it stands still (proc(5)).
    fn stands_still(process: u32) -> bool {
        let stat = std::fs::read_to_string(format!("/proc/{process}/stat")).unwrap_or_default();
        stat.rsplit(") ").next().is_some_and(|rest| rest.starts_with('T'))
    }

    #[test]
    fn a_slow_process_stands_still_and_runs_in_turn_and_runs_when_it_is_let_go() {
        let mut process = Command::new("sleep").arg("600").spawn().unwrap();
        let slow = Slow::down(process.id());
        for state in [true, false, true] {
            assert!((0..LOOKS).any(|_| stands_still(process.id()) == state));
        }
        drop(slow);
        assert!((0..LOOKS).any(|_| !stands_still(process.id())));
        process.kill().unwrap();
        process.wait().unwrap();
    }
}
