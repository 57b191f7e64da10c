//! The framing: one known-length binary HTTP message, then zeros.
//!
//! Source: RFC 9292 §3.1 (known-length form), §3.6 (fields), §3.8 (padding and truncation). Stricter than the RFC
//! where it leaves a choice: the indeterminate form is refused (a request is padded to one size, so its length is
//! known), names have to be lower-case tokens, and there are limits on size and number of fields.

use std::io::Cursor;

use bhttp::{Message, Mode};

/// Most header and trailer fields of a message, together.
pub const FIELDS_MAX: usize = 64;

/// Why bytes are not a message. It never quotes them.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, thiserror::Error)]
pub enum FramingError {
    /// There are no bytes.
    #[error("empty")]
    Empty,
    /// Longer than the limit.
    #[error("too-large")]
    TooLarge,
    /// Not a binary HTTP message, or cut off.
    #[error("malformed")]
    Malformed,
    /// An answer where a request is meant, or the other way round.
    #[error("wrong-kind")]
    WrongKind,
    /// The indeterminate-length form.
    #[error("indeterminate-length")]
    Indeterminate,
    /// More than [`FIELDS_MAX`] fields.
    #[error("too-many-fields")]
    TooManyFields,
    /// A field name that is not a lower-case token (RFC 9110 §5.6.2).
    #[error("field-name")]
    FieldName,
    /// A field value with a byte that no field may have: a carriage return, a line feed or a NUL (RFC 9110 §5.5).
    #[error("field-value")]
    FieldValue,
    /// Bytes other than zero after the message.
    #[error("padding")]
    Padding,
}

impl FramingError {
    /// Every error.
    pub const ALL: [Self; 9] = [
        Self::Empty,
        Self::TooLarge,
        Self::Malformed,
        Self::WrongKind,
        Self::Indeterminate,
        Self::TooManyFields,
        Self::FieldName,
        Self::FieldValue,
        Self::Padding,
    ];

    /// The error's name in answers, labels and logs.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Empty => "empty",
            Self::TooLarge => "too-large",
            Self::Malformed => "malformed",
            Self::WrongKind => "wrong-kind",
            Self::Indeterminate => "indeterminate-length",
            Self::TooManyFields => "too-many-fields",
            Self::FieldName => "field-name",
            Self::FieldValue => "field-value",
            Self::Padding => "padding",
        }
    }
}

/// Which of the two kinds of message is meant; the number is the framing indicator (RFC 9292 §3.3).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Kind {
    Request = 0,
    Response = 1,
}

/// Reads one message of `kind` that is at most `max` bytes long with its padding.
pub(crate) fn read(bytes: &[u8], kind: Kind, max: usize) -> Result<Message, FramingError> {
    if bytes.is_empty() {
        return Err(FramingError::Empty);
    }
    if bytes.len() > max {
        return Err(FramingError::TooLarge);
    }
    match indicator(bytes) {
        Some(number) if number == kind as u64 => {}
        Some(0 | 1) => return Err(FramingError::WrongKind),
        Some(2 | 3) => return Err(FramingError::Indeterminate),
        _ => return Err(FramingError::Malformed),
    }
    let mut cursor = Cursor::new(bytes);
    let message = Message::read_bhttp(&mut cursor).map_err(|_| FramingError::Malformed)?;
    let end = usize::try_from(cursor.position()).map_err(|_| FramingError::Malformed)?;
    if bytes.get(end..).is_none_or(|padding| padding.iter().any(|&byte| byte != 0)) {
        return Err(FramingError::Padding);
    }
    if message.header().len() + message.trailer().len() > FIELDS_MAX {
        return Err(FramingError::TooManyFields);
    }
    for field in message.header().iter().chain(message.trailer().iter()) {
        if !is_token(field.name()) {
            return Err(FramingError::FieldName);
        }
        if field.value().iter().any(|byte| b"\r\n\0".contains(byte)) {
            return Err(FramingError::FieldValue);
        }
    }
    Ok(message)
}

/// Writes a message without padding.
pub(crate) fn write(message: &Message) -> Vec<u8> {
    let mut bytes = Vec::with_capacity(1_024);
    // Writing into a vector has no way to fail.
    let _ = message.write_bhttp(Mode::KnownLength, &mut bytes);
    bytes
}

/// The framing indicator: a variable-length integer (RFC 9000 §16), in any of its lengths.
fn indicator(bytes: &[u8]) -> Option<u64> {
    let first = *bytes.first()?;
    let length = 1usize << (first >> 6);
    let rest = bytes.get(1..length)?;
    Some(rest.iter().fold(u64::from(first & 0x3f), |value, &byte| value << 8 | u64::from(byte)))
}

fn is_token(name: &[u8]) -> bool {
    let sound = |b: &u8| b.is_ascii_lowercase() || b.is_ascii_digit() || b"!#$%&'*+-.^_`|~".contains(b);
    !name.is_empty() && name.iter().all(sound)
}

#[cfg(test)]
mod tests {
    use bhttp::StatusCode;
    use proptest::prelude::*;

    use super::*;

    const MAX: usize = 4_096;

    fn request() -> Message {
        let mut message = Message::request(b"POST".into(), b"https".into(), vec![], b"/v1/rank".into());
        message.put_header("content-type", "application/json");
        message.write_content("{}");
        message
    }

    fn error(bytes: &[u8]) -> FramingError {
        read(bytes, Kind::Request, MAX).err().unwrap()
    }

    #[test]
    fn padding_has_to_be_zeros() {
        let mut bytes = write(&request());
        bytes.extend([0; 100]);
        assert!(read(&bytes, Kind::Request, MAX).is_ok());
        bytes.push(1);
        assert_eq!(error(&bytes), FramingError::Padding);
    }

    #[test]
    fn each_other_shape_is_refused_by_name() {
        assert_eq!(error(&[]), FramingError::Empty);
        assert_eq!(error(&vec![0; MAX + 1]), FramingError::TooLarge);
        assert_eq!(error(b"\x07"), FramingError::Malformed);
        let mut indeterminate = vec![];
        request().write_bhttp(Mode::IndeterminateLength, &mut indeterminate).unwrap();
        assert_eq!(error(&indeterminate), FramingError::Indeterminate);
        assert_eq!(error(&write(&Message::response(StatusCode::OK))), FramingError::WrongKind);
        let mut crowded = request();
        (0..FIELDS_MAX).for_each(|_| crowded.put_header("x", ""));
        assert_eq!(error(&write(&crowded)), FramingError::TooManyFields);
        let mut shouted = request();
        shouted.put_header("Cookie", "");
        assert_eq!(error(&write(&shouted)), FramingError::FieldName);
        for value in ["a\r\nb: c", "\n", "a\0"] {
            let mut split = request();
            split.put_header("x", value);
            assert_eq!(error(&write(&split)), FramingError::FieldValue, "{value:?}");
        }
        let whole = write(&request());
        assert_eq!(error(&whole[..10]), FramingError::Malformed);
    }

    #[test]
    fn a_longer_form_of_the_indicator_is_seen_through() {
        assert_eq!(indicator(&[0x40, 0x02]), Some(2));
        assert_eq!(indicator(&[0x80, 0, 0, 0x01]), Some(1));
        assert_eq!(indicator(&[0xc0, 0, 0]), None);
    }

    proptest! {
        #[test]
        fn any_bytes_are_read_or_refused(bytes in prop::collection::vec(any::<u8>(), 0..600)) {
            let _ = read(&bytes, Kind::Request, MAX);
            let _ = read(&bytes, Kind::Response, MAX);
        }

        #[test]
        fn an_altered_message_is_read_or_refused(at in 0usize..60, byte in any::<u8>(), cut in 0usize..80) {
            let mut bytes = write(&request());
            let at = at % bytes.len();
            bytes[at] = byte;
            bytes.truncate(cut);
            let _ = read(&bytes, Kind::Request, MAX);
        }
    }
}
