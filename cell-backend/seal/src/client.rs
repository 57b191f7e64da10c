//! A client's side: seal one request, open its answer.

use ohttp::{ClientRequest, ClientResponse, KeyConfig};

use crate::config::PublicConfig;
use crate::size;
use crate::suite::Kem;

/// Why something was not sealed or not opened.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub enum SealError {
    /// No configuration of the wanted KEM.
    #[error("the cell offers no key of a suite this client has")]
    NoKey,
    /// The message does not fit a request.
    #[error("{found} bytes, and a request holds {room}; split it")]
    TooLong {
        /// Bytes of the message.
        found: usize,
        /// Bytes that fit.
        room: usize,
    },
    /// The key cannot be used.
    #[error("the cell's key cannot be sealed to")]
    Key,
    /// The answer is not one to this request, or was altered on the way.
    #[error("the answer cannot be opened: it was altered, or answers another request")]
    Broken,
}

/// Seals requests to one key of a cell.
pub struct Sealer {
    kem: Kem,
    id: u8,
    config: KeyConfig,
}

/// Opens the answer to one request.
pub struct Opener(ClientResponse);

impl Sealer {
    /// A sealer to the first key of `only`, or to the first of the preferred KEM that there is one of.
    ///
    /// # Errors
    /// [`SealError::NoKey`].
    pub fn new(configs: &[PublicConfig], only: Option<Kem>) -> Result<Self, SealError> {
        let of = |kem: Kem| configs.iter().find(|config| config.kem == kem);
        let found = match only {
            Some(kem) => of(kem),
            None => Kem::ALL.into_iter().find_map(of),
        };
        let found = found.ok_or(SealError::NoKey)?;
        let config = KeyConfig::decode(&found.bytes).map_err(|_error| SealError::Key)?;
        Ok(Self { kem: found.kem, id: found.id, config })
    }

    /// The KEM it seals with.
    #[must_use]
    pub const fn kem(&self) -> Kem {
        self.kem
    }

    /// The id of the key it seals to.
    #[must_use]
    pub const fn key_id(&self) -> u8 {
        self.id
    }

    /// Seals a message: exactly [`size::REQUEST`] bytes, and what opens the answer. Each call is a context of its own.
    ///
    /// # Errors
    /// [`SealError::TooLong`] when the message does not fit.
    pub fn seal(&self, message: &[u8]) -> Result<(Vec<u8>, Opener), SealError> {
        let room = size::request_room(self.kem);
        let filled = size::fill(message, room).ok_or(SealError::TooLong { found: message.len(), room })?;
        // What was read by `config` has our suite among its own; the first is the one that is used.
        let request =
            ClientRequest::from_config(&mut self.config.clone()).map_err(|_error| SealError::Key)?;
        let (sealed, response) = request.encapsulate(&filled).map_err(|_error| SealError::Key)?;
        Ok((sealed, Opener(response)))
    }
}

impl Opener {
    /// The plain text of the answer, padding included.
    ///
    /// # Errors
    /// [`SealError::Broken`].
    pub fn open(self, sealed: &[u8]) -> Result<Vec<u8>, SealError> {
        self.0.decapsulate(sealed).map_err(|_error| SealError::Broken)
    }
}
