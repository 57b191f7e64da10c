//! Child processes: run to their end, or kept as long as their owner lives.

use std::io::{BufRead as _, BufReader};
use std::os::unix::process::CommandExt as _;
use std::path::Path;
use std::process::{Child, ChildStdin, Command, Stdio};
use std::sync::mpsc::{self, Receiver, SyncSender};
use std::time::Duration;

use anyhow::Context as _;

use crate::report::{self, say};

/// A server has to say that it is ready within this time; loading and warming a snapshot takes seconds.
const READY: Duration = Duration::from_secs(60);
/// Lines of a talking server that may wait to be heard; more are dropped.
const LINES_WAITING: usize = 64;
/// After this long a server that was asked to stop is ended.
const DRAIN: Duration = Duration::from_secs(10);

/// Runs a command to its end; its own output goes straight through.
///
/// # Errors
/// When it cannot be started or fails.
pub fn run(command: &mut Command) -> anyhow::Result<()> {
    let status = command.status().with_context(|| format!("cannot start {}", shown(command)))?;
    anyhow::ensure!(status.success(), "{} failed ({status})", shown(command));
    Ok(())
}

/// Runs a command to its end; what it says is shown only when it fails.
///
/// # Errors
/// When it cannot be started or fails.
pub fn run_quietly(command: &mut Command) -> anyhow::Result<()> {
    let output = command.output().with_context(|| format!("cannot start {}", shown(command)))?;
    let said = String::from_utf8_lossy(&output.stderr);
    anyhow::ensure!(
        output.status.success(),
        "{} failed ({}): {}",
        shown(command),
        output.status,
        said.trim_end()
    );
    Ok(())
}

/// Runs a command to its end and returns what it printed.
///
/// # Errors
/// When it cannot be started or fails.
pub fn capture(command: &mut Command) -> anyhow::Result<String> {
    let output = command
        .stderr(Stdio::inherit())
        .output()
        .with_context(|| format!("cannot start {}", shown(command)))?;
    anyhow::ensure!(output.status.success(), "{} failed ({})", shown(command), output.status);
    Ok(String::from_utf8_lossy(&output.stdout).into_owned())
}

/// Whether a program can be started at all.
pub fn exists(program: &str) -> bool {
    Command::new(program).arg("--version").stdout(Stdio::null()).stderr(Stdio::null()).status().is_ok()
}

/// A server that stops when it is dropped.
pub struct Server {
    name: String,
    child: Child,
    /// Where it said it listens.
    pub address: String,
}

impl Server {
    /// Starts a server, waits for its line `ready http://ADDRESS`, and writes its log to `log`.
    ///
    /// It gets a process group of its own: Ctrl-C in a terminal reaches this process alone, which then stops its
    /// servers in order.
    ///
    /// # Errors
    /// With the last line of its log.
    pub fn start(name: &str, command: &mut Command, log: &Path) -> anyhow::Result<Self> {
        Self::spawn(name, command.stdin(Stdio::null()), log, None)
    }

    /// The same of a server that talks: what it says after it is ready, a line each, and its standard input.
    ///
    /// # Errors
    /// With the last line of its log.
    pub fn start_talking(
        name: &str,
        command: &mut Command,
        log: &Path,
    ) -> anyhow::Result<(Self, Receiver<String>, ChildStdin)> {
        let (say, said) = mpsc::sync_channel(LINES_WAITING);
        let mut server = Self::spawn(name, command.stdin(Stdio::piped()), log, Some(say))?;
        let told = server.child.stdin.take().context("no standard input")?;
        Ok((server, said, told))
    }

    fn spawn(
        name: &str,
        command: &mut Command,
        log: &Path,
        said: Option<SyncSender<String>>,
    ) -> anyhow::Result<Self> {
        let log_file =
            std::fs::File::create(log).with_context(|| format!("cannot write {}", log.display()))?;
        let child = command
            .stdout(Stdio::piped())
            .stderr(log_file)
            .process_group(0)
            .spawn()
            .with_context(|| format!("cannot start {name}"))?;
        let mut server = Self { name: name.to_owned(), child, address: String::new() };
        let stdout = server.child.stdout.take().context("no standard output")?;
        let (tell, told) = mpsc::sync_channel(1);
        std::thread::spawn(move || {
            let mut lines = BufReader::new(stdout).lines();
            let _ = tell.send(lines.next());
            // Read on, so that the server never blocks on a full pipe.
            for line in lines.map_while(Result::ok) {
                let _ = said.as_ref().map(|said| said.try_send(line));
            }
        });
        match told.recv_timeout(READY) {
            Ok(Some(Ok(line))) if line.starts_with("ready ") => {
                server.address = line.trim_start_matches("ready ").to_owned();
                Ok(server)
            }
            _ => {
                let said = std::fs::read_to_string(log).unwrap_or_default();
                let last = said.lines().last().unwrap_or("it said nothing").to_owned();
                anyhow::bail!("{name} did not start: {last}")
            }
        }
    }

    /// Its process id.
    pub fn id(&self) -> u32 {
        self.child.id()
    }

    /// Whether it ended by itself.
    pub fn ended(&mut self) -> bool {
        matches!(self.child.try_wait(), Ok(Some(_)) | Err(_))
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        if self.ended() {
            return;
        }
        signal("TERM", self.child.id());
        let started = report::now();
        while started.elapsed() < DRAIN {
            if self.ended() {
                return;
            }
            std::thread::sleep(Duration::from_millis(20));
        }
        say(format!("{} did not stop by itself and is ended", self.name));
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

/// Sends a signal through the shell's `kill`, which every system has.
pub fn signal(name: &str, process: u32) {
    let _ =
        Command::new("kill").args([format!("-{name}"), process.to_string()]).stderr(Stdio::null()).status();
}

fn shown(command: &Command) -> String {
    let program = Path::new(command.get_program());
    let mut text = program.file_name().unwrap_or(program.as_os_str()).to_string_lossy().into_owned();
    for arg in command.get_args().take(4) {
        text.push(' ');
        text.push_str(&arg.to_string_lossy());
    }
    text
}

/// Waits until a process that is not a child of this one has ended, at most as long as a drain may take.
pub fn wait_for_end(process: u32) {
    let started = report::now();
    while Path::new(&format!("/proc/{process}")).exists() && started.elapsed() < DRAIN {
        std::thread::sleep(Duration::from_millis(20));
    }
}
