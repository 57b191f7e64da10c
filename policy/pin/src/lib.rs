//! The signed statement of a residency class that travels with a request.
//!
//! A pin is **one byte string per class and epoch, the same for every shopper of it**: a pin per shopper would be
//! an identifier in every access log on the way. It is for routing. The edge compares its bytes with the pins in
//! its tables; the cell verifies the signature. Signatures are deterministic (RFC 6979), so minting twice gives the
//! same bytes.
//!
//! Layout, 78 bytes, as text 104 characters of unpadded base64url (RFC 4648 §5):
//! class `u16` ‖ epoch `u32` ‖ key id `[u8; 8]` ‖ ECDSA P-256 signature r ‖ s `[u8; 64]`, big-endian.

mod epoch;

use std::fmt;

use base64::Engine as _;
use base64::engine::general_purpose::URL_SAFE_NO_PAD as BASE64URL;
use domicile_envelope::{KeyId, SigningKey, VerifyingKey};

pub use epoch::{Epoch, EpochPolicy};

/// Length of a pin in bytes.
pub const BYTES: usize = 78;
/// Length of a pin as text.
pub const TEXT: usize = 104;

/// What the signature is over, before class and epoch: no other signed thing begins like this.
const DOMAIN: &[u8] = b"domicile-pin-v1\0";

/// Why a pin was refused. The same enum is the metric label, the log field and the problem code.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum PinRefusal {
    /// Not 104 characters of base64url.
    #[error("pin-malformed")]
    Malformed,
    /// Signed by a key that the topology does not list for pins.
    #[error("pin-unknown-key")]
    UnknownKey,
    /// The signature is not that key's over this class and epoch.
    #[error("pin-forged")]
    Forged,
    /// Its epoch is over, the overlap included.
    #[error("pin-expired")]
    Expired,
    /// Its epoch has not begun.
    #[error("pin-early")]
    Early,
}

/// A pin that has the right shape; nothing is known about its signature yet.
#[derive(Clone, Copy, PartialEq, Eq)]
pub struct Pin {
    class: u16,
    epoch: Epoch,
    key: KeyId,
    signature: [u8; 64],
}

impl fmt::Debug for Pin {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Pin(class {}, epoch {}, key {})", self.class, self.epoch.0, self.key)
    }
}

impl Pin {
    /// Signs the pin of `class` in `epoch`.
    pub fn mint(class: u16, epoch: Epoch, key: &SigningKey) -> Self {
        let signature = key.sign(&statement(class, epoch));
        Self { class, epoch, key: key.verifying_key().id(), signature }
    }

    /// Reads a pin's text.
    ///
    /// # Errors
    /// [`PinRefusal::Malformed`].
    pub fn parse(text: &str) -> Result<Self, PinRefusal> {
        if text.len() != TEXT {
            return Err(PinRefusal::Malformed);
        }
        let bytes = BASE64URL.decode(text).map_err(|_| PinRefusal::Malformed)?;
        let bytes: [u8; BYTES] = bytes.try_into().map_err(|_| PinRefusal::Malformed)?;
        let (class, rest) = bytes.split_first_chunk::<2>().ok_or(PinRefusal::Malformed)?;
        let (epoch, rest) = rest.split_first_chunk::<4>().ok_or(PinRefusal::Malformed)?;
        let (key, rest) = rest.split_first_chunk::<8>().ok_or(PinRefusal::Malformed)?;
        let signature = *rest.first_chunk::<64>().ok_or(PinRefusal::Malformed)?;
        Ok(Self {
            class: u16::from_be_bytes(*class),
            epoch: Epoch(u32::from_be_bytes(*epoch)),
            key: KeyId::from_bytes(*key),
            signature,
        })
    }

    /// The class this pin *states*. Trust it only after [`Pin::verify`].
    pub fn stated_class(&self) -> u16 {
        self.class
    }

    /// The epoch this pin *states*. Trust it only after [`Pin::verify`].
    pub fn stated_epoch(&self) -> Epoch {
        self.epoch
    }

    /// The class, once the signature is seen to be a listed key's and the epoch is live at `minute`
    /// (whole minutes since the Unix epoch).
    ///
    /// # Errors
    /// The first [`PinRefusal`] met, in the order key, signature, time: a forged pin never learns the clock.
    pub fn verify(&self, keys: &[VerifyingKey], policy: EpochPolicy, minute: u32) -> Result<u16, PinRefusal> {
        let key = keys.iter().find(|key| key.id() == self.key).ok_or(PinRefusal::UnknownKey)?;
        if !key.verifies(&statement(self.class, self.epoch), &self.signature) {
            return Err(PinRefusal::Forged);
        }
        self.live_at(policy, minute)?;
        Ok(self.class)
    }

    /// Whether the stated epoch is live at `minute`; says nothing about the signature. For a pin whose signature was
    /// verified before.
    ///
    /// # Errors
    /// [`PinRefusal::Early`] or [`PinRefusal::Expired`].
    pub fn live_at(&self, policy: EpochPolicy, minute: u32) -> Result<(), PinRefusal> {
        if minute < policy.begins(self.epoch) {
            Err(PinRefusal::Early)
        } else if minute >= policy.ends(self.epoch) {
            Err(PinRefusal::Expired)
        } else {
            Ok(())
        }
    }
}

impl fmt::Display for Pin {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut bytes = Vec::with_capacity(BYTES);
        bytes.extend_from_slice(&self.class.to_be_bytes());
        bytes.extend_from_slice(&self.epoch.0.to_be_bytes());
        bytes.extend_from_slice(&self.key.to_bytes());
        bytes.extend_from_slice(&self.signature);
        f.write_str(&BASE64URL.encode(bytes))
    }
}

fn statement(class: u16, epoch: Epoch) -> Vec<u8> {
    let mut message = DOMAIN.to_vec();
    message.extend_from_slice(&class.to_be_bytes());
    message.extend_from_slice(&epoch.0.to_be_bytes());
    message
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    const POLICY: EpochPolicy = EpochPolicy { epoch_minutes: 1_440, overlap_minutes: 240 };

    #[test]
    fn the_same_class_and_epoch_always_give_the_same_bytes() {
        let key = SigningKey::generate();
        let texts: std::collections::BTreeSet<String> =
            (0..100).map(|_| Pin::mint(1, Epoch(20_000), &key).to_string()).collect();
        assert_eq!(texts.len(), 1);
        assert_eq!(texts.first().map(String::len), Some(TEXT));
    }

    #[test]
    fn a_pin_lives_for_its_epoch_and_the_overlap() {
        let key = SigningKey::generate();
        let pin = Pin::parse(&Pin::mint(7, Epoch(10), &key).to_string()).unwrap();
        let keys = [key.verifying_key()];
        let at = |minute| pin.verify(&keys, POLICY, minute);
        assert_eq!(at(10 * 1_440 - 1), Err(PinRefusal::Early));
        assert_eq!(at(10 * 1_440), Ok(7));
        assert_eq!(at(11 * 1_440 + 239), Ok(7));
        assert_eq!(at(11 * 1_440 + 240), Err(PinRefusal::Expired));
    }

    #[test]
    fn foreign_and_forged_pins_are_told_apart() {
        let (key, foreign) = (SigningKey::generate(), SigningKey::generate());
        let keys = [key.verifying_key()];
        let minute = 10 * 1_440;
        assert_eq!(
            Pin::mint(7, Epoch(10), &foreign).verify(&keys, POLICY, minute),
            Err(PinRefusal::UnknownKey)
        );
        let forged = Pin { class: 8, ..Pin::mint(7, Epoch(10), &key) };
        assert_eq!(forged.verify(&keys, POLICY, minute), Err(PinRefusal::Forged));
    }

    proptest! {
        #[test]
        fn any_text_is_parsed_or_refused(text in ".{0,200}") {
            let _ = Pin::parse(&text);
        }

        #[test]
        fn text_is_canonical(class in any::<u16>(), epoch in any::<u32>(), key in any::<[u8; 8]>(), half in any::<[u8; 32]>()) {
            let mut signature = [0; 64];
            signature[..32].copy_from_slice(&half);
            signature[32..].copy_from_slice(&half);
            let pin = Pin { class, epoch: Epoch(epoch), key: KeyId::from_bytes(key), signature };
            prop_assert_eq!(Pin::parse(&pin.to_string()), Ok(pin));
        }

        #[test]
        fn one_altered_character_never_verifies(at in 0usize..TEXT, letter in "[A-Za-z0-9_-]") {
            let key = SigningKey::generate();
            let pin = Pin::mint(7, Epoch(10), &key).to_string();
            let mut altered = pin.clone();
            altered.replace_range(at..=at, &letter);
            prop_assume!(altered != pin);
            let verdict = Pin::parse(&altered).and_then(|p| p.verify(&[key.verifying_key()], POLICY, 10 * 1_440));
            prop_assert!(verdict.is_err());
        }
    }
}
