//! `cargo xtask fuzz`: libFuzzer, guided by coverage, on the stable compiler.
//!
//! cargo-fuzz asks for a nightly compiler, mostly for its sanitizers. There is no `unsafe` here for those to look at;
//! what guides the search, the counters on every edge of the control flow, the stable compiler inserts as well when it
//! is asked to run LLVM's own pass. What is fuzzed is compiled with it below a target folder of its own, so that
//! nothing else is built twice; the standard library has no counters.

mod build;
mod watch;

use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use anyhow::Context as _;

use domicile_cluster::report::{print, say};
use domicile_cluster::{paths, process};

use crate::bench::machine;
use watch::{Seen, Watch};

/// What `cargo xtask fuzz` takes.
#[derive(clap::Args)]
pub(crate) struct Fuzz {
    /// What to fuzz (a file of fuzz/src/bin); everything when left out
    target: Option<String>,
    /// Seconds for each target
    #[arg(long, default_value_t = 60, value_parser = clap::value_parser!(u32).range(1..))]
    seconds: u32,
    /// Decides how inputs are changed
    #[arg(long, default_value_t = 1, value_parser = clap::value_parser!(u32).range(1..))]
    seed: u32,
    /// Run this one input instead, as a finding tells
    #[arg(long, value_name = "FILE", requires = "target", conflicts_with = "keep")]
    repeat: Option<PathBuf>,
    /// Afterwards put the inputs that reach something new into fuzz/corpus, to be committed
    #[arg(long)]
    keep: bool,
}

/// Seconds for each target in `cargo xtask test`.
const SMOKE_SECONDS: u32 = 20;

/// Runs the fuzzer. A finding is an error.
pub(crate) fn run(fuzz: &Fuzz) -> anyhow::Result<()> {
    let targets = targets(fuzz.target.as_deref())?;
    build::targets()?;
    if let Some(input) = &fuzz.repeat {
        let input = input.canonicalize().with_context(|| format!("no input {}", input.display()))?;
        let target = targets.first().context("no target")?;
        return process::run(Command::new(build::binary(target)).arg(input));
    }
    for target in &targets {
        Session::new(target)?.run(fuzz.seconds, fuzz.seed, fuzz.keep)?;
    }
    Ok(())
}

/// The step of `cargo xtask test`: every target for a short time.
pub(crate) fn smoke() -> anyhow::Result<()> {
    run(&Fuzz { target: None, seconds: SMOKE_SECONDS, seed: 1, repeat: None, keep: false })
}

/// The targets there are: one for each file.
fn targets(only: Option<&str>) -> anyhow::Result<Vec<String>> {
    let folder = paths::root().join("fuzz/src/bin");
    let entries =
        std::fs::read_dir(&folder).with_context(|| format!("cannot look at {}", folder.display()))?;
    let mut all: Vec<String> = entries
        .filter_map(|entry| Some(entry.ok()?.path()))
        .filter(|path| path.extension().is_some_and(|extension| extension == "rs"))
        .filter_map(|path| Some(path.file_stem()?.to_str()?.to_owned()))
        .collect();
    all.sort();
    match only {
        Some(target) => {
            anyhow::ensure!(
                all.iter().any(|known| known == target),
                "nothing to fuzz is called {target:?}: there is {}",
                all.join(", ")
            );
            Ok(vec![target.to_owned()])
        }
        None => Ok(all),
    }
}

/// One target and its folders.
struct Session<'a> {
    target: &'a str,
    /// Inputs that are committed.
    seeds: PathBuf,
    /// Inputs of earlier runs on this machine: a run goes on where the last one ended.
    found: PathBuf,
    /// Where an input is put that fails.
    findings: PathBuf,
}

impl<'a> Session<'a> {
    fn new(target: &'a str) -> anyhow::Result<Self> {
        let (root, work) = (paths::root().join("fuzz"), paths::target().join("fuzz"));
        let session = Self {
            target,
            seeds: root.join("corpus").join(target),
            found: work.join("corpus").join(target),
            findings: work.join("findings").join(target),
        };
        for folder in [&session.seeds, &session.found, &session.findings] {
            std::fs::create_dir_all(folder).with_context(|| format!("cannot make {}", folder.display()))?;
        }
        Ok(session)
    }

    fn run(&self, seconds: u32, seed: u32, keep: bool) -> anyhow::Result<()> {
        let mut fuzzer = Command::new(build::binary(self.target));
        // What was wrong is in the message; whoever repeats it can ask for the way there.
        fuzzer.env("RUST_BACKTRACE", "0");
        fuzzer
            .arg(format!("-max_total_time={seconds}"))
            .arg(format!("-seed={seed}"))
            .arg(format!("-artifact_prefix={}/", self.findings.display()))
            .args(["-print_final_stats=1", "-timeout=5", "-rss_limit_mb=1024"]);
        let words = paths::root().join("fuzz/dictionaries").join(self.target).with_extension("dict");
        if words.is_file() {
            fuzzer.arg(format!("-dict={}", words.display()));
        }
        fuzzer.arg(&self.found).arg(&self.seeds);
        let seen = Watch::new(self.target, seconds).over(&mut fuzzer)?;
        if let Some(input) = &seen.finding {
            return Err(self.finding(input, &seen));
        }
        anyhow::ensure!(seen.ended_well, "{} ended by itself: {}", self.target, seen.last);
        anyhow::ensure!(
            seen.counters > 0 && seen.coverage > 0,
            "{} ran without coverage: the compiler inserted no counters",
            self.target
        );
        print(format!(
            "{}: {} inputs in {seconds} s, {} of {} counters reached, nothing found; seed {seed}, {}",
            self.target,
            seen.inputs,
            seen.coverage,
            seen.counters,
            machine()
        ));
        if keep { self.keep() } else { Ok(()) }
    }

    fn finding(&self, input: &Path, seen: &Seen) -> anyhow::Error {
        for line in &seen.story {
            say(line);
        }
        say(format!(
            "the input is saved; repeat it with\n  cargo xtask fuzz {} --repeat {}",
            self.target,
            input.display()
        ));
        anyhow::anyhow!("{}: something was found", self.target)
    }

    /// Merges what was found into the committed corpus: of inputs that reach the same, the smallest.
    fn keep(&self) -> anyhow::Result<()> {
        let mut merge = Command::new(build::binary(self.target));
        merge.arg("-merge=1").arg(&self.seeds).arg(&self.found);
        process::run(merge.stderr(Stdio::null()))
    }
}
