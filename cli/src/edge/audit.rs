//! `domicile edge audit`.

use std::path::Path;
use std::process::ExitCode;

use domicile_forge::Audit;

use crate::output;

/// The exit code for a file that cannot be audited: neither passed nor failed.
const UNREADABLE: u8 = 2;

/// Audits a file and prints what is in it.
pub(super) fn run(file: &Path, json: bool) -> ExitCode {
    match read(file) {
        Ok(audit) => {
            if json {
                output::json(&serde_json::json!({ "passed": audit.passed(), "audit": audit }));
            } else {
                output::line(audit.to_string().trim_end());
            }
            if audit.passed() { ExitCode::SUCCESS } else { ExitCode::FAILURE }
        }
        Err(reason) => {
            #[expect(clippy::print_stderr, reason = "a command-line tool reports on standard error")]
            {
                eprintln!("domicile: cannot audit {}: {reason}", file.display());
            }
            ExitCode::from(UNREADABLE)
        }
    }
}

fn read(file: &Path) -> Result<Audit, String> {
    let bytes = std::fs::read(file).map_err(|error| error.to_string())?;
    // The parser explains itself over several lines; the first says what is wrong.
    domicile_forge::audit(&bytes)
        .map_err(|error| error.to_string().lines().next().unwrap_or("not a component").to_owned())
}
