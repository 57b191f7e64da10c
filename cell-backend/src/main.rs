//! `domicile-cell`: serve a cell, or import histories into its store.

use std::io::{IsTerminal as _, Write as _};
use std::net::SocketAddr;
use std::num::NonZeroUsize;
use std::path::PathBuf;
use std::process::ExitCode;

use anyhow::Context as _;
use clap::{Args, Parser, Subcommand, ValueEnum};
use domicile_cell::failure::{EXIT_CODES, Failure};
use domicile_cell::import::{self, Times};
use domicile_cell::serve::{self, IndexKind};

/// One complete serving unit of Domicile: it retrieves, ranks and answers inside its boundary.
#[derive(Parser)]
#[command(name = "domicile-cell", version, after_help = EXIT_CODES)]
struct Cli {
    #[command(subcommand)]
    command: Command,
}

#[derive(Subcommand)]
enum Command {
    /// Serve until told to stop; prints `ready http://ADDRESS` once it answers.
    #[command(after_help = EXIT_CODES)]
    Serve(Box<ServeArgs>),
    /// Load histories into the store of a cell that is not running.
    #[command(after_help = EXIT_CODES)]
    Import(ImportArgs),
}

#[derive(Args)]
struct ServeArgs {
    /// The topology file.
    #[arg(long, value_name = "FILE")]
    topology: PathBuf,
    /// The cell's name in the topology.
    #[arg(long, value_name = "NAME")]
    cell: String,
    /// The snapshot's directory.
    #[arg(long, value_name = "DIR")]
    snapshot: PathBuf,
    /// A public key (JWK) to trust for snapshots, beside those of the topology.
    #[arg(long, value_name = "FILE")]
    snapshot_key: Option<PathBuf>,
    /// The signed overlay.
    #[arg(long, value_name = "FILE")]
    overlay: PathBuf,
    /// The feature store's directory; made when there is none.
    #[arg(long, value_name = "DIR")]
    store: PathBuf,
    /// The gateway's address; port 0 takes a free one.
    #[arg(long, value_name = "ADDRESS", default_value = "127.0.0.1:7101")]
    listen: SocketAddr,
    /// The admin listener's address: /ready, /live, /metrics, /status. Keep it on loopback.
    #[arg(long, value_name = "ADDRESS", default_value = "127.0.0.1:0")]
    admin: SocketAddr,
    /// The ONNX Runtime library (libonnxruntime.so, 1.20 or later); else ORT_DYLIB_PATH names it.
    #[arg(long, value_name = "PATH")]
    onnxruntime: Option<PathBuf>,
    /// Inference threads for the full ranker, and as many for tower and compact ranker [default: one per core].
    #[arg(long, value_name = "N")]
    ranker_threads: Option<NonZeroUsize>,
    /// The candidate index.
    #[arg(long, value_enum, default_value = "exact")]
    index: IndexKind,
    /// Stage budgets and limits (TOML, version 1).
    #[arg(long, value_name = "FILE")]
    config: Option<PathBuf>,
    /// Form of the log on standard error.
    #[arg(long, value_enum, default_value = "text")]
    log: LogForm,
}

#[derive(Args)]
struct ImportArgs {
    /// The topology file.
    #[arg(long, value_name = "FILE")]
    topology: PathBuf,
    /// The cell's name in the topology.
    #[arg(long, value_name = "NAME")]
    cell: String,
    /// CSV with the header `shopper,item,kind,time_s`; kind is view, basket or purchase.
    #[arg(long, value_name = "FILE")]
    history: PathBuf,
    /// CSV with the header `shopper,locale`.
    #[arg(long, value_name = "FILE")]
    assignments: PathBuf,
    /// The feature store's directory; made when there is none. What an earlier import left is replaced.
    #[arg(long, value_name = "DIR")]
    store: PathBuf,
    /// Move all events by whole weeks, so that the last one falls into the week before now.
    #[arg(long)]
    shift_to_now: bool,
    /// Print the counts as JSON.
    #[arg(long)]
    json: bool,
}

#[derive(Clone, Copy, ValueEnum)]
enum LogForm {
    Text,
    Json,
}

fn main() -> ExitCode {
    let result = match Cli::parse().command {
        Command::Serve(args) => run_serve(*args),
        Command::Import(args) => run_import(args),
    };
    let Err(error) = result else {
        return ExitCode::SUCCESS;
    };
    // Where standard error is closed, the exit code has to do.
    let _ = writeln!(std::io::stderr(), "domicile-cell: {error:#}");
    error.downcast_ref::<Failure>().map_or(ExitCode::FAILURE, |failure| ExitCode::from(failure.exit as u8))
}

fn run_serve(args: ServeArgs) -> anyhow::Result<()> {
    start_log(args.log);
    let cores = std::thread::available_parallelism().map_or(1, usize::from);
    let options = serve::Serve {
        topology: args.topology,
        cell: args.cell,
        snapshot: args.snapshot,
        snapshot_key: args.snapshot_key,
        overlay: args.overlay,
        store: args.store,
        listen: args.listen,
        admin: args.admin,
        onnxruntime: args.onnxruntime,
        ranker_threads: args.ranker_threads.map_or(cores, NonZeroUsize::get),
        index: args.index,
        config: args.config,
    };
    let runtime =
        tokio::runtime::Builder::new_multi_thread().enable_all().build().context("async runtime")?;
    runtime.block_on(serve::serve(options))?;
    Ok(())
}

fn run_import(args: ImportArgs) -> anyhow::Result<()> {
    let report = import::import(&import::Options {
        topology: args.topology,
        cell: args.cell,
        history: args.history,
        assignments: args.assignments,
        store: args.store,
        times: if args.shift_to_now { Times::ShiftedToNow } else { Times::AsTheyAre },
    })?;
    let mut out = std::io::stdout().lock();
    if args.json {
        writeln!(out, "{}", serde_json::to_string(&report)?)?;
        return Ok(());
    }
    writeln!(
        out,
        "{} shoppers with {} events taken in {} ms",
        report.shoppers, report.events, report.elapsed_ms
    )?;
    writeln!(out, "{} shoppers have their home in another cell", report.shoppers_of_other_cells)?;
    writeln!(out, "{} shoppers have a class without any cell", report.shoppers_without_cell)?;
    writeln!(out, "{} shoppers have no locale in the assignments", report.shoppers_without_locale)?;
    writeln!(out, "{} events of those were not taken", report.events_not_taken)?;
    writeln!(
        out,
        "{} events are older than their shopper's erasure and were not taken",
        report.events_erased
    )?;
    let (dropped, most) = (report.events_dropped, domicile_cell::features::ITEMS_MAX);
    Ok(writeln!(out, "{dropped} events were dropped: of items beyond a shopper's {most} latest")?)
}

fn start_log(form: LogForm) {
    let coloured = std::io::stderr().is_terminal();
    let log = tracing_subscriber::fmt()
        .with_max_level(tracing::Level::INFO)
        .with_ansi(coloured)
        .with_writer(std::io::stderr);
    match form {
        LogForm::Text => log.init(),
        LogForm::Json => log.json().init(),
    }
}
