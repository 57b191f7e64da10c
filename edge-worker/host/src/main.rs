//! `domicile-edge`: serves an edge artefact until it is told to stop.

use std::convert::Infallible;
use std::io::{self, Write as _};
use std::process::ExitCode;

use clap::Parser;
use domicile_edge::{Drained, Edge, LogFormat, LogLevel, Options, Told, prepare};
use rustix::fs::Mode;
use tokio::signal::unix::{SignalKind, signal};
use tokio::sync::watch;
use tracing_subscriber::filter::{LevelFilter, Targets};
use tracing_subscriber::layer::SubscriberExt;
use tracing_subscriber::util::SubscriberInitExt;

/// At least two threads, so that one looks at the clocks while a guest computes on the other.
const MIN_THREADS: usize = 2;

const INTERNAL: u8 = 1;
const BAD_FLAG: u8 = 2;
const CUT: u8 = 5;

fn main() -> ExitCode {
    let options = match Options::try_parse() {
        Ok(options) => options,
        Err(error) if error.use_stderr() => {
            let text = error.to_string();
            // What clap says up to the first blank line; then come usage and hints.
            let said: Vec<_> = text.lines().map(str::trim).take_while(|line| !line.is_empty()).collect();
            return fail(said.join(" ").trim_start_matches("error: "), BAD_FLAG);
        }
        Err(help) => return if help.print().is_ok() { ExitCode::SUCCESS } else { ExitCode::from(INTERNAL) },
    };
    log(options.log, options.log_level);
    // What is written is compiled code: nobody else's to write to, whatever the shell said.
    rustix::process::umask(Mode::RWXG | Mode::RWXO);
    if options.prepare {
        return match prepare(&options.settings()) {
            Ok(()) => ExitCode::SUCCESS,
            Err(error) => fail(&error.to_string(), error.exit_code()),
        };
    }
    let threads =
        std::thread::available_parallelism().map_or(MIN_THREADS, |cores| cores.get().max(MIN_THREADS));
    let runtime =
        match tokio::runtime::Builder::new_multi_thread().worker_threads(threads).enable_all().build() {
            Ok(runtime) => runtime,
            Err(error) => return fail(&format!("runtime: {error}"), INTERNAL),
        };
    runtime.block_on(run(options))
}

async fn run(options: Options) -> ExitCode {
    // Handlers first: a signal that arrives while the artefact is compiled must not be lost, or end the process.
    let signals = [SignalKind::terminate(), SignalKind::interrupt(), SignalKind::hangup()].map(signal);
    let (mut terminate, mut interrupt, mut hangup) = match signals {
        [Ok(terminate), Ok(interrupt), Ok(hangup)] => (terminate, interrupt, hangup),
        [Err(error), ..] | [_, Err(error), _] | [.., Err(error)] => {
            return fail(&format!("signals: {error}"), INTERNAL);
        }
    };
    let edge = match Edge::start(options.settings()).await {
        Ok(edge) => edge,
        Err(error) => return fail(&error.to_string(), error.exit_code()),
    };
    if let Err(error) = ready(&edge) {
        return fail(&format!("standard output: {error}"), INTERNAL);
    }
    let reload = edge.reload();
    let reloads = async {
        while hangup.recv().await.is_some() {
            // Why one failed is in the log.
            drop(reload.reload().await);
        }
        std::future::pending::<Infallible>().await
    };
    let (tell, told) = watch::channel(Told::Serve);
    // A second signal is from somebody who does not want to wait.
    let telling = async {
        let first = tokio::select! {
            _ = terminate.recv() => Told::Leave,
            _ = interrupt.recv() => Told::LeaveNow,
        };
        tell.send_replace(first);
        tokio::select! {
            _ = terminate.recv() => {}
            _ = interrupt.recv() => {}
        }
        tell.send_replace(Told::LeaveNow);
        std::future::pending::<Infallible>().await
    };
    let drained = tokio::select! {
        drained = edge.serve(told) => drained,
        never = telling => match never {},
        never = reloads => match never {},
    };
    match drained {
        Drained::Clean => ExitCode::SUCCESS,
        Drained::Cut(connections) => fail(
            &format!(
                "{connections} connections were still open when the drain limit was over; raise --drain-ms if they \
                 should have been finished"
            ),
            CUT,
        ),
    }
}

/// The readiness line is this program's only output: whoever waits for it has to get it.
fn ready(edge: &Edge) -> io::Result<()> {
    writeln!(io::stdout(), "ready {}://{}", edge.scheme(), edge.address())?;
    if let Some(address) = edge.admin_address() {
        tracing::info!(%address, "admin");
    }
    Ok(())
}

#[expect(clippy::print_stderr, reason = "the one line that says why the program ends")]
fn fail(line: &str, code: u8) -> ExitCode {
    eprintln!("domicile-edge: {line}");
    ExitCode::from(code)
}

/// Only this crate's own lines are written: what libraries log may name a peer or a path.
fn log(format: LogFormat, level: LogLevel) {
    let level = match level {
        LogLevel::Warn => LevelFilter::WARN,
        LogLevel::Info => LevelFilter::INFO,
        LogLevel::Debug => LevelFilter::DEBUG,
    };
    let own = Targets::new().with_target("domicile_edge", level);
    let lines = tracing_subscriber::fmt::layer().with_writer(io::stderr).with_ansi(false);
    let registry = tracing_subscriber::registry().with(own);
    match format {
        LogFormat::Text => registry.with(lines).init(),
        LogFormat::Json => registry.with(lines.json()).init(),
    }
}
