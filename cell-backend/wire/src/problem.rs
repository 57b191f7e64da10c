//! Problem documents (RFC 9457) and their stable codes.

use serde::{Deserialize, Serialize};

/// What every problem's `type` begins with; its code follows.
pub const TYPE: &str = "urn:domicile:problem:";

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
    /// A plain shopper id is taken on loopback only.
    ShopperRefused,
}

/// A problem document.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Problem {
    /// [`TYPE`] and the code.
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
            kind: format!("{TYPE}{}", code.as_str()),
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
    pub const ALL: [Self; 18] = [
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
        }
    }

    /// The HTTP status. A class that is not lawful here is 421 (RFC 9110 §15.5.20): another cell may answer.
    pub const fn status(self) -> u16 {
        match self {
            Self::UnknownRoute => 404,
            Self::MethodNotAllowed => 405,
            Self::UnsupportedType => 415,
            Self::HeaderInvalid | Self::BodyInvalid => 400,
            Self::UnknownLocale | Self::UnknownSlot | Self::UnknownItem | Self::TooManyAnchors => 422,
            Self::PinMissing
            | Self::PinMalformed
            | Self::PinUnknownKey
            | Self::PinForged
            | Self::PinExpired
            | Self::PinEarly => 401,
            Self::UnknownClass | Self::CellNotInClass => 421,
            Self::ShopperRefused => 403,
        }
    }

    const fn title(self) -> &'static str {
        match self.status() {
            400 => "Bad Request",
            401 => "Unauthorized",
            403 => "Forbidden",
            404 => "Not Found",
            405 => "Method Not Allowed",
            415 => "Unsupported Media Type",
            421 => "Misdirected Request",
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
            assert!(text.contains(&format!("\"type\":\"urn:domicile:problem:{}\"", code.as_str())), "{text}");
            assert_eq!(serde_json::from_str::<Problem>(&text).unwrap(), Problem::new(code, "why"));
        }
    }
}
