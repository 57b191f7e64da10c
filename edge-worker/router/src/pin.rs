//! Which class a pin states, by comparing bytes.
//!
//! A pin is one byte string per class and epoch, the same for every shopper, so the live and coming ones fit into
//! the table and no signature is verified here: in Wasm that would cost more than the rest of the edge together. What
//! the pin decides is routing only; the cell verifies its signature and enforces the class inside the seal.

use domicile_tables::{PIN_TEXT, PinRow, RoutingTable};

use crate::Refusal;

/// The class a pin states, if it holds at this minute.
pub(crate) fn class(table: &RoutingTable, pin: &str, minute: u32) -> Result<u16, Refusal> {
    match table.pins.iter().find(|row| row.text == pin) {
        Some(row) if minute < row.from => Err(Refusal::PinInvalid),
        Some(row) if minute >= row.until => Err(Refusal::PinExpired),
        Some(row) => Ok(row.class),
        None => Err(unknown(table, pin)),
    }
}

/// What to say about a pin that is not in the table. The statement in it is not verified; it only picks the words of
/// the refusal.
fn unknown(table: &RoutingTable, pin: &str) -> Refusal {
    let whole = Some(pin).filter(|pin| pin.len() == PIN_TEXT);
    let Some((class, epoch)) = whole.and_then(statement) else { return Refusal::PinInvalid };
    if !table.classes.iter().any(|row| row.id == class) {
        return Refusal::UnknownClass;
    }
    let oldest = table.pins.iter().filter(|row| row.class == class).map(|row: &PinRow| row.epoch).min();
    if oldest.is_some_and(|oldest| epoch < oldest) { Refusal::PinExpired } else { Refusal::PinInvalid }
}

/// Class and epoch as a pin's first six bytes state them: eight characters of base64url (RFC 4648, section 5).
fn statement(pin: &str) -> Option<(u16, u32)> {
    let bits = pin
        .bytes()
        .take(8)
        .try_fold((0u64, 0u32), |(bits, count), byte| {
            Some(((bits << 6) | u64::from(sextet(byte)?), count + 1))
        })
        .filter(|(_, count)| *count == 8)
        .map(|(bits, _)| bits)?;
    Some((u16::try_from(bits >> 32).ok()?, u32::try_from(bits & 0xffff_ffff).ok()?))
}

fn sextet(byte: u8) -> Option<u8> {
    match byte {
        b'A'..=b'Z' => Some(byte - b'A'),
        b'a'..=b'z' => Some(byte - b'a' + 26),
        b'0'..=b'9' => Some(byte - b'0' + 52),
        b'-' => Some(62),
        b'_' => Some(63),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use domicile_tables::ClassRow;
    use proptest::prelude::*;

    use super::*;

    /// The text of a pin that states this; its signature is noise.
    pub(crate) fn text(class: u16, epoch: u32) -> String {
        const ALPHABET: &[u8] = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_";
        let bits = (u64::from(class) << 32) | u64::from(epoch);
        let head = (0..8).rev().map(|i| ALPHABET[usize::try_from((bits >> (6 * i)) & 63).unwrap()] as char);
        head.chain(std::iter::repeat_n('x', 96)).collect()
    }

    fn table() -> RoutingTable {
        let pin = |class, epoch: u32| PinRow {
            class,
            epoch,
            from: epoch * 10,
            until: epoch * 10 + 15,
            text: text(class, epoch),
        };
        RoutingTable {
            classes: vec![
                ClassRow { id: 1, name: "one".to_owned(), cells: vec![1] },
                ClassRow { id: 2, name: "two".to_owned(), cells: vec![] },
            ],
            pins: vec![pin(1, 5), pin(1, 6), pin(2, 5)],
            ..RoutingTable::default()
        }
    }

    #[test]
    fn a_pin_holds_within_its_epoch_and_overlap() {
        let pin = text(1, 5);
        assert_eq!(class(&table(), &pin, 49), Err(Refusal::PinInvalid));
        assert_eq!(class(&table(), &pin, 50), Ok(1));
        assert_eq!(class(&table(), &pin, 64), Ok(1));
        assert_eq!(class(&table(), &pin, 65), Err(Refusal::PinExpired));
    }

    #[test]
    fn a_pin_of_no_row_is_refused_by_what_it_states() {
        assert_eq!(class(&table(), &text(9, 5), 50), Err(Refusal::UnknownClass));
        assert_eq!(class(&table(), &text(1, 4), 50), Err(Refusal::PinExpired));
        assert_eq!(class(&table(), &text(1, 7), 50), Err(Refusal::PinInvalid));
        assert_eq!(class(&table(), "short", 50), Err(Refusal::PinInvalid));
        assert_eq!(class(&table(), &text(9, 5)[..103], 50), Err(Refusal::PinInvalid));
        assert_eq!(class(&table(), &text(1, 5).replace('x', "y"), 50), Err(Refusal::PinInvalid));
    }

    proptest! {
        #[test]
        fn the_statement_is_read(class: u16, epoch: u32) {
            prop_assert_eq!(statement(&text(class, epoch)), Some((class, epoch)));
        }

        /// One character changed anywhere makes a pin of nobody.
        #[test]
        fn an_edited_pin_never_holds(at in 0usize..104, to in "[a-wyzA-Z0-9_-]") {
            let mut pin = text(1, 5);
            if pin[at..=at] != to[..] {
                pin.replace_range(at..=at, &to);
                prop_assume!(pin != text(2, 5) && pin != text(1, 6));
                prop_assert!(class(&table(), &pin, 50).is_err());
            }
        }
    }
}
