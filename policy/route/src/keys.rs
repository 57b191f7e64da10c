//! A cell's statement of the keys that may be sealed to.

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD as BASE64;
use domicile_envelope::{Envelope, EnvelopeError, Sign, VerifyingKey};
use serde::{Deserialize, Serialize};

use crate::{KEYS_TYPE, stated_time};

/// The version of the payload's form.
const FORM: u32 = 1;

/// Which keys a cell takes sealed requests with, until when.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct KeyStatement {
    /// The version of this form.
    pub form: u32,
    /// The cell.
    pub cell: String,
    /// When it was signed (RFC 3339).
    pub issued: String,
    /// When it ends (RFC 3339).
    pub not_after: String,
    /// The list of key configurations (RFC 9458, section 3.2), as base64.
    pub configs: String,
}

/// Why a statement was refused.
#[derive(Debug, PartialEq, Eq, thiserror::Error)]
pub enum KeyStatementError {
    /// Not signed by the cell's key that the route manifest names, altered, or no envelope: an edge that hands out keys
    /// of its own gets no further than here.
    #[error("the cell's keys are not to be trusted: {0}")]
    Untrusted(EnvelopeError),
    /// Not a statement's form.
    #[error("the cell's keys, line {line}, column {column}: not a key statement")]
    Form {
        /// The line of the payload, from 1.
        line: usize,
        /// The column, from 1.
        column: usize,
    },
    /// Of a form this build does not know.
    #[error("the cell's keys have form {0}, and this build reads form {FORM}")]
    UnknownForm(u32),
    /// Of another cell.
    #[error("the keys are of cell {found:?}, and {asked:?} was asked for")]
    OtherCell {
        /// Whose they are.
        found: String,
        /// Whose were asked for.
        asked: String,
    },
    /// A time in it is none.
    #[error("the {0} of the cell's keys is no RFC 3339 time")]
    Time(&'static str),
    /// Its time is over.
    #[error("the cell's keys held until {0}")]
    Stale(String),
    /// The list is not base64.
    #[error("the list of the cell's keys is not base64")]
    Configs,
}

impl KeyStatement {
    /// A statement of these configurations from `issued_s` to `not_after_s`.
    #[must_use]
    pub fn new(cell: &str, configs: &[u8], issued_s: i64, not_after_s: i64) -> Self {
        Self {
            form: FORM,
            cell: cell.to_owned(),
            issued: stated_time::text(issued_s),
            not_after: stated_time::text(not_after_s),
            configs: BASE64.encode(configs),
        }
    }

    /// Signs it with the cell's key: the envelope's JSON, on one line.
    #[must_use]
    pub fn sign(&self, key: &impl Sign) -> String {
        // Texts and a number always make JSON.
        Envelope::sign(KEYS_TYPE, &serde_json::to_vec(self).unwrap_or_default(), key).to_line()
    }

    /// Opens the statement of `cell`, which one of `keys` has to have signed, at `now_s` seconds since 1970.
    ///
    /// # Errors
    /// The first [`KeyStatementError`] met: trust, form, cell, time, list.
    pub fn open(
        envelope: &str,
        cell: &str,
        keys: &[VerifyingKey],
        now_s: i64,
    ) -> Result<Self, KeyStatementError> {
        let payload = Envelope::parse(envelope)
            .and_then(|envelope| envelope.verify(KEYS_TYPE, keys))
            .map_err(KeyStatementError::Untrusted)?;
        let statement: Self = serde_json::from_slice(&payload)
            .map_err(|error| KeyStatementError::Form { line: error.line(), column: error.column() })?;
        if statement.form != FORM {
            return Err(KeyStatementError::UnknownForm(statement.form));
        }
        if statement.cell != cell {
            return Err(KeyStatementError::OtherCell { found: statement.cell, asked: cell.to_owned() });
        }
        stated_time::seconds(&statement.issued).ok_or(KeyStatementError::Time("issued"))?;
        if now_s >= statement.not_after_s().ok_or(KeyStatementError::Time("not_after"))? {
            return Err(KeyStatementError::Stale(statement.not_after));
        }
        statement.list()?;
        Ok(statement)
    }

    /// When it ends, in seconds since 1970.
    #[must_use]
    pub fn not_after_s(&self) -> Option<i64> {
        stated_time::seconds(&self.not_after)
    }

    /// The list of key configurations.
    ///
    /// # Errors
    /// [`KeyStatementError::Configs`]; never for a statement that was opened.
    pub fn list(&self) -> Result<Vec<u8>, KeyStatementError> {
        BASE64.decode(&self.configs).map_err(|_error| KeyStatementError::Configs)
    }
}

#[cfg(test)]
mod tests {
    use domicile_envelope::{Envelope, EnvelopeError, SigningKey};

    use super::{KeyStatement, KeyStatementError};
    use crate::{KEYS_TYPE, ROUTE_TYPE};

    const NOW: i64 = 1_800_000_000;

    #[test]
    fn either_key_of_a_cell_that_changes_keys_may_sign() {
        let [used, next, foreign] = [(); 3].map(|()| SigningKey::generate());
        let keys = [used.verifying_key(), next.verifying_key()];
        let statement = KeyStatement::new("eu-a", b"list", NOW, NOW + 900);
        let open = |key: &SigningKey| KeyStatement::open(&statement.sign(key), "eu-a", &keys, NOW);
        assert!(open(&used).is_ok() && open(&next).is_ok());
        assert!(matches!(open(&foreign), Err(KeyStatementError::Untrusted(_))));
    }

    #[test]
    fn a_statement_holds_until_its_end_and_for_its_cell() {
        let key = SigningKey::generate();
        let statement = KeyStatement::new("eu-a", b"list", NOW, NOW + 900);
        let signed = statement.sign(&key);
        let open = |cell: &str, now_s| KeyStatement::open(&signed, cell, &[key.verifying_key()], now_s);
        assert_eq!(open("eu-a", NOW + 899).unwrap().list().unwrap(), b"list");
        assert_eq!(open("eu-a", NOW + 900), Err(KeyStatementError::Stale(statement.not_after.clone())));
        let other = KeyStatementError::OtherCell { found: "eu-a".into(), asked: "eu-b".into() };
        assert_eq!(open("eu-b", NOW), Err(other));
    }

    #[test]
    fn keys_that_an_edge_made_itself_are_refused() {
        let (cell, edge) = (SigningKey::generate(), SigningKey::generate());
        let forged = KeyStatement::new("eu-a", b"the edge's", NOW, NOW + 900).sign(&edge);
        let verdict = KeyStatement::open(&forged, "eu-a", &[cell.verifying_key()], NOW);
        assert!(matches!(verdict, Err(KeyStatementError::Untrusted(EnvelopeError::Untrusted { .. }))));
    }

    #[test]
    fn each_other_fault_is_named() {
        let key = SigningKey::generate();
        let refusal = |kind: &str, payload: &str| {
            let envelope = Envelope::sign(kind, payload.as_bytes(), &key).to_json();
            KeyStatement::open(&envelope, "eu-a", &[key.verifying_key()], NOW).unwrap_err()
        };
        let with = |form: u32, not_after: &str, configs: &str| {
            format!(
                r#"{{"form":{form},"cell":"eu-a","issued":"2026-01-01T00:00:00Z","not_after":"{not_after}","configs":"{configs}"}}"#
            )
        };
        let end = "2030-01-01T00:00:00Z";
        assert!(matches!(
            refusal(ROUTE_TYPE, &with(1, end, "")),
            KeyStatementError::Untrusted(EnvelopeError::Type { .. })
        ));
        assert!(matches!(refusal(KEYS_TYPE, "{}"), KeyStatementError::Form { .. }));
        assert_eq!(refusal(KEYS_TYPE, &with(2, end, "")), KeyStatementError::UnknownForm(2));
        assert_eq!(refusal(KEYS_TYPE, &with(1, "soon", "")), KeyStatementError::Time("not_after"));
        assert_eq!(refusal(KEYS_TYPE, &with(1, end, "&")), KeyStatementError::Configs);
    }
}
