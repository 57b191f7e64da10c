//! The envelope: JSON with a base64 payload, its type, and signatures over both.

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD as BASE64;
use serde::{Deserialize, Serialize};

use crate::{KeyId, Sign, VerifyingKey};

/// Why an envelope was refused.
#[derive(Debug, thiserror::Error, PartialEq, Eq)]
pub enum EnvelopeError {
    /// The text is not an envelope.
    #[error("not a DSSE envelope: {0}")]
    Format(String),
    /// The payload is of another type than the one asked for.
    #[error("the envelope holds {found:?} and {expected:?} is needed")]
    Type {
        /// The type the envelope states.
        found: String,
        /// The type the caller needs.
        expected: String,
    },
    /// No signature is by a trusted key.
    #[error("no signature by a trusted key (signed by {signers:?}, trusted are {trusted:?})")]
    Untrusted {
        /// Key ids the envelope claims.
        signers: Vec<String>,
        /// Key ids that would have been accepted.
        trusted: Vec<KeyId>,
    },
    /// A trusted key's signature does not match: the document was altered.
    #[error("the signature by {0} does not match: the document was altered after it was signed")]
    Altered(KeyId),
}

/// A signed document (DSSE envelope.md).
#[derive(Clone, Debug, Serialize, Deserialize, PartialEq, Eq)]
#[serde(rename_all = "camelCase")]
pub struct Envelope {
    payload: String,
    payload_type: String,
    signatures: Vec<Signature>,
}

#[derive(Clone, Debug, Serialize, Deserialize, PartialEq, Eq)]
struct Signature {
    keyid: String,
    sig: String,
}

impl Envelope {
    /// Signs `payload` of `payload_type` (a media type) with `key`.
    pub fn sign(payload_type: &str, payload: &[u8], key: &impl Sign) -> Self {
        let signature = key.sign(&pre_authentication_encoding(payload_type, payload));
        Self {
            payload: BASE64.encode(payload),
            payload_type: payload_type.to_owned(),
            signatures: vec![Signature { keyid: key.id().to_string(), sig: BASE64.encode(signature) }],
        }
    }

    /// Reads an envelope's JSON.
    ///
    /// # Errors
    /// [`EnvelopeError::Format`] with line and column.
    pub fn parse(text: &str) -> Result<Self, EnvelopeError> {
        serde_json::from_str(text).map_err(|e| EnvelopeError::Format(e.to_string()))
    }

    /// The envelope as JSON text with a final newline.
    pub fn to_json(&self) -> String {
        let mut text = serde_json::to_string_pretty(self).unwrap_or_default();
        text.push('\n');
        text
    }

    /// The envelope as JSON text without blanks: for the wire, where a receipt travels in a header.
    pub fn to_line(&self) -> String {
        serde_json::to_string(self).unwrap_or_default()
    }

    /// The payload, once a key of `trusted` is seen to have signed exactly it as `payload_type`.
    ///
    /// The type is checked first: a receipt must never be accepted where a manifest is meant. Signatures by keys
    /// that are not trusted are ignored; a wrong signature under a trusted key's name is an error of its own.
    ///
    /// # Errors
    /// [`EnvelopeError`], naming which of the checks failed.
    pub fn verify(&self, payload_type: &str, trusted: &[VerifyingKey]) -> Result<Vec<u8>, EnvelopeError> {
        if self.payload_type != payload_type {
            return Err(EnvelopeError::Type {
                found: self.payload_type.clone(),
                expected: payload_type.to_owned(),
            });
        }
        let payload = self.unverified_payload()?;
        let message = pre_authentication_encoding(payload_type, &payload);
        let mut altered = None;
        for signature in &self.signatures {
            let Some(key) = trusted.iter().find(|key| key.id().to_string() == signature.keyid) else {
                continue;
            };
            let bytes = BASE64.decode(&signature.sig).ok().and_then(|b| <[u8; 64]>::try_from(b).ok());
            match bytes {
                Some(bytes) if key.verifies(&message, &bytes) => return Ok(payload),
                _ => altered = Some(key.id()),
            }
        }
        Err(altered.map_or_else(
            || EnvelopeError::Untrusted {
                signers: self.signatures.iter().map(|s| s.keyid.clone()).collect(),
                trusted: trusted.iter().map(VerifyingKey::id).collect(),
            },
            EnvelopeError::Altered,
        ))
    }

    /// The payload without any check: for tools that show a document to a person, never to act on.
    ///
    /// # Errors
    /// [`EnvelopeError::Format`] when the payload is not base64.
    pub fn unverified_payload(&self) -> Result<Vec<u8>, EnvelopeError> {
        BASE64.decode(&self.payload).map_err(|_| EnvelopeError::Format("the payload is not base64".into()))
    }
}

/// PAE of DSSE protocol.md: `DSSEv1 SP len(type) SP type SP len(body) SP body`, lengths in decimal bytes.
fn pre_authentication_encoding(payload_type: &str, payload: &[u8]) -> Vec<u8> {
    let mut bytes = format!("DSSEv1 {} {payload_type} {} ", payload_type.len(), payload.len()).into_bytes();
    bytes.extend_from_slice(payload);
    bytes
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::SigningKey;

    const TYPE: &str = "application/vnd.domicile.test+json";

    #[test]
    fn encoding_matches_the_specification_s_example() {
        // protocol.md gives this pair as its test vector.
        let encoded = pre_authentication_encoding("http://example.com/HelloWorld", b"hello world");
        assert_eq!(encoded, b"DSSEv1 29 http://example.com/HelloWorld 11 hello world");
    }

    #[test]
    fn a_signed_document_is_read_back() {
        let key = SigningKey::generate();
        let envelope = Envelope::parse(&Envelope::sign(TYPE, b"{}", &key).to_json()).unwrap();
        assert_eq!(envelope.verify(TYPE, &[key.verifying_key()]).unwrap(), b"{}");
    }

    #[test]
    fn each_refusal_says_which_check_failed() {
        let (key, other) = (SigningKey::generate(), SigningKey::generate());
        let envelope = Envelope::sign(TYPE, b"{}", &key);
        assert!(matches!(
            envelope.verify("text/plain", &[key.verifying_key()]),
            Err(EnvelopeError::Type { .. })
        ));
        assert!(matches!(
            envelope.verify(TYPE, &[other.verifying_key()]),
            Err(EnvelopeError::Untrusted { .. })
        ));
        let altered = Envelope { payload: BASE64.encode(b"[]"), ..envelope };
        let id = key.verifying_key().id();
        assert_eq!(altered.verify(TYPE, &[key.verifying_key()]), Err(EnvelopeError::Altered(id)));
        assert!(matches!(Envelope::parse("{"), Err(EnvelopeError::Format(_))));
    }

    proptest! {
        #[test]
        fn any_flipped_payload_bit_is_noticed(payload in prop::collection::vec(any::<u8>(), 1..64), at in any::<prop::sample::Index>(), bit in 0u8..8) {
            let key = SigningKey::generate();
            let envelope = Envelope::sign(TYPE, &payload, &key);
            let mut flipped = payload.clone();
            let position = at.index(flipped.len());
            flipped[position] ^= 1 << bit;
            let altered = Envelope { payload: BASE64.encode(&flipped), ..envelope };
            prop_assert_eq!(altered.verify(TYPE, &[key.verifying_key()]), Err(EnvelopeError::Altered(key.verifying_key().id())));
        }
    }
}
