//! `domicile snapshot` and `domicile overlay`: sign, verify and show the signed documents.

use std::path::{Path, PathBuf};
use std::process::ExitCode;

use anyhow::Context as _;
use domicile_envelope::Envelope;
use serde_json::Value;

use crate::edge::overlap;
use crate::{clock, key, output};

/// A kind of signed document.
#[derive(Clone, Copy)]
pub(crate) enum Kind {
    /// A snapshot's manifest.
    Snapshot,
    /// An overlay.
    Overlay,
}

impl Kind {
    const fn payload_type(self) -> &'static str {
        match self {
            Self::Snapshot => "application/vnd.domicile.snapshot+json",
            Self::Overlay => domicile_overlay::PAYLOAD_TYPE,
        }
    }
}

/// Sign, verify and show a signed document.
#[derive(clap::Subcommand)]
pub(crate) enum Document {
    /// Sign a payload into a DSSE envelope
    Sign {
        /// The JSON payload
        payload: PathBuf,
        /// The secret key
        #[arg(long, value_name = "FILE")]
        key: PathBuf,
        /// Where the envelope goes
        #[arg(long, value_name = "FILE")]
        out: PathBuf,
        /// Replace the payload's `not_after` before signing: so many days from now
        #[arg(long, value_name = "DAYS", value_parser = clap::value_parser!(u16).range(1..=3_650))]
        valid_days: Option<u16>,
    },
    /// Verify an envelope; exits 1 and says which check failed when it is refused
    Verify {
        /// The envelope
        file: PathBuf,
        /// A key file, public or secret, that has to have signed it
        #[arg(long, value_name = "FILE")]
        key: PathBuf,
    },
    /// Print an envelope's payload without verifying it
    Show {
        /// The envelope
        file: PathBuf,
    },
}

/// Runs one command on documents of `kind`.
pub(crate) fn run(kind: Kind, command: Document) -> anyhow::Result<ExitCode> {
    match command {
        Document::Sign { payload, key, out, valid_days } => {
            let inputs = [("the payload", payload.clone()), ("--key", key.clone())];
            overlap::ensure_none(&inputs, &[("--out", out.clone())])?;
            let signing = key::signing(&key)?;
            let bytes = payload_bytes(&payload, valid_days)?;
            let envelope = Envelope::sign(kind.payload_type(), &bytes, &signing);
            output::write_whole(&out, envelope.to_json().as_bytes())?;
        }
        Document::Verify { file, key } => {
            let trusted = [key::verifying(&key)?];
            if let Err(refusal) = envelope(&file)?.verify(kind.payload_type(), &trusted) {
                output::line(format!("{}: {refusal}", file.display()));
                return Ok(ExitCode::FAILURE);
            }
            output::line(format!(
                "{}: signed by {}",
                file.display(),
                trusted.map(|k| k.id().to_string()).concat()
            ));
        }
        Document::Show { file } => {
            output::document(&envelope(&file)?.unverified_payload()?);
        }
    }
    Ok(ExitCode::SUCCESS)
}

fn envelope(path: &Path) -> anyhow::Result<Envelope> {
    Envelope::parse(&output::read(path)?).with_context(|| path.display().to_string())
}

/// The payload's bytes as they stand in the file, or with another `not_after`. Untouched bytes keep their hash.
fn payload_bytes(path: &Path, valid_days: Option<u16>) -> anyhow::Result<Vec<u8>> {
    let text = output::read(path)?;
    let mut value: Value =
        serde_json::from_str(&text).with_context(|| format!("{} is not JSON", path.display()))?;
    let Some(days) = valid_days else { return Ok(text.into_bytes()) };
    let field = value.get_mut("not_after").with_context(|| format!("{} has no not_after", path.display()))?;
    let until = i64::from(clock::minute()) * 60 + i64::from(days) * 86_400;
    *field = Value::String(jiff::Timestamp::from_second(until)?.to_string());
    Ok(serde_json::to_vec(&value)?)
}
