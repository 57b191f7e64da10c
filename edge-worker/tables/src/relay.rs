//! What the relay knows: where the cells are, and how long to wait for one.

use crate::DecodeError;
use crate::bytes::{Field, Reader, record, table};

/// The relay's table.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct RelayTable {
    /// The cells' addresses.
    pub cells: Vec<CellAddress>,
    /// The slots' limits.
    pub slots: Vec<SlotWait>,
    /// The limit to the first byte of a cell's keys, in milliseconds.
    pub keys_wait_ms: u32,
}

impl RelayTable {
    /// The address of a cell.
    #[must_use]
    pub fn cell(&self, id: u8) -> Option<&CellAddress> {
        self.cells.iter().find(|cell| cell.id == id)
    }

    /// How long a slot waits for the first byte of an answer, in milliseconds.
    #[must_use]
    pub fn wait_ms(&self, slot: u16) -> Option<u32> {
        self.slots.iter().find(|row| row.id == slot).map(|row| row.wait_ms)
    }
}

/// Where a cell listens for sealed requests.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct CellAddress {
    /// The cell's number.
    pub id: u8,
    /// How to speak to it.
    pub scheme: UriScheme,
    /// Host and port.
    pub authority: String,
    /// The path of its gateway.
    pub path: String,
    /// The path of its sealing keys.
    pub keys: String,
}

/// The schemes a cell may be reached by.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum UriScheme {
    /// Plain HTTP: loopback only.
    Http,
    /// HTTP over TLS.
    Https,
}

/// How long a slot waits.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SlotWait {
    /// The slot's number.
    pub id: u16,
    /// The limit to the first byte, in milliseconds.
    pub wait_ms: u32,
}

record!(RelayTable { cells, slots, keys_wait_ms });
record!(CellAddress { id, scheme, authority, path, keys });
record!(SlotWait { id, wait_ms });
table!(RelayTable);

impl Field for UriScheme {
    fn write(&self, out: &mut Vec<u8>) {
        out.push(match self {
            Self::Http => 0,
            Self::Https => 1,
        });
    }

    fn read(input: &mut Reader<'_>) -> Result<Self, DecodeError> {
        match u8::read(input)? {
            0 => Ok(Self::Http),
            1 => Ok(Self::Https),
            _ => Err(DecodeError::Value),
        }
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    prop_compose! {
        fn address()(id: u8, https: bool, authority in "[a-z.]{1,12}:[0-9]{1,4}", path in "/[a-z]{0,8}", keys in "/[a-z]{0,8}") -> CellAddress {
            let scheme = if https { UriScheme::Https } else { UriScheme::Http };
            CellAddress { id, scheme, authority, path, keys }
        }
    }

    proptest! {
        #[test]
        fn what_is_written_is_read(
            cells in prop::collection::vec(address(), 0..5),
            slots in prop::collection::vec((any::<u16>(), any::<u32>()), 0..5),
            keys_wait_ms: u32,
        ) {
            let slots = slots.into_iter().map(|(id, wait_ms)| SlotWait { id, wait_ms }).collect();
            let table = RelayTable { cells, slots, keys_wait_ms };
            prop_assert_eq!(RelayTable::decode(&table.encode()), Ok(table));
        }

        #[test]
        fn no_bytes_make_the_reader_panic(bytes: Vec<u8>) {
            let _ = RelayTable::decode(&bytes);
        }
    }
}
