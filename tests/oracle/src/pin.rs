//! Pins, once more: of all pins that the keys can mint, which one *is* this text?

use domicile_pin::{EpochPolicy, Pin, PinRefusal};

use crate::signed::trusted;
use crate::{Disagreement, agree, letters};

/// Days that overlap by four hours.
pub(crate) const POLICY: EpochPolicy = EpochPolicy { epoch_minutes: 1_440, overlap_minutes: 240 };

/// Reads and verifies the pin of an input: four bytes for the minute, big-endian, and the text. Whether it was accepted.
///
/// # Errors
/// When pin and reference part.
pub fn check(input: &[u8]) -> Result<bool, Disagreement> {
    let Some((minute, text)) = input.split_first_chunk() else { return Ok(false) };
    let (minute, Ok(text)) = (u32::from_be_bytes(*minute), std::str::from_utf8(text)) else {
        return Ok(false);
    };
    let parsed = Pin::parse(text);
    if let Ok(pin) = &parsed {
        agree(pin.to_string() == text, || format!("{text:?} is read as {pin}"))?;
    }
    let said = parsed.and_then(|pin| pin.verify(&trusted().1, POLICY, minute));
    let expected = expected(text, minute);
    agree(said == expected, || format!("{text:?} at {minute}: {said:?}, the reference says {expected:?}"))?;
    Ok(said.is_ok())
}

/// Which class the text states with a right to.
fn expected(text: &str, minute: u32) -> Result<u16, PinRefusal> {
    if text.len() != 104 {
        return Err(PinRefusal::Malformed);
    }
    let bytes = letters::bytes_of(text).ok_or(PinRefusal::Malformed)?;
    let number = |from: usize, to: usize| {
        bytes.get(from..to).unwrap_or_default().iter().fold(0u64, |value, &byte| value << 8 | u64::from(byte))
    };
    let (class, epoch, id) = (number(0, 2), number(2, 6), number(6, 14));
    let (signer, listed) = trusted();
    if !listed.iter().any(|key| u64::from_be_bytes(key.id().to_bytes()) == id) {
        return Err(PinRefusal::UnknownKey);
    }
    let mut statement = b"domicile-pin-v1\0".to_vec();
    statement.extend(bytes.iter().take(6));
    if bytes.get(14..) != Some(&signer.sign(&statement)[..]) {
        return Err(PinRefusal::Forged);
    }
    // Beyond the last minute that can be counted, time stands still.
    let least = |minutes: u64| minutes.min(u64::from(u32::MAX));
    let begins = least(epoch * 1_440);
    let ends = least(least(begins + 1_440) + 240);
    match u64::from(minute) {
        minute if minute < begins => Err(PinRefusal::Early),
        minute if minute >= ends => Err(PinRefusal::Expired),
        _ => u16::try_from(class).map_err(|_| PinRefusal::Malformed),
    }
}
