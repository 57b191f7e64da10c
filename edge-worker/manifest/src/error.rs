//! Why a manifest is refused.

use domicile_envelope::EnvelopeError;

use crate::VERSION;

/// Why a manifest, or the artefact beside it, is refused.
#[derive(Debug, PartialEq, Eq, thiserror::Error)]
pub enum ManifestError {
    /// The bytes are no text.
    #[error("not UTF-8; give the edge.manifest.dsse.json that `domicile edge build` wrote")]
    Encoding,
    /// Not an envelope, of another payload type, altered, or signed by no key of those trusted.
    #[error("{0}; build the edge anew with a key that the topology lists with use \"edge\"")]
    Untrusted(#[from] EnvelopeError),
    /// The payload is of a version this build does not know.
    #[error("version: {0}, and this build reads version {VERSION}; use a build that knows the other one")]
    Version(u32),
    /// The payload does not have a manifest's form.
    #[error("payload: {0}; build the edge anew")]
    Form(String),
    /// The manifest is of another artefact.
    #[error("it describes the artefact {stated}, and this one is {found}; take both from one build")]
    OtherArtefact {
        /// The SHA-256 that the manifest states.
        stated: String,
        /// That of the bytes at hand.
        found: String,
    },
}
