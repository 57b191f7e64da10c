//! What a shopper's token says, and when a cell takes it.
//!
//! A token is a JWT (RFC 7519) that the retailer's identity service signs. It travels inside the seal, and it is what
//! enforces residency: the pin outside is for routing and the same for everyone, the class in here is the shopper's.
//! A cell takes a token only when everything it states holds *here and now*: its own boundary as audience, a class that
//! the pin states too, a home cell of that class, its time. A token whose home is another cell of the class is taken:
//! that is what a failover looks like, and residency allows it.
//!
//! Signatures are the cell's business (`cell-backend/token`); these are the checks after one has held. Pure: the time
//! is an argument.

mod claims;

pub use claims::{Audience, Claims, Subject};

/// Why a token was refused. The same enum is the metric label, the log field and the problem code.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, thiserror::Error)]
pub enum TokenRefusal {
    /// There is none, or it is not the one bearer token of the request.
    #[error("token-missing")]
    Missing,
    /// Not a JWT of the claims asked for; `alg: none` too.
    #[error("token-malformed")]
    Malformed,
    /// Signed with a key that is not, or no longer, in the key set.
    #[error("token-unknown-key")]
    UnknownKey,
    /// Signed in another way than its key is for.
    #[error("token-algorithm")]
    Algorithm,
    /// The signature is not its key's over this text.
    #[error("token-forged")]
    Forged,
    /// Its time is over.
    #[error("token-expired")]
    Expired,
    /// Its time has not begun.
    #[error("token-early")]
    Early,
    /// It is valid for longer than this cell takes.
    #[error("token-too-long")]
    TooLong,
    /// By another identity service.
    #[error("token-issuer")]
    Issuer,
    /// For another boundary.
    #[error("token-audience")]
    Audience,
    /// Its class is not the pin's.
    #[error("token-class")]
    Class,
    /// Its home cell is not one of its class.
    #[error("token-home")]
    Home,
    /// Of a storefront that this cell does not serve.
    #[error("token-tenant")]
    Tenant,
}

impl TokenRefusal {
    /// Every refusal.
    pub const ALL: [Self; 13] = [
        Self::Missing,
        Self::Malformed,
        Self::UnknownKey,
        Self::Algorithm,
        Self::Forged,
        Self::Expired,
        Self::Early,
        Self::TooLong,
        Self::Issuer,
        Self::Audience,
        Self::Class,
        Self::Home,
        Self::Tenant,
    ];

    /// Its name in answers, labels and logs.
    #[must_use]
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Missing => "token-missing",
            Self::Malformed => "token-malformed",
            Self::UnknownKey => "token-unknown-key",
            Self::Algorithm => "token-algorithm",
            Self::Forged => "token-forged",
            Self::Expired => "token-expired",
            Self::Early => "token-early",
            Self::TooLong => "token-too-long",
            Self::Issuer => "token-issuer",
            Self::Audience => "token-audience",
            Self::Class => "token-class",
            Self::Home => "token-home",
            Self::Tenant => "token-tenant",
        }
    }
}

/// What a cell asks of every token.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Terms {
    /// The identity services whose tokens are taken (`iss`); any when empty, since the key set binds already.
    pub issuers: Vec<String>,
    /// The boundary the cell is in (`aud`).
    pub boundary: String,
    /// The storefronts it serves; any when empty.
    pub tenants: Vec<String>,
    /// How far the identity service's clock may be off, in seconds.
    pub skew_s: i64,
    /// Longest life of a token, in seconds: how long a logout may take to be noticed everywhere.
    pub longest_s: i64,
}

/// What a request says beside its token.
#[derive(Debug, Clone, Copy)]
pub struct Asked<'a> {
    /// The class that the request's pin states.
    pub class: &'a str,
    /// The cells of that class.
    pub cells: &'a [&'a str],
    /// Seconds since 1970.
    pub now_s: i64,
}

impl Terms {
    /// Whether claims hold for a request: time first, then whom the token is for, then the class.
    ///
    /// # Errors
    /// The first [`TokenRefusal`] met.
    pub fn check(&self, claims: &Claims, asked: Asked<'_>) -> Result<(), TokenRefusal> {
        let now = asked.now_s;
        if now >= claims.exp.saturating_add(self.skew_s) {
            return Err(TokenRefusal::Expired);
        }
        let begins = claims.nbf.map_or(claims.iat, |nbf| nbf.max(claims.iat));
        if now < begins.saturating_sub(self.skew_s) {
            return Err(TokenRefusal::Early);
        }
        if claims.exp.saturating_sub(claims.iat) > self.longest_s {
            return Err(TokenRefusal::TooLong);
        }
        if !self.issuers.is_empty() && !self.issuers.contains(&claims.iss) {
            return Err(TokenRefusal::Issuer);
        }
        if !claims.aud.names(&self.boundary) {
            return Err(TokenRefusal::Audience);
        }
        if !self.tenants.is_empty() && !self.tenants.contains(&claims.tenant) {
            return Err(TokenRefusal::Tenant);
        }
        if claims.class != asked.class {
            return Err(TokenRefusal::Class);
        }
        if !asked.cells.contains(&claims.home.as_str()) {
            return Err(TokenRefusal::Home);
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests;
