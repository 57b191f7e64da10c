//! What a retailer's identity service has to do, without a server around it.
//!
//! **The class** follows from the storefront that a shopper is in (here: from the locale, by the topology), never from
//! where a request seems to come from.
//!
//! **The home cell** is a weighted choice among the class's cells, made anew for each token from a hash of the subject
//! (weighted rendezvous hashing, `policy/topology`). So it needs no table, every instance of a service makes the same
//! choice, a shopper's next token names the same cell, where the history lies; load spreads by the weights; and when a
//! cell comes or goes, only its own share of the shoppers moves. It tells an edge which of the class's cells a shopper
//! is of, log₂(cells) bits, and nothing else.

use domicile_envelope::SigningKey;
use domicile_jwt::TokenKey;
use domicile_pin::Pin;
use domicile_token::{Audience, Claims};
use domicile_topology::{Class, Topology};
use serde::Serialize;

use super::refusal::Refusal;
use super::sessions::Session;

/// Signs tokens and mints pins.
pub(super) struct Issuer {
    pub(super) topology: Topology,
    pub(super) pin_key: SigningKey,
    pub(super) token_key: TokenKey,
    /// `iss` of its tokens.
    pub(super) name: String,
    /// The storefront.
    pub(super) tenant: String,
    /// How long a token is valid, in seconds.
    pub(super) token_s: i64,
}

/// What a shopper's page is given. It keeps it in memory alone.
#[derive(Serialize)]
pub(super) struct Issued {
    /// The shopper's token, for the inside of the seal.
    pub(super) token: String,
    /// The class's pin, for the path: the same for every shopper of the class.
    pub(super) pin: String,
    /// The residency class.
    pub(super) class: String,
    /// The cell chosen for this token.
    pub(super) home: String,
    /// When to ask again, in seconds since 1970: the token's end or the pin's, whichever comes first.
    pub(super) not_after: i64,
}

impl Issuer {
    /// A token, a pin and a home cell for a session in a locale, at `now_s` (seconds since 1970).
    ///
    /// # Errors
    /// An unknown locale; a class without cells, whose shoppers get the list whatever token they have; a key that does
    /// not sign.
    pub(super) fn issue(&self, session: &Session, locale: &str, now_s: i64) -> Result<Issued, Refusal> {
        let locale = self.topology.locale_named(locale).ok_or(Refusal::UnknownLocale)?;
        let class = self.topology.class(locale.class).ok_or(Refusal::UnknownLocale)?;
        let home = self.topology.home_cell(class.id, session.subject.expose());
        let home = home.and_then(|id| self.topology.cell(id)).ok_or(Refusal::ListOnly)?;
        let epochs = self.topology.pin;
        let epoch = epochs.at(u32::try_from(now_s / 60).unwrap_or(0));
        let pin = Pin::mint(class.id.0, epoch, &self.pin_key).to_string();
        let exp = now_s.saturating_add(self.token_s);
        let claims = Claims {
            iss: self.name.clone(),
            sub: session.subject.clone(),
            // Every boundary that the class may use: a failover within it needs no new token.
            aud: Audience::Several(self.boundaries(class)),
            exp,
            iat: now_s,
            nbf: None,
            class: class.name.clone(),
            tenant: self.tenant.clone(),
            home: home.name.clone(),
            anonymous: session.anonymous,
        };
        let token = self.token_key.sign(&claims).map_err(|_error| Refusal::NotSigned)?;
        let not_after = exp.min(i64::from(epochs.ends(epoch)) * 60);
        Ok(Issued { token, pin, class: class.name.clone(), home: home.name.clone(), not_after })
    }

    fn boundaries(&self, class: &Class) -> Vec<String> {
        let cells = class.cells.iter().filter_map(|member| self.topology.cell(member.cell));
        let mut names: Vec<String> = cells.map(|cell| cell.boundary.clone()).collect();
        names.sort_unstable();
        names.dedup();
        names
    }
}

#[cfg(test)]
#[path = "issuer/tests.rs"]
mod tests;
