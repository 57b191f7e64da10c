//! What clients are told of a cell: the way to it, and the key that it signs with.
//!
//! A cell's signing key vouches for the keys that shoppers seal to. So it is nobody else's: a pin service that could
//! sign as a cell could hand out keys of its own, and of two cells with one key either could speak for the other.

use domicile_envelope::VerifyingKey;

use crate::check::{Problems, host_of, is_loopback};
use crate::{Cell, Key, Transport};

impl Problems {
    /// Reads the public half of a key; a secret one has no place in a file that everybody gets.
    pub(crate) fn public_key(&mut self, place: &str, jwk: &str) -> Option<VerifyingKey> {
        match VerifyingKey::from_jwk(jwk) {
            Ok(_) if jwk.contains("\"d\"") => {
                self.add(
                    place,
                    "a secret key stands in the topology; write its public half only and replace the key",
                );
                None
            }
            Ok(key) => Some(key),
            Err(error) => {
                self.add(place, error.to_string());
                None
            }
        }
    }

    pub(crate) fn direct(&mut self, place: &str, origin: String) -> Transport {
        match host_of_origin(&origin) {
            None => self.add(
                format!("{place}: direct"),
                format!(
                    "{origin:?} is not `https://host` or `https://host:port` (no path, query or credentials)"
                ),
            ),
            Some(host) if origin.starts_with(PLAIN) && !is_loopback(host) => {
                self.add(format!("{place}: direct"), "plain http is for loopback only; write https://");
            }
            Some(_) => {}
        }
        Transport::Direct(origin)
    }

    pub(crate) fn cell_keys(&mut self, keys: &[Key], cells: &[Cell]) {
        let mut seen: Vec<(&VerifyingKey, &str)> = Vec::new();
        let used = cells.iter().map(|cell| (cell, "signing_key", &cell.signing_key));
        let coming = cells.iter().map(|cell| (cell, "next_signing_key", &cell.next_signing_key));
        for (cell, field, key) in used.chain(coming) {
            let Some(signing_key) = key else { continue };
            let place = format!("cell {:?}: {field}", cell.name);
            if let Some(other) = keys.iter().find(|key| key.key == *signing_key) {
                self.add(
                    &place,
                    format!(
                        "key {} is listed with use {:?} as well; a cell's key signs nothing else (`domicile key sign new`)",
                        signing_key.id(),
                        other.purpose.as_str()
                    ),
                );
            }
            match seen.iter().find(|(key, _)| *key == signing_key) {
                Some((_, other)) => self.add(
                    &place,
                    format!(
                        "cell {other:?} has the same key; every cell has its own (`domicile key sign new`)"
                    ),
                ),
                None => seen.push((signing_key, &cell.name)),
            }
        }
    }
}

const PLAIN: &str = "http://";

/// The host of an origin (RFC 6454, section 6.2), or none when it is anything else.
pub(crate) fn host_of_origin(origin: &str) -> Option<&str> {
    let rest = origin.strip_prefix("https://").or_else(|| origin.strip_prefix(PLAIN))?;
    host_of(rest).or_else(|| (!rest.contains(':') && host_of(&format!("{rest}:1")).is_some()).then_some(rest))
}

#[cfg(test)]
#[path = "reach_tests.rs"]
mod tests;
