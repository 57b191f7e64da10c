//! `domicile key token`: the identity service's keys, and the set of their public halves that cells verify with.

use std::path::{Path, PathBuf};
use std::process::ExitCode;

use anyhow::Context as _;
use domicile_files::limit;
use domicile_jwt::{KeySet, TokenAlgorithm, TokenKey};
use zeroize::Zeroizing;

use crate::edge::overlap;
use crate::{key, output};

/// Keys for shoppers' tokens.
#[derive(clap::Subcommand)]
pub(crate) enum Token {
    /// Make a new key: the secret half into FILE (readable by its owner only), the public half to standard output
    New {
        /// Where the secret half goes; an existing file is never overwritten
        #[arg(long, value_name = "FILE")]
        out: PathBuf,
        /// EdDSA or ES256
        #[arg(long, value_name = "ALGORITHM", default_value = "EdDSA")]
        alg: TokenAlgorithm,
    },
    /// Make the key set of cells (`tokens.keys`) from key files; to take a key out of use, make it without
    Set {
        /// Key files, secret or public
        #[arg(required = true)]
        files: Vec<PathBuf>,
        /// Where the set goes, whole and at once: cells read it again while they serve. Default: standard output
        #[arg(long, value_name = "FILE")]
        out: Option<PathBuf>,
    },
    /// Print a key file's name and public half
    Show {
        /// A key file, secret or public
        file: PathBuf,
        /// Print `{"id": …, "jwk": …}`
        #[arg(long)]
        json: bool,
    },
}

/// Runs one command.
pub(super) fn run(command: Token) -> anyhow::Result<ExitCode> {
    match command {
        Token::New { out, alg } => {
            let key = TokenKey::generate(alg)?;
            key::write_secret(&out, &key.to_jwk()?)?;
            output::line(key.to_public_jwk()?);
        }
        Token::Set { files, out } => {
            let inputs: Vec<_> = files.iter().map(|file| ("the key", file.clone())).collect();
            let outputs: Vec<_> = out.iter().map(|out| ("--out", out.clone())).collect();
            overlap::ensure_none(&inputs, &outputs)?;
            let keys = files.iter().map(|file| public(file)).collect::<anyhow::Result<Vec<_>>>()?;
            let set = format!("{{\"keys\":[\n{}\n]}}", keys.join(",\n"));
            // Whoever reads it has the last word: two keys of one name would be refused there.
            KeySet::parse(&set).context("these keys make no set")?;
            match out {
                Some(out) => output::write_whole(&out, format!("{set}\n").as_bytes())?,
                None => output::line(set),
            }
        }
        Token::Show { file, json } => {
            let jwk = public(&file)?;
            let set = KeySet::parse(&format!("{{\"keys\":[{jwk}]}}"))?;
            let id = set.names().next().unwrap_or_default();
            if json {
                output::json(&serde_json::json!({ "id": id, "jwk": jwk }));
            } else {
                output::line(format!("{}\n{jwk}", output::shown(id)));
            }
        }
    }
    Ok(ExitCode::SUCCESS)
}

fn public(path: &Path) -> anyhow::Result<String> {
    let text = output::text(path, limit::KEY).map(Zeroizing::new)?;
    TokenKey::public_jwk(&text).with_context(|| format!("key {}", path.display()))
}
