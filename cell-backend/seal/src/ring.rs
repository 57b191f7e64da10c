//! The cell's side: several live keys, one request opened, its answer sealed.

use std::collections::BTreeMap;

use ohttp::{Server, ServerResponse};

use crate::key::{KeyFileError, SealingKey};
use crate::size;
use crate::suite::{AEAD_ID, HEADER, KDF_ID, Kem};

/// Why a request was not opened. Answered outside the seal, where nobody knows who asks; the text says no more.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, thiserror::Error)]
pub enum SealRefusal {
    /// Not exactly one request's size.
    #[error("size")]
    Size,
    /// Sealed to a key that this cell does not have, or no longer has: its client has to fetch keys again.
    #[error("key")]
    UnknownKey,
    /// Sealed with a suite other than the key's.
    #[error("suite")]
    Suite,
    /// It does not open: altered, cut together, or sealed to another cell's key of the same id.
    #[error("broken")]
    Broken,
}

/// Why a ring cannot be made.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum RingError {
    /// There is no key.
    #[error("no sealing key; a cell makes its own when its key directory can be written")]
    Empty,
    /// Two keys have one id.
    #[error("two sealing keys have the id {0}; delete one of them")]
    Twice(u8),
    /// A key cannot be used.
    #[error("the sealing key {id}: {source}")]
    Key {
        /// Its id.
        id: u8,
        /// Why.
        source: KeyFileError,
    },
}

/// A message does not fit the cell's answers.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error("{found} bytes, and the answer holds {room}")]
pub struct AnswerTooLong {
    /// Bytes of the message.
    pub found: usize,
    /// Bytes that fit.
    pub room: usize,
}

/// Every key that a cell opens requests with.
#[derive(Debug)]
pub struct KeyRing {
    servers: BTreeMap<u8, (Kem, Server)>,
}

/// An opened request.
pub struct Opened {
    /// The plain text, padding included.
    pub message: Vec<u8>,
    /// What seals the answer.
    pub answerer: Answerer,
}

/// Seals the answer to one request. Dropped unused, that request gets none.
pub struct Answerer(ServerResponse);

impl KeyRing {
    /// A ring of these keys.
    ///
    /// # Errors
    /// [`RingError`].
    pub fn new<'a>(keys: impl IntoIterator<Item = &'a SealingKey>) -> Result<Self, RingError> {
        let mut servers = BTreeMap::new();
        for key in keys {
            let bad = |source| RingError::Key { id: key.id(), source };
            let server =
                Server::new(key.pair().map_err(bad)?).map_err(|_error| bad(KeyFileError::Derivation))?;
            if servers.insert(key.id(), (key.kem(), server)).is_some() {
                return Err(RingError::Twice(key.id()));
            }
        }
        if servers.is_empty() { Err(RingError::Empty) } else { Ok(Self { servers }) }
    }

    /// Opens a request. What costs nothing is looked at first, so that noise is refused before any curve is computed.
    ///
    /// # Errors
    /// [`SealRefusal`].
    pub fn open(&self, sealed: &[u8]) -> Result<Opened, SealRefusal> {
        if sealed.len() != size::REQUEST {
            return Err(SealRefusal::Size);
        }
        let header: [u8; HEADER] = *sealed.first_chunk().ok_or(SealRefusal::Size)?;
        let [id, kem_high, kem_low, kdf_high, kdf_low, aead_high, aead_low] = header;
        let (kem, server) = self.servers.get(&id).ok_or(SealRefusal::UnknownKey)?;
        let suite = [[kem_high, kem_low], [kdf_high, kdf_low], [aead_high, aead_low]].map(u16::from_be_bytes);
        if suite != [kem.id(), KDF_ID, AEAD_ID] {
            return Err(SealRefusal::Suite);
        }
        let (message, response) = server.decapsulate(sealed).map_err(|_error| SealRefusal::Broken)?;
        Ok(Opened { message, answerer: Answerer(response) })
    }

    /// The ids of its keys.
    pub fn ids(&self) -> impl Iterator<Item = u8> {
        self.servers.keys().copied()
    }
}

impl Answerer {
    /// Seals an answer of exactly `size` bytes.
    ///
    /// # Errors
    /// [`AnswerTooLong`], with the answerer handed back: the one who asked is owed an answer of that size still.
    pub fn seal(self, message: &[u8], size: usize) -> Result<Vec<u8>, (Self, AnswerTooLong)> {
        let room = size::answer_room(size);
        let Some(filled) = size::fill(message, room) else {
            return Err((self, AnswerTooLong { found: message.len(), room }));
        };
        // AES-GCM fails only beyond 64 GiB.
        Ok(self.0.encapsulate(&filled).unwrap_or_default())
    }
}

#[cfg(test)]
#[path = "ring/tests.rs"]
mod tests;
