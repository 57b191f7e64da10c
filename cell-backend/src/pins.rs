//! Pins, verified once.
//!
//! A pin is one byte string per class and epoch, so all requests of a class carry the same one: verifying its
//! signature every time would cost each request the same work and tell nothing new. The texts that were found good
//! are kept; that their epoch is live is checked each time.

use std::collections::HashMap;
use std::sync::{PoisonError, RwLock};

use domicile_envelope::VerifyingKey;
use domicile_pin::{EpochPolicy, Pin, PinRefusal};
use domicile_topology::{ClassId, KeyUse, Topology};

/// Texts kept; classes times live epochs are few. When it is full it starts over.
const KEPT: usize = 64;

/// The keys that may sign pins, and the pins that were found good.
pub struct PinBook {
    keys: Vec<VerifyingKey>,
    policy: EpochPolicy,
    good: RwLock<HashMap<String, Pin>>,
}

impl PinBook {
    /// The book of a topology.
    pub fn new(topology: &Topology) -> Self {
        Self { keys: topology.keys_for(KeyUse::Pin), policy: topology.pin, good: RwLock::default() }
    }

    /// The class that the pin `text` states, once it is known to be good at `minute` (since the Unix epoch).
    ///
    /// # Errors
    /// [`PinRefusal`]; a refused pin is not kept.
    pub fn class_of(&self, text: &str, minute: u32) -> Result<ClassId, PinRefusal> {
        let known = self.good.read().unwrap_or_else(PoisonError::into_inner).get(text).copied();
        if let Some(pin) = known {
            pin.live_at(self.policy, minute)?;
            return Ok(ClassId(pin.stated_class()));
        }
        let pin = Pin::parse(text)?;
        let class = pin.verify(&self.keys, self.policy, minute)?;
        let mut good = self.good.write().unwrap_or_else(PoisonError::into_inner);
        if good.len() >= KEPT {
            good.clear();
        }
        good.insert(text.to_owned(), pin);
        Ok(ClassId(class))
    }
}

#[cfg(test)]
mod tests {
    use domicile_envelope::SigningKey;
    use domicile_pin::Epoch;

    use super::*;

    #[test]
    fn a_known_pin_is_judged_by_its_epoch_as_a_new_one_is() {
        let key = SigningKey::generate();
        let topology = Topology::parse(&crate::testing::topology(&key)).unwrap();
        let policy = topology.pin;
        let pin = Pin::mint(1, Epoch(20_000), &key);
        let (text, begins) = (pin.to_string(), policy.begins(Epoch(20_000)));
        let known = PinBook::new(&topology);
        assert_eq!(known.class_of(&text, begins), Ok(ClassId(1)));
        for minute in [begins - 1, begins, policy.ends(Epoch(20_000)) - 1, policy.ends(Epoch(20_000))] {
            assert_eq!(known.class_of(&text, minute), PinBook::new(&topology).class_of(&text, minute));
        }
        let foreign = Pin::mint(1, Epoch(20_000), &SigningKey::generate()).to_string();
        assert_eq!(known.class_of(&foreign, begins), Err(PinRefusal::UnknownKey));
        assert_eq!(known.class_of(&foreign, begins), Err(PinRefusal::UnknownKey));
        assert_eq!(known.class_of("", begins), Err(PinRefusal::Malformed));
    }
}
