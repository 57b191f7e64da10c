//! What the router knows: names, classes with their cells, and the pins of the live and coming epochs.

use crate::bytes::{record, table};

/// The router's table.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct RoutingTable {
    /// The locales.
    pub locales: Vec<Named>,
    /// The slots.
    pub slots: Vec<Named>,
    /// The cells. Their numbers are below 256.
    pub cells: Vec<Named>,
    /// The residency classes.
    pub classes: Vec<ClassRow>,
    /// The pins a request may carry.
    pub pins: Vec<PinRow>,
}

/// A name a path may hold, and the number it stands for.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Named {
    /// The number in the topology.
    pub id: u16,
    /// The name in the path.
    pub name: String,
}

/// A residency class.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ClassRow {
    /// The class's number.
    pub id: u16,
    /// Its name in the path of its route manifest.
    pub name: String,
    /// The cells a request of this class may go to.
    pub cells: Vec<u8>,
}

/// A pin, and when it holds. Bytes are compared; its signature was checked when the edge was built.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PinRow {
    /// The class it states.
    pub class: u16,
    /// Its epoch.
    pub epoch: u32,
    /// The first minute since 1970 it holds in.
    pub from: u32,
    /// The first minute since 1970 it no longer holds in.
    pub until: u32,
    /// Its text.
    pub text: String,
}

record!(RoutingTable { locales, slots, cells, classes, pins });
record!(Named { id, name });
record!(ClassRow { id, name, cells });
record!(PinRow { class, epoch, from, until, text });
table!(RoutingTable);

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::DecodeError;

    prop_compose! {
        fn named()(id: u16, name in "[a-zA-Z0-9-]{0,12}") -> Named { Named { id, name } }
    }
    prop_compose! {
        fn class()(id: u16, name in "[a-z_]{0,9}", cells in prop::collection::vec(any::<u8>(), 0..4)) -> ClassRow {
            ClassRow { id, name, cells }
        }
    }
    prop_compose! {
        fn pin()(class: u16, epoch: u32, from: u32, until: u32, text in ".{0,20}") -> PinRow {
            PinRow { class, epoch, from, until, text }
        }
    }
    prop_compose! {
        fn table()(
            locales in prop::collection::vec(named(), 0..4),
            slots in prop::collection::vec(named(), 0..4),
            cells in prop::collection::vec(named(), 0..4),
            classes in prop::collection::vec(class(), 0..4),
            pins in prop::collection::vec(pin(), 0..4),
        ) -> RoutingTable {
            RoutingTable { locales, slots, cells, classes, pins }
        }
    }

    proptest! {
        #[test]
        fn what_is_written_is_read(table in table()) {
            prop_assert_eq!(RoutingTable::decode(&table.encode()), Ok(table));
        }

        #[test]
        fn a_cut_table_is_refused(table in table(), cut: prop::sample::Index) {
            let bytes = table.encode();
            prop_assert!(RoutingTable::decode(&bytes[..cut.index(bytes.len())]).is_err());
        }

        #[test]
        fn no_bytes_make_the_reader_panic(bytes: Vec<u8>) {
            let _ = RoutingTable::decode(&bytes);
        }
    }

    #[test]
    fn left_over_bytes_and_other_versions_are_refused() {
        let mut bytes = RoutingTable::default().encode();
        bytes.push(0);
        assert_eq!(RoutingTable::decode(&bytes), Err(DecodeError::Trailing));
        assert_eq!(RoutingTable::decode(&[0, 9]), Err(DecodeError::Format));
    }
}
