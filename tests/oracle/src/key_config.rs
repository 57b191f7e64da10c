//! Lists of key configurations, once more (RFC 9458, section 3): cut first, judged after.

use domicile_seal::config::{ConfigError, PublicConfig, read_list};
use domicile_seal::{SealError, Sealer};

use crate::{Disagreement, agree};

/// Most configurations.
const MOST: usize = 16;
/// The suites that are ours: a KEM's number and the length of its public keys.
const KEMS: [(u16, usize); 2] = [(0x0020, 32), (0x0010, 65)];
/// HKDF-SHA256 with AES-128-GCM.
const SUITE: [u8; 4] = [0, 1, 0, 1];

/// Reads an input as a list. Whether it was accepted.
///
/// # Errors
/// When seal and reference part, or something that was accepted cannot be sealed to.
pub fn check(input: &[u8]) -> Result<bool, Disagreement> {
    let said = read_list(input);
    let expected = expected(input);
    match (&said, &expected) {
        // Whether a public key is a point is the curve's to say.
        (Err(ConfigError::Key(id)), Ok(ids)) => {
            return agree(ids.contains(id), || format!("no key {id} is in the list")).map(|()| false);
        }
        // Which of several faults is named first is no matter.
        (Err(_), Err(_)) => return Ok(false),
        (Ok(configs), Ok(ids)) => {
            let found: Vec<u8> = configs.iter().map(|config| config.id).collect();
            agree(&found == ids, || format!("keys {found:?}, the reference reads {ids:?}"))?;
        }
        _ => return Err(Disagreement(format!("{said:?}, and the reference says {expected:?}"))),
    }
    for config in said.unwrap_or_default() {
        seals(config)?;
    }
    Ok(true)
}

/// What was read can be sealed to, or is a key of small order, which is refused before anything is sent.
fn seals(config: PublicConfig) -> Result<(), Disagreement> {
    let id = config.id;
    match Sealer::new(&[config], None).and_then(|sealer| sealer.seal(b"a message")) {
        Ok((sealed, _)) => agree(sealed.len() == 4_096, || format!("key {id} seals {} bytes", sealed.len())),
        Err(SealError::Key) => Ok(()),
        Err(error) => Err(Disagreement(format!("key {id} was read and cannot be sealed to: {error}"))),
    }
}

/// The ids of the configurations that are ours, in order.
fn expected(mut list: &[u8]) -> Result<Vec<u8>, ConfigError> {
    let mut pieces = Vec::new();
    while !list.is_empty() {
        if pieces.len() == MOST {
            return Err(ConfigError::TooMany);
        }
        let (length, rest) = list.split_first_chunk::<2>().ok_or(ConfigError::Length)?;
        let length = usize::from(u16::from_be_bytes(*length));
        pieces.push(rest.get(..length).ok_or(ConfigError::Length)?);
        list = rest.get(length..).ok_or(ConfigError::Length)?;
        // Judged one by one, as a reader meets them.
        ours(pieces.last().copied().unwrap_or_default())?;
    }
    let mut ids = Vec::new();
    for piece in pieces {
        if let Some(id) = ours(piece)? {
            if ids.contains(&id) {
                return Err(ConfigError::Twice(id));
            }
            ids.push(id);
        }
    }
    if ids.is_empty() { Err(ConfigError::None) } else { Ok(ids) }
}

/// The id, if KEM and suite are ours.
fn ours(piece: &[u8]) -> Result<Option<u8>, ConfigError> {
    let &[id, high, low, ref rest @ ..] = piece else { return Err(ConfigError::Length) };
    let kem = u16::from_be_bytes([high, low]);
    let Some((_, length)) = KEMS.iter().find(|(number, _)| *number == kem) else { return Ok(None) };
    let suites = rest.get(*length..).ok_or(ConfigError::Length)?;
    let (count, suites) = suites.split_first_chunk::<2>().ok_or(ConfigError::Length)?;
    if suites.is_empty() || suites.len() % 4 != 0 || suites.len() != usize::from(u16::from_be_bytes(*count)) {
        return Err(ConfigError::Length);
    }
    Ok(suites.chunks(4).any(|suite| suite == SUITE).then_some(id))
}
