//! `domicile key seal`: a cell's sealing keys by hand.
//!
//! A cell makes, offers, accepts and deletes its keys by itself. This is for what it cannot know: a key that has to be
//! there before its first start, and a key that has to go before its time. A running cell looks at its directory every
//! few seconds and goes by what lies there, so that a key made here is offered from then on; neither of the two ever
//! writes over the other's (`cell-backend/keyring`).

use std::io::{self, ErrorKind};
use std::path::{Path, PathBuf};
use std::process::ExitCode;

use anyhow::Context as _;
use domicile_keyring::{Found, KeyFiles};
use domicile_rotation::{Key, Policy, next_id};
use domicile_seal::{Kem, SealingKey};
use serde_json::json;

use crate::{clock, output};

/// How often another writer may be first before this one gives up.
const TRIES: usize = 8;

/// A cell's sealing keys.
#[derive(clap::Subcommand)]
pub(crate) enum Seal {
    /// Make a key in a cell's key directory
    New {
        /// The directory (`seal.key_dir` of a cell); made with its owner's rights alone where there is none
        #[arg(long, value_name = "DIR")]
        dir: PathBuf,
        /// x25519 or p256
        #[arg(long, default_value = "x25519")]
        kem: Kem,
        /// Its id, 0 to 255; default: the one after the newest key's. An existing key is never overwritten
        #[arg(long, value_name = "N")]
        id: Option<u8>,
    },
    /// List a cell's keys: id, KEM, age, and what the cell does with each
    List {
        /// The directory
        #[arg(long, value_name = "DIR")]
        dir: PathBuf,
        #[command(flatten)]
        rhythm: Rhythm,
        /// Print the list as JSON
        #[arg(long)]
        json: bool,
    },
    /// Make the next key of each KEM now: the cell offers it within seconds, and accepts the one before as long as ever
    Rotate {
        /// The directory
        #[arg(long, value_name = "DIR")]
        dir: PathBuf,
        /// Of this KEM alone
        #[arg(long)]
        kem: Option<Kem>,
    },
}

/// When the cell's keys change, as its configuration says.
#[derive(clap::Args)]
pub(crate) struct Rhythm {
    /// `seal.rotate_every_s` of the cell
    #[arg(long, value_name = "SECONDS", default_value_t = 86_400)]
    rotate_every_s: u32,
    /// `seal.overlap_s` of the cell
    #[arg(long, value_name = "SECONDS", default_value_t = 14_400)]
    overlap_s: u32,
}

/// What a cell does with a key.
#[derive(Clone, Copy)]
enum Use {
    /// Requests are sealed to it.
    Offered,
    /// Requests that were sealed to it are opened.
    Accepted,
    /// Its time is over: the cell deletes it.
    Retired,
    /// It was made further ahead than a key's life: the cell neither offers nor accepts nor deletes it.
    Ahead,
}

impl Use {
    const fn as_str(self) -> &'static str {
        match self {
            Self::Offered => "offered",
            Self::Accepted => "accepted",
            Self::Retired => "retired",
            Self::Ahead => "ahead",
        }
    }
}

/// Runs one command.
pub(super) fn run(command: Seal) -> anyhow::Result<ExitCode> {
    match command {
        Seal::New { dir, kem, id } => {
            let files = KeyFiles::new(&dir);
            // Looked at first even where the id is given: what is no directory is told as such, and not as one to make.
            files.read().map_err(|error| unread(&dir, &error))?;
            let key = match id {
                Some(id) => files.make(id, kem, clock::seconds())?,
                None => make_next(&files, &dir, kem)?,
            };
            tell_made(&key);
        }
        Seal::List { dir, rhythm, json } => list(&dir, &rhythm, json)?,
        Seal::Rotate { dir, kem } => {
            let files = KeyFiles::new(&dir);
            let found = read(&files, &dir)?;
            anyhow::ensure!(
                !found.keys.is_empty(),
                "{}: no sealing key there to rotate; `domicile key seal new` or the cell makes the first",
                dir.display()
            );
            for kem in Kem::ALL.into_iter().filter(|own| kem.is_none_or(|wanted| wanted == *own)) {
                tell_made(&make_next(&files, &dir, kem)?);
            }
        }
    }
    Ok(ExitCode::SUCCESS)
}

fn tell_made(key: &SealingKey) {
    output::line(format!("key {} ({}) made", key.id(), key.kem()));
}

/// The next key of a KEM. When the cell takes the same id at the same time, one of the two takes the next.
fn make_next(files: &KeyFiles, dir: &Path, kem: Kem) -> anyhow::Result<SealingKey> {
    for _ in 0..TRIES {
        // The first key of a cell comes before its directory.
        let found = files.read().map_err(|error| unread(dir, &error))?;
        let (own, taken) = of(&found, kem);
        let id = next_id(&own, &taken).context("all 256 ids are taken; delete keys whose time is over")?;
        match files.make(id, kem, clock::seconds()) {
            Err(error) if error.is_taken() => {}
            made => return Ok(made?),
        }
    }
    anyhow::bail!("{}: another program makes keys there all the time; stop it and try again", dir.display())
}

/// What lies in a directory that has to be there: a name that was mistyped is not a cell without keys.
fn read(files: &KeyFiles, dir: &Path) -> anyhow::Result<Found> {
    files.read_again().map_err(|error| unread(dir, &error))
}

fn unread(dir: &Path, error: &io::Error) -> anyhow::Error {
    let place = dir.display();
    let remedy = match error.kind() {
        ErrorKind::NotFound => "name the cell's `seal.key_dir`; `domicile key seal new` or the cell makes it",
        ErrorKind::PermissionDenied => "run this as the user that the cell runs as",
        _ => "name the directory that the cell has as `seal.key_dir`",
    };
    anyhow::anyhow!("{place}: {error}; {remedy}")
}

/// The keys of a KEM, and the ids that others have.
fn of(found: &Found, kem: Kem) -> (Vec<Key>, Vec<u8>) {
    let keys = |own: bool| found.keys.iter().filter(move |key| (key.kem() == kem) == own);
    let own = keys(true).map(|key| Key { id: key.id(), born_s: key.born() }).collect();
    (own, keys(false).map(SealingKey::id).chain(found.unread.iter().copied()).collect())
}

fn list(dir: &Path, rhythm: &Rhythm, json: bool) -> anyhow::Result<()> {
    let policy = Policy::new(rhythm.rotate_every_s.into(), rhythm.overlap_s.into(), 0)?;
    let (found, now_s) = (read(&KeyFiles::new(dir), dir)?, clock::seconds());
    let mut rows = Vec::new();
    for kem in Kem::ALL {
        let (own, taken) = of(&found, kem);
        let plan = policy.plan(&own, &taken, now_s);
        for key in &own {
            let use_of = match key.id {
                id if plan.offer == Some(id) => Use::Offered,
                id if plan.accept.contains(&id) => Use::Accepted,
                id if plan.delete.contains(&id) => Use::Retired,
                _ => Use::Ahead,
            };
            rows.push((key.id, kem, now_s.saturating_sub(key.born_s), use_of));
        }
    }
    if !json && rows.is_empty() && found.failed.is_empty() {
        output::line(format!("no sealing key in {}", dir.display()));
    }
    if json {
        let key = |&(id, kem, age_s, use_of): &(u8, Kem, i64, Use)| json!({ "id": id, "kem": kem.as_str(), "age_s": age_s, "use": use_of.as_str() });
        let keys: Vec<_> = rows.iter().map(key).collect();
        output::json(&json!({ "keys": keys, "failed": found.failed }));
    } else {
        for (id, kem, age_s, use_of) in rows {
            output::line(format!("{id:>3}  {:<6}  {age_s:>7} s  {}", kem.as_str(), use_of.as_str()));
        }
        found.failed.iter().for_each(|why| output::line(format!("not read: {}", output::shown(why))));
    }
    Ok(())
}
