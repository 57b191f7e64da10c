//! `domicile key`: makes and shows keys.

mod seal;
mod token;

use std::path::{Path, PathBuf};
use std::process::ExitCode;

use anyhow::Context as _;
use domicile_envelope::{SigningKey, VerifyingKey};
use domicile_files::{Access, Partial, limit};

use crate::output;

/// Make and show keys.
#[derive(clap::Subcommand)]
pub(crate) enum Key {
    /// Keys that sign topologies, pins, overlays and snapshots (ECDSA P-256)
    #[command(subcommand)]
    Sign(Sign),
    /// A cell's sealing keys: what shoppers' requests are sealed to (X25519, P-256)
    #[command(subcommand)]
    Seal(seal::Seal),
    /// Keys that sign shoppers' tokens (EdDSA, ES256)
    #[command(subcommand)]
    Token(token::Token),
}

/// Signing keys.
#[derive(clap::Subcommand)]
pub(crate) enum Sign {
    /// Make a new key: the secret half into FILE (readable by its owner only), the public half to standard output
    New {
        /// Where the secret half goes; an existing file is never overwritten
        #[arg(long, value_name = "FILE")]
        out: PathBuf,
    },
    /// Print a key file's id and public half
    Show {
        /// A key file, secret or public
        file: PathBuf,
        /// Print `{"id": …, "jwk": …}`
        #[arg(long)]
        json: bool,
    },
}

/// Runs one command.
pub(crate) fn run(command: Key) -> anyhow::Result<ExitCode> {
    match command {
        Key::Seal(command) => return seal::run(command),
        Key::Token(command) => return token::run(command),
        Key::Sign(Sign::New { out }) => {
            let key = SigningKey::generate();
            write_secret(&out, &key.to_jwk())?;
            output::line(key.verifying_key().to_jwk());
        }
        Key::Sign(Sign::Show { file, json }) => {
            let key = verifying(&file)?;
            if json {
                output::json(&serde_json::json!({ "id": key.id().to_string(), "jwk": key.to_jwk() }));
            } else {
                output::line(format!("{}\n{}", key.id(), key.to_jwk()));
            }
        }
    }
    Ok(ExitCode::SUCCESS)
}

/// Reads a secret key file; the error names it.
pub(crate) fn signing(path: &Path) -> anyhow::Result<SigningKey> {
    SigningKey::from_jwk(&output::text(path, limit::KEY)?).with_context(|| format!("key {}", path.display()))
}

/// Reads a public or secret key file; the error names it.
pub(crate) fn verifying(path: &Path) -> anyhow::Result<VerifyingKey> {
    VerifyingKey::from_jwk(&output::text(path, limit::KEY)?)
        .with_context(|| format!("key {}", path.display()))
}

fn write_secret(path: &Path, text: &str) -> anyhow::Result<()> {
    // Whole or not at all: half a key at its place would be a key that is never overwritten.
    Partial::write(path, format!("{text}\n").as_bytes(), Access::Owner)
        .and_then(Partial::place_new)
        .with_context(|| format!("cannot make {} (an existing key is never overwritten)", path.display()))
}
