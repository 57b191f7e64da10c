//! The manifest: its form, its signature, and whether it belongs to an artefact.

use std::collections::BTreeMap;
use std::fmt;

use domicile_envelope::{Envelope, SigningKey, VerifyingKey, sha256_hex};
use jiff::Timestamp;
use serde::{Deserialize, Serialize};

use crate::ManifestError;

/// The payload type of a manifest's envelope.
pub const PAYLOAD_TYPE: &str = "application/vnd.domicile.edge-manifest+json";

/// The version of the payload this build writes and reads.
pub const VERSION: u32 = 2;

const SECONDS_PER_MINUTE: i64 = 60;

/// What an artefact is.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Manifest {
    /// The version of this form: [`VERSION`].
    pub version: u32,
    /// SHA-256 of the artefact, in lower-case hex.
    pub sha256: String,
    /// The artefact's size in bytes.
    pub bytes: u64,
    /// Its size in bytes without what topology and lists put in.
    pub bytes_without_tables: u64,
    /// The minute since 1970 it was built for.
    pub built_minute: u32,
    /// The serial of the topology it is bound to.
    pub topology_serial: u64,
    /// SHA-256 of that topology's text, in lower-case hex: of the payload, so that signing it again changes nothing.
    pub topology_sha256: String,
    /// The id of the overlay whose lists it serves.
    pub overlay: String,
    /// The item vocabulary that overlay speaks of.
    pub vocabulary: String,
    /// When these lists become stale, RFC 3339.
    #[serde(with = "crate::time")]
    pub lists_not_after: Timestamp,
    /// When the first of its route manifests ends, RFC 3339; none when it was built without.
    #[serde(with = "crate::time::optional", default, skip_serializing_if = "Option::is_none")]
    pub routes_not_after: Option<Timestamp>,
    /// The first minute since 1970 for which it has no pin any more.
    pub pins_until_minute: u32,
    /// The cells it may reach, and so all that a host has to let it reach.
    pub cells: Vec<CellOrigin>,
    /// The versions of what made its modules, by name: compiler, bindings generator; `source` is the revision of
    /// published ones.
    pub tools: BTreeMap<String, String>,
    /// SHA-256 of everything it was made from, by name, in lower-case hex.
    pub inputs: BTreeMap<String, String>,
    /// What the whole asks of its host.
    pub imports: Vec<Interface>,
    /// What each part asked for before it was plugged.
    pub parts: BTreeMap<String, Vec<Interface>>,
}

/// Where a cell is reached.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct CellOrigin {
    /// The cell's name in the topology.
    pub name: String,
    /// How.
    pub scheme: Scheme,
    /// `host:port`, nothing else.
    pub authority: String,
}

/// How a cell is reached.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Scheme {
    /// Plain HTTP; only between processes of one machine.
    Http,
    /// HTTP over TLS.
    Https,
}

/// An imported or exported interface, as far as a component uses it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Interface {
    /// Its name with version.
    pub name: String,
    /// Its functions; none when only its types are used.
    pub functions: Vec<String>,
}

/// All that every version has.
#[derive(Deserialize)]
struct Versioned {
    version: u32,
}

impl Manifest {
    /// The manifest as it is written beside its artefact: a DSSE envelope, one text.
    pub fn sign(&self, key: &SigningKey) -> String {
        // Numbers, texts and maps of texts always have a JSON form.
        let payload = serde_json::to_vec_pretty(self).unwrap_or_default();
        Envelope::sign(PAYLOAD_TYPE, &payload, key).to_json()
    }

    /// Opens an envelope that one of `trusted` has to have signed.
    ///
    /// # Errors
    /// The first [`ManifestError`] met: trust, version, form.
    pub fn open(envelope: &[u8], trusted: &[VerifyingKey]) -> Result<Self, ManifestError> {
        Self::parse(&text(envelope)?.verify(PAYLOAD_TYPE, trusted)?)
    }

    /// Opens an envelope without asking who signed it: for tools that tell a person what lies there, never to act on.
    ///
    /// # Errors
    /// The first [`ManifestError`] met: version, form.
    pub fn open_unverified(envelope: &[u8]) -> Result<Self, ManifestError> {
        Self::parse(&text(envelope)?.unverified_payload()?)
    }

    fn parse(payload: &[u8]) -> Result<Self, ManifestError> {
        let form = |error: serde_json::Error| ManifestError::Form(error.to_string());
        // A later version's fields are no mistakes.
        let Versioned { version } = serde_json::from_slice(payload).map_err(form)?;
        if version != VERSION {
            return Err(ManifestError::Version(version));
        }
        serde_json::from_slice(payload).map_err(form)
    }

    /// Checks that this manifest describes `artefact`, byte by byte.
    ///
    /// # Errors
    /// [`ManifestError::OtherArtefact`] with both hashes.
    pub fn ensure_describes(&self, artefact: &[u8]) -> Result<(), ManifestError> {
        let found = sha256_hex(artefact);
        if found == self.sha256 {
            Ok(())
        } else {
            Err(ManifestError::OtherArtefact { stated: self.sha256.clone(), found })
        }
    }

    /// The first second since 1970 from which on it cannot serve as it should: a list is stale, a route manifest is
    /// over or no pin is known, whichever comes first.
    #[must_use]
    pub fn serves_until(&self) -> i64 {
        let pins = i64::from(self.pins_until_minute) * SECONDS_PER_MINUTE;
        let routes = self.routes_not_after.map_or(i64::MAX, Timestamp::as_second);
        self.lists_not_after.as_second().min(pins).min(routes)
    }

    /// [`Self::serves_until`] as RFC 3339 text.
    #[must_use]
    pub fn serves_until_text(&self) -> String {
        Timestamp::from_second(self.serves_until()).map_or_else(|_| String::new(), |time| time.to_string())
    }
}

fn text(envelope: &[u8]) -> Result<Envelope, ManifestError> {
    let text = std::str::from_utf8(envelope).map_err(|_| ManifestError::Encoding)?;
    Ok(Envelope::parse(text)?)
}

impl Scheme {
    /// The scheme as it stands in a URL.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Http => "http",
            Self::Https => "https",
        }
    }
}

impl fmt::Display for CellOrigin {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}://{}", self.scheme.as_str(), self.authority)
    }
}

#[cfg(test)]
mod tests;
