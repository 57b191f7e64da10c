//! `modules.dsse.json`: what stands, signed, beside published core modules.
//!
//! Whoever builds an edge without a compiler has to take three binaries from somebody. The statement binds their hashes
//! to the compiler, the bindings generator and the revision they were made of, under a key that the publisher keeps for
//! releases alone, so that a build can tell the published modules from others and its manifest can name which they were.
//!
//! A signature per module was the alternative, rejected because modules of two releases could then be mixed.

use std::collections::BTreeMap;

use domicile_envelope::{Envelope, EnvelopeError, SigningKey, VerifyingKey};
use serde::{Deserialize, Serialize};

use crate::{Modules, sha256_hex};

/// The payload type of a statement's envelope.
pub const PAYLOAD_TYPE: &str = "application/vnd.domicile.edge-modules+json";
/// The statement's file name, in the folder of the modules.
pub const FILE: &str = "modules.dsse.json";
/// The version of the payload this build writes and reads.
const VERSION: u32 = 1;

/// What published modules are, and what they were made of.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Statement {
    /// The version of this form.
    version: u32,
    /// The revision of their source.
    pub source: String,
    /// The versions of what made them, by name: compiler, bindings generator.
    pub tools: BTreeMap<String, String>,
    /// SHA-256 of each by file name, in lower-case hex.
    pub modules: BTreeMap<String, String>,
}

/// Why modules are not those of a statement, or nobody is known to have stated it.
#[derive(Debug, PartialEq, Eq, thiserror::Error)]
pub enum StatementError {
    /// Not an envelope, of another payload type, altered, or signed by no key of those trusted.
    #[error("{0}; take the modules anew, with the release key of who publishes them")]
    Untrusted(#[from] EnvelopeError),
    /// The payload is of a version this build does not know.
    #[error(
        "version: {0}, and this build reads version {VERSION}; take modules and program from one release"
    )]
    Version(u32),
    /// The payload does not have a statement's form.
    #[error("payload: {0}; take the modules anew")]
    Form(String),
    /// A module is another one.
    #[error("{name} is {found}, and {stated} was published; take the modules anew")]
    OtherModule {
        /// The module's file.
        name: String,
        /// The SHA-256 that is stated; `nothing` where none is.
        stated: String,
        /// That of the bytes at hand.
        found: String,
    },
}

/// All that every version has.
#[derive(Deserialize)]
struct Versioned {
    version: u32,
}

impl Statement {
    /// The statement of these modules.
    #[must_use]
    pub fn new(modules: &Modules, tools: BTreeMap<String, String>, source: &str) -> Self {
        Self { version: VERSION, source: source.to_owned(), tools, modules: modules.hashes() }
    }

    /// The statement as it is written beside its modules: a DSSE envelope, one text.
    #[must_use]
    pub fn sign(&self, key: &SigningKey) -> String {
        // Numbers, texts and maps of texts always have a JSON form.
        let payload = serde_json::to_vec_pretty(self).unwrap_or_default();
        Envelope::sign(PAYLOAD_TYPE, &payload, key).to_json()
    }

    /// Opens an envelope that one of `trusted` has to have signed.
    ///
    /// # Errors
    /// The first [`StatementError`] met: trust, version, form.
    pub fn open(envelope: &str, trusted: &[VerifyingKey]) -> Result<Self, StatementError> {
        Self::parse(&Envelope::parse(envelope)?.verify(PAYLOAD_TYPE, trusted)?)
    }

    /// Opens an envelope without asking who signed it: it then tells a damaged module from a whole one, and no more.
    ///
    /// # Errors
    /// The first [`StatementError`] met: version, form.
    pub fn open_unverified(envelope: &str) -> Result<Self, StatementError> {
        Self::parse(&Envelope::parse(envelope)?.unverified_payload()?)
    }

    fn parse(payload: &[u8]) -> Result<Self, StatementError> {
        let form = |error: serde_json::Error| StatementError::Form(error.to_string());
        // A later version's fields are no mistakes.
        let Versioned { version } = serde_json::from_slice(payload).map_err(form)?;
        if version != VERSION {
            return Err(StatementError::Version(version));
        }
        serde_json::from_slice(payload).map_err(form)
    }

    /// Checks that it is of these modules, byte by byte.
    ///
    /// # Errors
    /// [`StatementError::OtherModule`] with the first that is another.
    pub fn ensure_describes(&self, modules: &Modules) -> Result<(), StatementError> {
        modules.hashes().into_iter().try_for_each(|(name, found)| match self.modules.get(&name) {
            Some(stated) if *stated == found => Ok(()),
            stated => {
                let stated = stated.map_or_else(|| "nothing".to_owned(), Clone::clone);
                Err(StatementError::OtherModule { name, stated, found })
            }
        })
    }
}

impl Modules {
    /// SHA-256 of each by file name, in lower-case hex.
    #[must_use]
    pub fn hashes(&self) -> BTreeMap<String, String> {
        self.files().map(|(name, bytes)| (name, sha256_hex(bytes))).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn modules() -> Modules {
        Modules { router: b"router".to_vec(), popularity: b"popularity".to_vec(), relay: b"relay".to_vec() }
    }

    fn signed(key: &SigningKey) -> String {
        let tools = BTreeMap::from([("rustc".to_owned(), "1.95.0".to_owned())]);
        Statement::new(&modules(), tools, "0123abc").sign(key)
    }

    #[test]
    fn a_statement_is_read_back_and_describes_its_modules() {
        let key = SigningKey::generate();
        let statement = Statement::open(&signed(&key), &[key.verifying_key()]).unwrap();
        assert_eq!((statement.source.as_str(), statement.tools["rustc"].as_str()), ("0123abc", "1.95.0"));
        assert_eq!(statement.ensure_describes(&modules()), Ok(()));
        assert_eq!(Statement::open_unverified(&signed(&key)), Ok(statement));
    }

    #[test]
    fn each_other_module_is_named() {
        let statement = Statement::open_unverified(&signed(&SigningKey::generate())).unwrap();
        let altered = |alter: fn(&mut Modules)| {
            let mut modules = modules();
            alter(&mut modules);
            match statement.ensure_describes(&modules) {
                Err(StatementError::OtherModule { name, .. }) => name,
                other => format!("{other:?}"),
            }
        };
        assert_eq!(altered(|modules| modules.router.push(0)), "router.wasm");
        assert_eq!(altered(|modules| modules.popularity.clear()), "popularity.wasm");
        assert_eq!(altered(|modules| modules.relay.clone_from(&modules.router)), "relay.wasm");
    }

    #[test]
    fn another_key_another_document_and_another_version_are_refused() {
        let (key, other) = (SigningKey::generate(), SigningKey::generate());
        let open = |envelope: &str| Statement::open(envelope, &[key.verifying_key()]).unwrap_err();
        assert!(matches!(open(&signed(&other)), StatementError::Untrusted(EnvelopeError::Untrusted { .. })));
        let manifest = Envelope::sign("application/vnd.domicile.edge-manifest+json", b"{}", &key).to_json();
        assert!(matches!(open(&manifest), StatementError::Untrusted(EnvelopeError::Type { .. })));
        let later = Envelope::sign(PAYLOAD_TYPE, br#"{"version": 2, "more": 1}"#, &key).to_json();
        assert_eq!(open(&later), StatementError::Version(2));
        let less = Envelope::sign(PAYLOAD_TYPE, br#"{"version": 1}"#, &key).to_json();
        assert!(matches!(open(&less), StatementError::Form(_)));
    }
}
