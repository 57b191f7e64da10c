//! Signed envelopes for the modules here: whose keys sign, and what an input stands for.

use std::sync::OnceLock;

use domicile_envelope::{Envelope, SigningKey, VerifyingKey};

/// What an input stands for: its first byte says.
pub(crate) enum Input<'a> {
    /// An envelope's text, as anybody may write one.
    Text(&'a str),
    /// A payload that the right key signs.
    Payload(&'a [u8]),
    /// A payload that another key signs.
    Foreign(&'a [u8]),
}

impl<'a> Input<'a> {
    pub(crate) fn read(input: &'a [u8]) -> Option<Self> {
        let (kind, rest) = input.split_first()?;
        match kind {
            b't' => Some(Self::Text(std::str::from_utf8(rest).ok()?)),
            b'p' => Some(Self::Payload(rest)),
            b'f' => Some(Self::Foreign(rest)),
            _ => None,
        }
    }

    /// The envelope of a payload type.
    pub(crate) fn envelope(&self, kind: &str) -> String {
        match self {
            Self::Text(text) => (*text).to_owned(),
            Self::Payload(payload) => Envelope::sign(kind, payload, &trusted().0).to_line(),
            Self::Foreign(payload) => Envelope::sign(kind, payload, &foreign().0).to_line(),
        }
    }

    /// The payload that the right key has signed. Of a text, only that of the committed samples is known: another text
    /// with a signature that holds would have to come from the key.
    pub(crate) fn signed(&self) -> Option<&'a [u8]> {
        match self {
            Self::Payload(payload) => Some(payload),
            Self::Text(_) | Self::Foreign(_) => None,
        }
    }
}

/// The key that is trusted: a published one of the demo's, so that samples can be written down.
pub(crate) fn trusted() -> &'static (SigningKey, [VerifyingKey; 1]) {
    static KEY: OnceLock<(SigningKey, [VerifyingKey; 1])> = OnceLock::new();
    KEY.get_or_init(|| key(include_str!("../../../deploy/demo/keys/root.jwk")))
}

/// A key that nobody trusts.
pub(crate) fn foreign() -> &'static (SigningKey, [VerifyingKey; 1]) {
    static KEY: OnceLock<(SigningKey, [VerifyingKey; 1])> = OnceLock::new();
    KEY.get_or_init(|| key(include_str!("../../../deploy/demo/keys/pin.jwk")))
}

#[expect(clippy::expect_used, reason = "a committed key; without it there is nothing to compare")]
pub(crate) fn key(jwk: &str) -> (SigningKey, [VerifyingKey; 1]) {
    let key = SigningKey::from_jwk(jwk).expect("the demo's keys are keys");
    let public = key.verifying_key();
    (key, [public])
}
