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
