//! Writing and reading of big-endian integers and length-prefixed bytes.

use crate::FORMAT;

/// Why bytes are not a table.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum DecodeError {
    /// The table is of another format version.
    Format,
    /// The bytes end inside a value.
    Truncated,
    /// A text is not UTF-8.
    Text,
    /// A value is none of those its type has.
    Value,
    /// Bytes are left over.
    Trailing,
}

impl std::fmt::Display for DecodeError {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(match self {
            Self::Format => "the table is of another format version",
            Self::Truncated => "the table ends inside a value",
            Self::Text => "a text in the table is not UTF-8",
            Self::Value => "a value in the table is out of range",
            Self::Trailing => "bytes are left over after the table",
        })
    }
}

impl std::error::Error for DecodeError {}

/// Something that can be written to and read from a table.
pub(crate) trait Field: Sized {
    fn write(&self, out: &mut Vec<u8>);
    fn read(input: &mut Reader<'_>) -> Result<Self, DecodeError>;
}

/// Writes a whole table, with the format version in front.
pub(crate) fn encode(table: &impl Field) -> Vec<u8> {
    let mut out = Vec::new();
    FORMAT.write(&mut out);
    table.write(&mut out);
    out
}

/// Reads a whole table.
pub(crate) fn decode<T: Field>(bytes: &[u8]) -> Result<T, DecodeError> {
    let mut input = Reader(bytes);
    if u16::read(&mut input)? != FORMAT {
        return Err(DecodeError::Format);
    }
    let table = T::read(&mut input)?;
    if input.0.is_empty() { Ok(table) } else { Err(DecodeError::Trailing) }
}

/// The bytes not read yet.
pub(crate) struct Reader<'a>(&'a [u8]);

impl<'a> Reader<'a> {
    fn take(&mut self, length: usize) -> Result<&'a [u8], DecodeError> {
        let (taken, rest) = self.0.split_at_checked(length).ok_or(DecodeError::Truncated)?;
        self.0 = rest;
        Ok(taken)
    }

    fn array<const N: usize>(&mut self) -> Result<[u8; N], DecodeError> {
        self.take(N)?.try_into().map_err(|_| DecodeError::Truncated)
    }
}

macro_rules! integers {
    ($($type:ty),*) => {$(
        impl Field for $type {
            fn write(&self, out: &mut Vec<u8>) {
                out.extend_from_slice(&self.to_be_bytes());
            }
            fn read(input: &mut Reader<'_>) -> Result<Self, DecodeError> {
                Ok(Self::from_be_bytes(input.array()?))
            }
        }
    )*};
}
integers!(u8, u16, u32, i64);

/// A count or length. What does not fit is written as the largest, and so never reads back: tables are far smaller.
fn write_length(length: usize, out: &mut Vec<u8>) {
    u32::try_from(length).unwrap_or(u32::MAX).write(out);
}

fn read_length(input: &mut Reader<'_>) -> Result<usize, DecodeError> {
    usize::try_from(u32::read(input)?).map_err(|_| DecodeError::Truncated)
}

impl Field for String {
    fn write(&self, out: &mut Vec<u8>) {
        write_length(self.len(), out);
        out.extend_from_slice(self.as_bytes());
    }

    fn read(input: &mut Reader<'_>) -> Result<Self, DecodeError> {
        let length = read_length(input)?;
        std::str::from_utf8(input.take(length)?).map(str::to_owned).map_err(|_| DecodeError::Text)
    }
}

impl<T: Field> Field for Vec<T> {
    fn write(&self, out: &mut Vec<u8>) {
        write_length(self.len(), out);
        self.iter().for_each(|item| item.write(out));
    }

    fn read(input: &mut Reader<'_>) -> Result<Self, DecodeError> {
        let count = read_length(input)?;
        // Never reserves on the word of a count: a wrong one ends in `Truncated`, not in an allocation.
        let mut items = Self::new();
        for _ in 0..count {
            items.push(T::read(input)?);
        }
        Ok(items)
    }
}

/// Implements [`Field`] for a struct as its fields in order.
macro_rules! record {
    ($type:ident { $($field:ident),* $(,)? }) => {
        impl $crate::bytes::Field for $type {
            fn write(&self, out: &mut Vec<u8>) {
                $($crate::bytes::Field::write(&self.$field, out);)*
            }
            fn read(input: &mut $crate::bytes::Reader<'_>) -> Result<Self, $crate::DecodeError> {
                Ok(Self { $($field: $crate::bytes::Field::read(input)?),* })
            }
        }
    };
}
pub(crate) use record;

/// Gives a table its public `encode` and `decode`.
macro_rules! table {
    ($type:ident) => {
        impl $type {
            /// The table's bytes.
            #[must_use]
            pub fn encode(&self) -> Vec<u8> {
                $crate::bytes::encode(self)
            }

            /// Reads a table back.
            ///
            /// # Errors
            /// When the bytes are not exactly one table of this kind and format version.
            pub fn decode(bytes: &[u8]) -> Result<Self, $crate::DecodeError> {
                $crate::bytes::decode(bytes)
            }
        }
    };
}
pub(crate) use table;
