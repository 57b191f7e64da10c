//! The cell's side: several live keys, one request opened, its answer sealed (RFC 9458, sections 4.3 and 4.4).

use std::collections::BTreeMap;

use aws_lc_rs::aead::{AES_128_GCM, Aad, LessSafeKey, Nonce, UnboundKey};
use aws_lc_rs::error::Unspecified;
use zeroize::Zeroizing;

use crate::kdf::{expand, extract};
use crate::key::{KeyFileError, SealingKey};
use crate::receiver::{Exporter, Receiver};
use crate::size;
use crate::suite::{ANSWER_NONCE, HEADER, KEY, NONCE};

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

/// What the key schedule is told of a request, before a zero and its header.
const REQUEST_INFO: &[u8] = b"message/bhttp request";
/// What the answer's secret is exported under.
const ANSWER_LABEL: &[u8] = b"message/bhttp response";

/// Every key that a cell opens requests with.
#[derive(Debug)]
pub struct KeyRing {
    keys: BTreeMap<u8, Key>,
}

#[derive(Debug)]
struct Key {
    header: [u8; HEADER],
    receiver: Receiver,
    /// The key schedule's context, the same for every request.
    context: Vec<u8>,
}

/// An opened request.
pub struct Opened {
    /// The plain text, padding included.
    pub message: Vec<u8>,
    /// What seals the answer.
    pub answerer: Answerer,
}

/// Seals the answer to one request. Dropped unused, that request gets none.
pub struct Answerer {
    enc: Vec<u8>,
    exporter: Exporter,
}

impl KeyRing {
    /// A ring of these keys.
    ///
    /// # Errors
    /// [`RingError`].
    pub fn new<'a>(keys: impl IntoIterator<Item = &'a SealingKey>) -> Result<Self, RingError> {
        let mut ring = BTreeMap::new();
        for key in keys {
            let receiver = key.receiver().map_err(|source| RingError::Key { id: key.id(), source })?;
            let header = key.kem().header(key.id());
            let context = receiver.context(&[REQUEST_INFO, &[0], &header].concat());
            if ring.insert(key.id(), Key { header, receiver, context }).is_some() {
                return Err(RingError::Twice(key.id()));
            }
        }
        if ring.is_empty() { Err(RingError::Empty) } else { Ok(Self { keys: ring }) }
    }

    /// Opens a request. What costs nothing is looked at first, so that noise is refused before any curve is computed.
    ///
    /// # Errors
    /// [`SealRefusal`].
    pub fn open(&self, sealed: &[u8]) -> Result<Opened, SealRefusal> {
        if sealed.len() != size::REQUEST {
            return Err(SealRefusal::Size);
        }
        let (header, rest) = sealed.split_first_chunk::<HEADER>().ok_or(SealRefusal::Size)?;
        let key = self.keys.get(&header[0]).ok_or(SealRefusal::UnknownKey)?;
        if *header != key.header {
            return Err(SealRefusal::Suite);
        }
        let enc = key.receiver.kem().public_bytes();
        let (enc, message) = rest.split_at_checked(enc).ok_or(SealRefusal::Size)?;
        let (enc, mut message) = (enc.to_vec(), message.to_vec());
        let context = key.receiver.setup(&enc, &key.context);
        let exporter = context.and_then(|context| context.open(&mut message));
        let exporter = exporter.map_err(|Unspecified| SealRefusal::Broken)?;
        Ok(Opened { message, answerer: Answerer { enc, exporter } })
    }

    /// The ids of its keys.
    pub fn ids(&self) -> impl Iterator<Item = u8> {
        self.keys.keys().copied()
    }
}

impl Answerer {
    /// Seals an answer of exactly `size` bytes.
    ///
    /// # Errors
    /// [`AnswerTooLong`], with the answerer handed back: the one who asked is owed an answer of that size still.
    pub fn seal(self, message: &[u8], size: usize) -> Result<Vec<u8>, (Self, AnswerTooLong)> {
        let room = size::answer_room(size);
        if message.len() > room {
            return Err((self, AnswerTooLong { found: message.len(), room }));
        }
        // AES-GCM fails beyond 64 GiB only, and a system without randomness has nothing to serve with. An empty answer
        // is one that no client takes for an answer.
        let mut nonce = [0; ANSWER_NONCE];
        let random = aws_lc_rs::rand::fill(&mut nonce);
        Ok(random.and_then(|()| self.seal_under(nonce, message, room)).unwrap_or_default())
    }

    fn seal_under(
        &self,
        nonce: [u8; ANSWER_NONCE],
        message: &[u8],
        room: usize,
    ) -> Result<Vec<u8>, Unspecified> {
        let mut secret = Zeroizing::new([0; ANSWER_NONCE]);
        self.exporter.export(ANSWER_LABEL, secret.as_mut_slice())?;
        let prk = extract(&[&self.enc[..], &nonce].concat(), &[secret.as_slice()]);
        let (mut key, mut answer_nonce) = (Zeroizing::new([0; KEY]), [0; NONCE]);
        expand(&prk, &[b"key"], key.as_mut_slice())?;
        expand(&prk, &[b"nonce"], &mut answer_nonce)?;
        let key = LessSafeKey::new(UnboundKey::new(&AES_128_GCM, key.as_slice())?);
        let mut answer = Vec::with_capacity(room + size::ANSWER_OVERHEAD);
        answer.extend_from_slice(&nonce);
        answer.extend_from_slice(message);
        answer.resize(ANSWER_NONCE + room, 0);
        let plain = answer.get_mut(ANSWER_NONCE..).ok_or(Unspecified)?;
        let answer_nonce = Nonce::assume_unique_for_key(answer_nonce);
        let tag = key.seal_in_place_separate_tag(answer_nonce, Aad::empty(), plain)?;
        answer.extend_from_slice(tag.as_ref());
        Ok(answer)
    }
}

#[cfg(test)]
#[path = "ring/tests.rs"]
mod tests;
