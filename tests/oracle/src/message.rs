//! Binary HTTP of known length, once more (RFC 9292, section 3.1): a cursor over bytes, and nothing is copied.

use domicile_wire::{FramingError, Reply, RequestError, decode_request};

use crate::{Disagreement, agree};

/// Most fields of a message.
const FIELDS: usize = 64;
/// Longest request and answer.
const REQUEST: usize = 16 * 1024;
const ANSWER: usize = 256 * 1024;

/// A message as the reference reads it.
struct Read<'a> {
    control: Vec<&'a [u8]>,
    fields: Vec<(&'a [u8], &'a [u8])>,
    content: &'a [u8],
}

/// Reads an input as a request and as an answer. Whether either was a message.
///
/// # Errors
/// When wire and reference part: one takes what the other refuses, or reads something else in it.
pub fn check(input: &[u8]) -> Result<bool, Disagreement> {
    Ok(request(input)? | answer(input)?)
}

fn request(input: &[u8]) -> Result<bool, Disagreement> {
    let expected = (input.len() <= REQUEST).then(|| read(input, 0)).flatten();
    match decode_request(input) {
        Err(RequestError::Framing(why)) => {
            agree(expected.is_none(), || format!("refused as {why}, and the reference reads a request"))?;
            agree((why == FramingError::Empty) == input.is_empty(), || {
                format!("{why} of {} bytes", input.len())
            })?;
            Ok(false)
        }
        Err(RequestError::Refused(_)) => {
            agree(expected.is_some(), || "refused for its meaning, and it is no message".to_owned())?;
            Ok(true)
        }
        Ok(request) => {
            let Some(message) = expected else {
                return Err(Disagreement("accepted, and it is no message".to_owned()));
            };
            let pins: Vec<_> = message.fields.iter().filter(|(name, _)| *name == b"domicile-pin").collect();
            agree(pins.len() == 1 && pins.iter().all(|(_, value)| *value == request.pin.as_bytes()), || {
                "another pin than is written".to_owned()
            })?;
            let method = message.control.first().copied().unwrap_or_default();
            let path = message.control.get(3).copied().unwrap_or_default();
            let wanted: (&[u8], &[u8]) = match request.call.as_str() {
                "rank" => (b"POST", b"/v1/rank"),
                "events" => (b"POST", b"/v1/events"),
                "export" => (b"GET", b"/v1/shopper"),
                _ => (b"DELETE", b"/v1/shopper"),
            };
            let bare = path.split(|&byte| byte == b'?').next().unwrap_or_default();
            agree((method, bare) == wanted, || format!("{} is not what was asked", request.call.as_str()))?;
            let again = decode_request(&request.encode());
            agree(again == Ok(request), || {
                "what was understood is not read back from its own form".to_owned()
            })?;
            Ok(true)
        }
    }
}

fn answer(input: &[u8]) -> Result<bool, Disagreement> {
    let expected = (input.len() <= ANSWER).then(|| read(input, 1)).flatten();
    match (Reply::decode(input), expected) {
        (Ok(reply), Some(message)) => {
            let status = message.control.first().map(|digits| number(digits)).unwrap_or_default();
            agree(u64::from(reply.status) == status, || format!("status {} for {status}", reply.status))?;
            agree(reply.content == message.content, || "another content than is written".to_owned())?;
            Ok(true)
        }
        (Ok(_), None) => Err(Disagreement("an answer, and the reference reads none".to_owned())),
        // A date or a receipt of no form makes a sound message none of a cell's.
        (Err(FramingError::Malformed), _) | (Err(_), None) => Ok(false),
        (Err(why), Some(_)) => {
            Err(Disagreement(format!("refused as {why}, and the reference reads an answer")))
        }
    }
}

/// A whole message of a kind (0 request, 1 answer) and nothing but zeros after it.
fn read(bytes: &[u8], kind: u64) -> Option<Read<'_>> {
    let mut at = 0;
    (number(integer(bytes, &mut at)?) == kind).then_some(())?;
    let mut fields = Vec::new();
    let control = if kind == 0 {
        (0..4).map(|_| piece(bytes, &mut at)).collect::<Option<Vec<_>>>()?
    } else {
        loop {
            let status = integer(bytes, &mut at)?;
            match number(status) {
                // Informational answers before the final one, each with fields that count for nothing.
                100..200 => drop(section(bytes, &mut at)?),
                200..600 => break vec![status],
                _ => return None,
            }
        }
    };
    fields.extend(section(bytes, &mut at)?);
    // Section 3.8: what is empty at the end may be left away.
    let content = if at == bytes.len() { &[] } else { piece(bytes, &mut at)? };
    let trailers = section(bytes, &mut at)?;
    let sound = fields.len() + trailers.len() <= FIELDS
        && fields.iter().chain(&trailers).all(|(name, value)| token(name) && one_line(value))
        && bytes.get(at..)?.iter().all(|&byte| byte == 0);
    sound.then_some(Read { control, fields, content })
}

/// A section of fields; none at the end of the bytes is an empty one. Cookies count as one (RFC 9113, section 8.2.3).
fn section<'a>(bytes: &'a [u8], at: &mut usize) -> Option<Vec<(&'a [u8], &'a [u8])>> {
    if *at == bytes.len() {
        return Some(Vec::new());
    }
    let section = piece(bytes, at)?;
    let (mut fields, mut at) = (Vec::new(), 0);
    while at < section.len() {
        let (name, value) = (piece(section, &mut at)?, piece(section, &mut at)?);
        let joined = name == b"cookie" && fields.iter().any(|(name, _)| *name == b"cookie");
        if name.is_empty() {
            return None;
        }
        // One that refuses the message has to be seen, joined or not.
        if !joined || !one_line(value) {
            fields.push((name, value));
        }
    }
    Some(fields)
}

/// Whether a value can stand on one line (RFC 9110, section 5.5).
fn one_line(value: &[u8]) -> bool {
    value.iter().all(|byte| !matches!(byte, b'\r' | b'\n' | 0))
}

/// Bytes behind their length.
fn piece<'a>(bytes: &'a [u8], at: &mut usize) -> Option<&'a [u8]> {
    let length = usize::try_from(number(integer(bytes, at)?)).ok()?;
    let piece = bytes.get(*at..at.checked_add(length)?)?;
    *at += length;
    Some(piece)
}

/// The bytes of an integer (RFC 9000, section 16), its length's two bits still in front.
fn integer<'a>(bytes: &'a [u8], at: &mut usize) -> Option<&'a [u8]> {
    let length = match bytes.get(*at)? >> 6 {
        0 => 1,
        1 => 2,
        2 => 4,
        _ => 8,
    };
    let integer = bytes.get(*at..*at + length)?;
    *at += length;
    Some(integer)
}

/// An integer's value.
fn number(integer: &[u8]) -> u64 {
    let all = integer.iter().fold(0u64, |value, &byte| value << 8 | u64::from(byte));
    let bits = u32::try_from(integer.len() * 8).unwrap_or(64);
    all & (u64::MAX >> (64 - bits + 2))
}

/// RFC 9110, section 5.6.2, without capitals.
fn token(name: &[u8]) -> bool {
    const SIGNS: &str = "!#$%&'*+-.^_`|~0123456789abcdefghijklmnopqrstuvwxyz";
    !name.is_empty() && name.iter().all(|&byte| SIGNS.contains(char::from(byte)))
}
