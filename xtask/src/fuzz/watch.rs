//! Watches a fuzzer run: what it says, and a line of progress.

use std::io::{BufRead as _, BufReader, IsTerminal as _, Write as _};
use std::path::PathBuf;
use std::process::{Command, Stdio};
use std::sync::mpsc::{self, RecvTimeoutError};
use std::time::Duration;

use anyhow::Context as _;

use domicile_cluster::report;

/// How often progress is shown: on a terminal, and in a log.
const ON_TERMINAL: Duration = Duration::from_secs(1);
const IN_LOG: Duration = Duration::from_secs(10);

/// Lines kept to tell what led to a finding.
const STORY: usize = 40;

/// What a run said.
#[derive(Default)]
pub(super) struct Seen {
    /// Counters that the compiler inserted.
    pub(super) counters: u64,
    /// Counters that were reached.
    pub(super) coverage: u64,
    /// Inputs run.
    pub(super) inputs: u64,
    /// The input that fails.
    pub(super) finding: Option<PathBuf>,
    /// Whether it exited with 0.
    pub(super) ended_well: bool,
    /// The last line it said.
    pub(super) last: String,
    /// The lines around the finding.
    pub(super) story: Vec<String>,
}

/// A run to be watched.
pub(super) struct Watch<'a> {
    target: &'a str,
    seconds: u32,
    seen: Seen,
}

impl<'a> Watch<'a> {
    pub(super) fn new(target: &'a str, seconds: u32) -> Self {
        Self { target, seconds, seen: Seen::default() }
    }

    /// Starts the fuzzer and waits for its end.
    pub(super) fn over(mut self, fuzzer: &mut Command) -> anyhow::Result<Seen> {
        let child = fuzzer.stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::piped()).spawn();
        let mut child = child.with_context(|| format!("cannot start {}", self.target))?;
        let said = child.stderr.take().context("no standard error")?;
        let (tell, told) = mpsc::sync_channel(64);
        let reader = std::thread::spawn(move || {
            for line in BufReader::new(said).split(b'\n').map_while(Result::ok) {
                if tell.send(String::from_utf8_lossy(&line).into_owned()).is_err() {
                    return;
                }
            }
        });
        let started = report::now();
        let every = if std::io::stderr().is_terminal() { ON_TERMINAL } else { IN_LOG };
        let mut shown = Duration::ZERO;
        loop {
            match told.recv_timeout(ON_TERMINAL) {
                Ok(line) => self.seen.line(line),
                Err(RecvTimeoutError::Timeout) => {}
                Err(RecvTimeoutError::Disconnected) => break,
            }
            if started.elapsed() >= shown + every {
                shown = started.elapsed();
                self.progress(shown);
            }
        }
        if std::io::stderr().is_terminal() {
            report::say("");
        }
        let _ = reader.join();
        self.seen.ended_well = child.wait()?.success();
        Ok(self.seen)
    }

    fn progress(&self, elapsed: Duration) {
        let (seen, elapsed) = (&self.seen, elapsed.as_secs());
        let left = u64::from(self.seconds).saturating_sub(elapsed);
        let line = format!(
            "{}: {elapsed} of {} s, over {} inputs, {} of {} counters, {left} s left",
            self.target, self.seconds, seen.inputs, seen.coverage, seen.counters
        );
        if std::io::stderr().is_terminal() {
            let _ = write!(std::io::stderr(), "\r{line}   ");
        } else {
            report::say(line);
        }
    }
}

impl Seen {
    /// Reads one line of libFuzzer's.
    fn line(&mut self, line: String) {
        let number = |after: &str| {
            let rest = line.split_once(after)?.1.trim_start();
            rest.split(|c: char| !c.is_ascii_digit()).next()?.parse::<u64>().ok()
        };
        if line.starts_with("INFO: Loaded ") {
            self.counters += number("(").unwrap_or(0);
        } else if line.starts_with('#') {
            self.inputs = number("#").unwrap_or(self.inputs);
            self.coverage = number(" cov: ").unwrap_or(self.coverage);
        } else if let Some(executed) = number("stat::number_of_executed_units:") {
            self.inputs = executed;
        } else if let Some((_, file)) = line.split_once("Test unit written to ") {
            self.finding = Some(file.trim().into());
        } else if !line.starts_with("stat::") && self.story.len() < STORY && self.coverage > 0 {
            self.story.push(line.clone());
        }
        if !line.trim().is_empty() {
            self.last = line;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_the_fuzzer_says_is_read() {
        let mut seen = Seen::default();
        for line in [
            "INFO: Loaded 1 modules   (613 inline 8-bit counters): 613 [0x5, 0x6), ",
            "#32\tINITED cov: 120 ft: 240 corp: 30/3Kb exec/s: 0 rss: 40Mb",
            "thread '<unnamed>' panicked at src/bin/router.rs:9:9:",
            "artifact_prefix='x/'; Test unit written to x/crash-1",
            "stat::number_of_executed_units: 900",
        ] {
            seen.line(line.to_owned());
        }
        assert_eq!((seen.counters, seen.coverage, seen.inputs), (613, 120, 900));
        assert_eq!(seen.finding, Some("x/crash-1".into()));
        assert!(seen.story.iter().any(|line| line.contains("panicked")));
    }
}
