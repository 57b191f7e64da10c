//! A topology as it is published: the exact text of a `topology.toml`, signed with a root key.
//!
//! Who may process a request follows from this file, so nobody but the holder of the offline root key may change it.
//! Everything that changes more often (pins, overlays, snapshots, edges) is signed with keys that the topology lists,
//! so that publishing those never needs the root key.

use domicile_envelope::{Envelope, EnvelopeError, KeyId, SigningKey, VerifyingKey, is_published, sha256_hex};

use crate::{Cell, KeyUse, Topology, TopologyError};

/// The payload type of a topology's envelope.
pub const PAYLOAD_TYPE: &str = "application/vnd.domicile.topology+toml";

/// A topology whose signature has been checked.
#[derive(Clone, Debug, PartialEq)]
pub struct SignedTopology {
    /// What it says.
    pub topology: Topology,
    /// SHA-256 of its text, in lower-case hex: signing the same text again changes nothing.
    pub sha256: String,
    /// The root key that signed it.
    pub signer: KeyId,
}

/// Why a signed topology is refused, or a topology is not signed.
#[derive(Debug, PartialEq, Eq, thiserror::Error)]
pub enum SignedTopologyError {
    /// Not an envelope, of another payload type, altered, or signed by no root key given.
    #[error("{0}; sign it with the root key (`domicile topology sign`)")]
    Untrusted(#[from] EnvelopeError),
    /// The payload is no text.
    #[error("the payload is not UTF-8; sign a topology.toml (`domicile topology sign`)")]
    Encoding,
    /// The text is no sound topology.
    #[error(transparent)]
    Unsound(#[from] TopologyError),
    /// The signing key does another key's work as well.
    #[error("key {0} is listed with use {1:?}; a root key stays offline, so it signs nothing else")]
    NotRoot(KeyId, &'static str),
    /// Signed with the published demo key, and not for the demo.
    #[error(
        "signed with the published demo key {0}, which everybody has, and a cell stands elsewhere than on loopback; \
         make a root key with `domicile key sign new`"
    )]
    Published(KeyId),
}

impl Topology {
    /// Signs a topology's text: the envelope that holds exactly these bytes.
    ///
    /// # Errors
    /// When the text is no sound topology, or the key is not fit to sign it.
    pub fn sign(text: &str, key: &SigningKey) -> Result<String, SignedTopologyError> {
        let topology = Self::parse(text)?;
        topology.fits_root(&key.verifying_key())?;
        Ok(Envelope::sign(PAYLOAD_TYPE, text.as_bytes(), key).to_json())
    }

    /// Opens an envelope that one of these root keys has to have signed.
    ///
    /// # Errors
    /// The first [`SignedTopologyError`] met: trust, then the text.
    pub fn open(envelope: &str, roots: &[VerifyingKey]) -> Result<SignedTopology, SignedTopologyError> {
        let envelope = Envelope::parse(envelope)?;
        let payload = envelope.verify(PAYLOAD_TYPE, roots)?;
        let text = String::from_utf8(payload).map_err(|_| SignedTopologyError::Encoding)?;
        let topology = Self::parse(&text)?;
        let signed_by =
            |key: &&VerifyingKey| envelope.verify(PAYLOAD_TYPE, std::slice::from_ref(*key)).is_ok();
        let Some(signer) = roots.iter().find(signed_by) else {
            return Err(EnvelopeError::Untrusted { signers: Vec::new(), trusted: Vec::new() }.into());
        };
        topology.fits_root(signer)?;
        Ok(SignedTopology { topology, sha256: sha256_hex(text.as_bytes()), signer: signer.id() })
    }

    fn fits_root(&self, key: &VerifyingKey) -> Result<(), SignedTopologyError> {
        if let Some(other) = self.keys.iter().find(|k| k.key == *key && k.purpose != KeyUse::Root) {
            return Err(SignedTopologyError::NotRoot(key.id(), other.purpose.as_str()));
        }
        if self.cells.iter().flat_map(Cell::signing_keys).any(|own| own == key) {
            return Err(SignedTopologyError::NotRoot(key.id(), "signing_key of a cell"));
        }
        if is_published(key.id()) && !self.is_on_loopback() {
            return Err(SignedTopologyError::Published(key.id()));
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const DEMO: &str = include_str!("../../../deploy/demo/topology.toml");

    fn elsewhere() -> String {
        let keys = DEMO.find("[[key]]").unwrap();
        let pin = SigningKey::generate().verifying_key().to_jwk();
        let unsigned = |line: &&str| !line.starts_with("signing_key");
        let text = DEMO[..keys].lines().filter(unsigned).fold(String::new(), |text, line| text + line + "\n");
        let text = text.replace("scheme = \"http\"\n", "").replace("127.0.0.1", "cell.example");
        format!("{text}[[key]]\nuse = \"pin\"\njwk = '{pin}'\n")
    }

    #[test]
    fn a_signed_topology_is_read_back() {
        let (root, successor) = (SigningKey::generate(), SigningKey::generate());
        let envelope = Topology::sign(DEMO, &successor).unwrap();
        let trusted = [root.verifying_key(), successor.verifying_key()];
        let signed = Topology::open(&envelope, &trusted).unwrap();
        assert_eq!(signed.topology, Topology::parse(DEMO).unwrap());
        assert_eq!(signed.signer, successor.verifying_key().id());
        assert_eq!(signed.sha256, sha256_hex(DEMO.as_bytes()));
    }

    #[test]
    fn another_key_and_another_document_are_refused() {
        let (root, other) = (SigningKey::generate(), SigningKey::generate());
        let refused = |envelope: &str| Topology::open(envelope, &[root.verifying_key()]).unwrap_err();
        let foreign = refused(&Topology::sign(DEMO, &other).unwrap());
        assert!(matches!(foreign, SignedTopologyError::Untrusted(EnvelopeError::Untrusted { .. })));
        assert!(foreign.to_string().contains("`domicile topology sign`"), "{foreign}");
        let overlay = Envelope::sign("application/vnd.domicile.overlay+json", DEMO.as_bytes(), &root);
        let overlay = refused(&overlay.to_json());
        assert!(matches!(overlay, SignedTopologyError::Untrusted(EnvelopeError::Type { .. })));
        let broken = refused(&Envelope::sign(PAYLOAD_TYPE, b"version = 1", &root).to_json());
        assert!(matches!(broken, SignedTopologyError::Unsound(_)));
        let bytes = refused(&Envelope::sign(PAYLOAD_TYPE, &[0xff], &root).to_json());
        assert_eq!(bytes, SignedTopologyError::Encoding);
        assert!(matches!(Topology::sign("version = 1", &root), Err(SignedTopologyError::Unsound(_))));
    }

    #[test]
    fn a_root_key_signs_nothing_else() {
        let pin = SigningKey::from_jwk(include_str!("../../../deploy/demo/keys/pin.jwk")).unwrap();
        let refused = Topology::sign(DEMO, &pin).unwrap_err();
        assert!(matches!(refused, SignedTopologyError::NotRoot(_, "pin")), "{refused}");
        let envelope = Envelope::sign(PAYLOAD_TYPE, DEMO.as_bytes(), &pin).to_json();
        assert_eq!(Topology::open(&envelope, &[pin.verifying_key()]), Err(refused));
        let cell = SigningKey::from_jwk(include_str!("../../../deploy/demo/keys/cell-eu-a.jwk")).unwrap();
        let refused = Topology::sign(DEMO, &cell).unwrap_err();
        assert!(matches!(refused, SignedTopologyError::NotRoot(_, "signing_key of a cell")), "{refused}");
    }

    #[test]
    fn the_demo_s_root_key_signs_the_demo_alone() {
        let root = SigningKey::from_jwk(include_str!("../../../deploy/demo/keys/root.jwk")).unwrap();
        assert!(Topology::sign(DEMO, &root).is_ok());
        let refused = Topology::sign(&elsewhere(), &root).unwrap_err();
        assert!(matches!(refused, SignedTopologyError::Published(_)), "{refused}");
        assert!(Topology::sign(&elsewhere(), &SigningKey::generate()).is_ok());
    }
}
