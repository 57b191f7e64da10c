//! Reading a list of key configurations (RFC 9458, section 3).
//!
//! A client's side of it. Configurations of a KEM or suite that is not ours are passed over, as the RFC asks; anything
//! malformed refuses the whole list, because the list was signed by a cell and a cell does not write such.

use crate::suite::{AEAD_ID, KDF_ID, Kem};

/// Most configurations of a list that is read.
pub const MOST: usize = 16;

/// Why a list was refused.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub enum ConfigError {
    /// It ends within a configuration, or a configuration is longer or shorter than it says.
    #[error("a key configuration is cut off or has bytes too many")]
    Length,
    /// More than [`MOST`] configurations.
    #[error("more than {MOST} key configurations")]
    TooMany,
    /// Two of ours have one id, and nothing would tell which of them a request means.
    #[error("two key configurations have the id {0}")]
    Twice(u8),
    /// None is of a suite used here.
    #[error("no key configuration of a suite used here")]
    None,
    /// A public key is no point of its curve.
    #[error("the public key of the configuration {0} is not valid")]
    Key(u8),
}

/// A public configuration of one of our suites.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PublicConfig {
    /// The key's id.
    pub id: u8,
    /// Its KEM.
    pub kem: Kem,
    /// The configuration as encoded, without a length before it.
    pub(crate) bytes: Vec<u8>,
}

/// Writes a list: each configuration behind its length.
#[must_use]
pub fn encode_list<'a>(configs: impl IntoIterator<Item = &'a [u8]>) -> Vec<u8> {
    let mut list = Vec::new();
    for config in configs {
        // A configuration of one suite is far below 64 KiB.
        list.extend_from_slice(&u16::try_from(config.len()).unwrap_or(u16::MAX).to_be_bytes());
        list.extend_from_slice(config);
    }
    list
}

/// Reads a list; at least one configuration of ours, in the order of the list.
///
/// # Errors
/// [`ConfigError`].
pub fn read_list(mut list: &[u8]) -> Result<Vec<PublicConfig>, ConfigError> {
    let mut configs: Vec<PublicConfig> = Vec::new();
    let mut count = 0usize;
    while !list.is_empty() {
        count += 1;
        if count > MOST {
            return Err(ConfigError::TooMany);
        }
        let length = usize::from(u16::from_be_bytes(take(&mut list)?));
        let (bytes, rest) = list.split_at_checked(length).ok_or(ConfigError::Length)?;
        list = rest;
        let Some(config) = read(bytes)? else { continue };
        if configs.iter().any(|other| other.id == config.id) {
            return Err(ConfigError::Twice(config.id));
        }
        configs.push(config);
    }
    if configs.is_empty() { Err(ConfigError::None) } else { Ok(configs) }
}

/// One configuration; none when its KEM or none of its suites is ours.
fn read(bytes: &[u8]) -> Result<Option<PublicConfig>, ConfigError> {
    let mut rest = bytes;
    let [id] = take(&mut rest)?;
    let Some(kem) = Kem::of_id(u16::from_be_bytes(take(&mut rest)?)) else { return Ok(None) };
    let (_public, mut rest) = rest.split_at_checked(kem.public_bytes()).ok_or(ConfigError::Length)?;
    let length = usize::from(u16::from_be_bytes(take(&mut rest)?));
    if length == 0 || length % 4 != 0 || rest.len() != length {
        return Err(ConfigError::Length);
    }
    let mut ours = false;
    while !rest.is_empty() {
        let (kdf, aead) = (u16::from_be_bytes(take(&mut rest)?), u16::from_be_bytes(take(&mut rest)?));
        ours |= (kdf, aead) == (KDF_ID, AEAD_ID);
    }
    if !ours {
        return Ok(None);
    }
    ohttp::KeyConfig::decode(bytes).map_err(|_error| ConfigError::Key(id))?;
    Ok(Some(PublicConfig { id, kem, bytes: bytes.to_vec() }))
}

fn take<const N: usize>(bytes: &mut &[u8]) -> Result<[u8; N], ConfigError> {
    let (first, rest) = bytes.split_first_chunk::<N>().ok_or(ConfigError::Length)?;
    *bytes = rest;
    Ok(*first)
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::{ConfigError, MOST, encode_list, read_list};
    use crate::{Kem, SealingKey};

    fn config(id: u8, kem: Kem) -> Vec<u8> {
        SealingKey::from_seed(id, kem, 0, [id; 32]).config().unwrap()
    }

    #[test]
    fn a_list_keeps_its_order_and_passes_over_what_is_not_ours() {
        let (a, b) = (config(4, Kem::P256), config(5, Kem::X25519));
        let foreign_kem = [9, 0x64, 0x7a, 1, 2, 3];
        let mut foreign_suite = b.clone();
        foreign_suite[0] = 6;
        let at = foreign_suite.len() - 1;
        foreign_suite[at] = 3;
        let read = read_list(&encode_list([&a[..], &foreign_kem, &foreign_suite, &b])).unwrap();
        let found: Vec<_> = read.iter().map(|config| (config.id, config.kem)).collect();
        assert_eq!(found, [(4, Kem::P256), (5, Kem::X25519)]);
    }

    #[test]
    fn what_is_not_sound_refuses_the_list() {
        let one = config(4, Kem::X25519);
        let list = encode_list([&one[..]]);
        let refusal = |list: &[u8]| read_list(list).unwrap_err();
        assert_eq!(refusal(&[]), ConfigError::None);
        assert_eq!(refusal(&list[..list.len() - 1]), ConfigError::Length);
        assert_eq!(refusal(&encode_list([&one[..one.len() - 1]])), ConfigError::Length);
        assert_eq!(refusal(&encode_list([&[&one[..], &[0]].concat()[..]])), ConfigError::Length);
        assert_eq!(refusal(&encode_list([&one[..], &one])), ConfigError::Twice(4));
        assert_eq!(
            refusal(&encode_list(std::iter::repeat_n(&[9u8, 0, 0][..], MOST + 1))),
            ConfigError::TooMany
        );
        let mut no_point = config(4, Kem::P256);
        no_point[10] ^= 1;
        assert_eq!(refusal(&encode_list([&no_point[..]])), ConfigError::Key(4));
    }

    proptest! {
        #[test]
        fn any_bytes_are_read_or_refused(bytes in prop::collection::vec(any::<u8>(), 0..200)) {
            let _ = read_list(&bytes);
        }

        #[test]
        fn an_altered_list_is_read_or_refused(at in 0usize..43, byte in any::<u8>()) {
            let mut list = encode_list([&config(1, Kem::X25519)[..]]);
            let at = at % list.len();
            list[at] = byte;
            for config in read_list(&list).unwrap_or_default() {
                prop_assert!(crate::Sealer::new(&[config], None).is_ok(), "what is read can be sealed to");
            }
        }
    }
}
