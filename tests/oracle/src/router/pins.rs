//! What a pin opens, and what is said about one that opens nothing.

use domicile_router::Refusal;
use domicile_tables::RoutingTable;

use super::LETTERS;

/// Length of a pin's text: 78 bytes in base64url.
const LENGTH: usize = 104;

/// The class of a pin that holds at this minute.
pub(super) fn class(table: &RoutingTable, pin: &str, minute: u32) -> Result<u16, Refusal> {
    if let Some(row) = table.pins.iter().rfind(|row| row.text == pin) {
        return if minute < row.from {
            Err(Refusal::PinInvalid)
        } else if minute < row.until {
            Ok(row.class)
        } else {
            Err(Refusal::PinExpired)
        };
    }
    let Some((class, epoch)) = statement(pin) else { return Err(Refusal::PinInvalid) };
    if table.classes.iter().all(|row| u64::from(row.id) != class) {
        return Err(Refusal::UnknownClass);
    }
    let mut epochs =
        table.pins.iter().filter(|row| u64::from(row.class) == class).map(|row| u64::from(row.epoch));
    // Older than all that are known, of which there has to be one.
    let older = epochs.clone().next().is_some() && epochs.all(|known| epoch < known);
    Err(if older { Refusal::PinExpired } else { Refusal::PinInvalid })
}

/// The texts of a class that hold at this minute.
pub(super) fn holding(table: &RoutingTable, class: u16, minute: u32) -> impl Iterator<Item = &str> {
    table
        .pins
        .iter()
        .filter(move |row| row.class == class && (row.from..row.until).contains(&minute))
        .map(|row| row.text.as_str())
}

/// Class and epoch: the first 16 bits and the next 32, bit by bit.
fn statement(pin: &str) -> Option<(u64, u64)> {
    if pin.len() != LENGTH {
        return None;
    }
    let bits: String = pin
        .chars()
        .take(8)
        .map(|letter| LETTERS.find(letter).map(|value| format!("{value:06b}")))
        .collect::<Option<_>>()?;
    let number = |bits: &str| u64::from_str_radix(bits, 2).ok();
    Some((number(bits.get(..16)?)?, number(bits.get(16..48)?)?))
}
