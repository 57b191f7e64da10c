//! Problem documents (RFC 9457) and their stable codes.

use serde::{Deserialize, Serialize};

/// What every problem's `type` begins with; its code follows.
pub const TYPE: &str = "urn:domicile:problem:";

/// The type of a problem with the date (RFC 9458 §6.5.2), which other clients of sealed requests know.
const DATE_TYPE: &str = "https://iana.org/assignments/http-problem-types#date";

/// What is wrong with a sound message. The name is the code a client acts on, the metric label and the log field.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Code {
    /// The path is none of the cell's.
    UnknownRoute,
    /// The path answers another method.
    MethodNotAllowed,
    /// The body is not JSON by its media type.
    UnsupportedType,
    /// A header is missing its form, or is there twice.
    HeaderInvalid,
    /// The body is not the JSON that the route takes.
    BodyInvalid,
    /// The topology has no such locale.
    UnknownLocale,
    /// The topology has no such slot.
    UnknownSlot,
    /// An anchor is not in the catalogue.
    UnknownItem,
    /// More anchors than a request may have.
    TooManyAnchors,
    /// There is no pin.
    PinMissing,
    /// The pin is not of a pin's form.
    PinMalformed,
    /// The pin is signed by an unknown key.
    PinUnknownKey,
    /// The pin's signature is wrong.
    PinForged,
    /// The pin's epoch is over.
    PinExpired,
    /// The pin's epoch has not begun.
    PinEarly,
    /// The pin's class is not in this cell's topology.
    UnknownClass,
    /// The pin's class may not be processed in this cell.
    CellNotInClass,
    /// A plain shopper id is taken on loopback only, and not inside a seal.
    ShopperRefused,
    /// There is no token, or not the one bearer token.
    TokenMissing,
    /// Not a token of the form asked for; `alg: none` too.
    TokenMalformed,
    /// The token's key is not, or no longer, in the cell's key set.
    TokenUnknownKey,
    /// The token is signed in another way than its key is for.
    TokenAlgorithm,
    /// The token's signature is wrong.
    TokenForged,
    /// The token's time is over.
    TokenExpired,
    /// The token's time has not begun.
    TokenEarly,
    /// The token is valid for longer than this cell takes.
    TokenTooLong,
    /// The token is by an identity service that this cell does not take.
    TokenIssuer,
    /// The token is for another boundary.
    TokenAudience,
    /// The token's class is not the pin's.
    TokenClass,
    /// The token's home cell is not one of its class.
    TokenHome,
    /// The token is of a storefront that this cell does not serve.
    TokenTenant,
    /// Inside the seal there is no message.
    MessageInvalid,
    /// The date inside the seal is missing or too far from the cell's clock.
    DateSkew,
    /// The cell has seen this sealed request before.
    Replayed,
    /// The batch of events is not one.
    EventsInvalid,
    /// The page of the export is none that the cell gave.
    PageInvalid,
    /// The answer does not fit the one size that answers have.
    AnswerTooLarge,
    /// The cell's store did not do its part: nothing was acknowledged.
    StoreFailed,
    /// The cell was not done in time.
    Late,
}

/// A problem document.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Problem {
    /// [`TYPE`] and the code, or a registered type.
    #[serde(rename = "type")]
    kind: String,
    /// The status's meaning in words.
    pub title: String,
    /// The HTTP status.
    pub status: u16,
    /// The stable code.
    pub code: Code,
    /// What to change, for a person. Never quotes what was sent.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub detail: String,
}

impl Problem {
    /// The problem of this code; `detail` must not quote the request.
    pub fn new(code: Code, detail: impl Into<String>) -> Self {
        Self {
            kind: code.kind(),
            title: code.title().into(),
            status: code.status(),
            code,
            detail: detail.into(),
        }
    }
}

impl From<Code> for Problem {
    fn from(code: Code) -> Self {
        Self::new(code, "")
    }
}

impl Code {
    /// Every code.
    pub const ALL: [Self; 39] = [
        Self::UnknownRoute,
        Self::MethodNotAllowed,
        Self::UnsupportedType,
        Self::HeaderInvalid,
        Self::BodyInvalid,
        Self::UnknownLocale,
        Self::UnknownSlot,
        Self::UnknownItem,
        Self::TooManyAnchors,
        Self::PinMissing,
        Self::PinMalformed,
        Self::PinUnknownKey,
        Self::PinForged,
        Self::PinExpired,
        Self::PinEarly,
        Self::UnknownClass,
        Self::CellNotInClass,
        Self::ShopperRefused,
        Self::TokenMissing,
        Self::TokenMalformed,
        Self::TokenUnknownKey,
        Self::TokenAlgorithm,
        Self::TokenForged,
        Self::TokenExpired,
        Self::TokenEarly,
        Self::TokenTooLong,
        Self::TokenIssuer,
        Self::TokenAudience,
        Self::TokenClass,
        Self::TokenHome,
        Self::TokenTenant,
        Self::MessageInvalid,
        Self::DateSkew,
        Self::Replayed,
        Self::EventsInvalid,
        Self::PageInvalid,
        Self::AnswerTooLarge,
        Self::StoreFailed,
        Self::Late,
    ];

    /// The code's name.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::UnknownRoute => "unknown-route",
            Self::MethodNotAllowed => "method-not-allowed",
            Self::UnsupportedType => "unsupported-type",
            Self::HeaderInvalid => "header-invalid",
            Self::BodyInvalid => "body-invalid",
            Self::UnknownLocale => "unknown-locale",
            Self::UnknownSlot => "unknown-slot",
            Self::UnknownItem => "unknown-item",
            Self::TooManyAnchors => "too-many-anchors",
            Self::PinMissing => "pin-missing",
            Self::PinMalformed => "pin-malformed",
            Self::PinUnknownKey => "pin-unknown-key",
            Self::PinForged => "pin-forged",
            Self::PinExpired => "pin-expired",
            Self::PinEarly => "pin-early",
            Self::UnknownClass => "unknown-class",
            Self::CellNotInClass => "cell-not-in-class",
            Self::ShopperRefused => "shopper-refused",
            Self::TokenMissing => "token-missing",
            Self::TokenMalformed => "token-malformed",
            Self::TokenUnknownKey => "token-unknown-key",
            Self::TokenAlgorithm => "token-algorithm",
            Self::TokenForged => "token-forged",
            Self::TokenExpired => "token-expired",
            Self::TokenEarly => "token-early",
            Self::TokenTooLong => "token-too-long",
            Self::TokenIssuer => "token-issuer",
            Self::TokenAudience => "token-audience",
            Self::TokenClass => "token-class",
            Self::TokenHome => "token-home",
            Self::TokenTenant => "token-tenant",
            Self::MessageInvalid => "message-invalid",
            Self::DateSkew => "date-skew",
            Self::Replayed => "replayed",
            Self::EventsInvalid => "events-invalid",
            Self::PageInvalid => "page-invalid",
            Self::AnswerTooLarge => "answer-too-large",
            Self::StoreFailed => "store-failed",
            Self::Late => "late",
        }
    }

    /// The HTTP status. A class that is not lawful here is 421 (RFC 9110 §15.5.20): another cell may answer.
    pub const fn status(self) -> u16 {
        match self {
            Self::UnknownRoute => 404,
            Self::MethodNotAllowed => 405,
            Self::UnsupportedType => 415,
            Self::HeaderInvalid
            | Self::BodyInvalid
            | Self::MessageInvalid
            | Self::DateSkew
            | Self::PageInvalid => 400,
            Self::UnknownLocale
            | Self::UnknownSlot
            | Self::UnknownItem
            | Self::TooManyAnchors
            | Self::EventsInvalid => 422,
            Self::PinMissing
            | Self::PinMalformed
            | Self::PinUnknownKey
            | Self::PinForged
            | Self::PinExpired
            | Self::PinEarly
            | Self::TokenMissing
            | Self::TokenMalformed
            | Self::TokenUnknownKey
            | Self::TokenAlgorithm
            | Self::TokenForged
            | Self::TokenExpired
            | Self::TokenEarly
            | Self::TokenTooLong
            | Self::TokenIssuer => 401,
            Self::UnknownClass | Self::CellNotInClass => 421,
            Self::ShopperRefused
            | Self::TokenAudience
            | Self::TokenClass
            | Self::TokenHome
            | Self::TokenTenant => 403,
            Self::Replayed => 409,
            Self::AnswerTooLarge => 500,
            Self::StoreFailed | Self::Late => 503,
        }
    }

    fn kind(self) -> String {
        if self == Self::DateSkew { DATE_TYPE.to_owned() } else { format!("{TYPE}{}", self.as_str()) }
    }

    const fn title(self) -> &'static str {
        match self.status() {
            400 => "Bad Request",
            401 => "Unauthorized",
            403 => "Forbidden",
            404 => "Not Found",
            405 => "Method Not Allowed",
            409 => "Conflict",
            415 => "Unsupported Media Type",
            421 => "Misdirected Request",
            500 => "Internal Server Error",
            503 => "Service Unavailable",
            _ => "Unprocessable Content",
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_those_of_serde_and_documents_survive() {
        for code in Code::ALL {
            let text = serde_json::to_string(&Problem::new(code, "why")).unwrap();
            assert!(text.contains(&format!("\"code\":\"{}\"", code.as_str())), "{text}");
            assert!(text.contains(&format!("\"type\":\"{}\"", code.kind())), "{text}");
            assert_eq!(serde_json::from_str::<Problem>(&text).unwrap(), Problem::new(code, "why"));
        }
    }
}
