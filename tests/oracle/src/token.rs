//! Shoppers' tokens, once more (RFC 7515, RFC 7519): three pieces, cut and decoded by hand.

use std::sync::OnceLock;

use domicile_jwt::KeySet;
use domicile_token::{Asked, Terms, TokenRefusal};
use serde_json::Value;

use crate::json::{number, text};
use crate::signed::trusted;
use crate::{Disagreement, agree, letters};

const NOW: i64 = 1_800_000_000;
const SKEW: i64 = 60;
const LONGEST: i64 = 3_600;

/// Verifies and judges the token of an input: `t` and a token's text, or `p`, a header, a line break and claims, which
/// are signed here. Whether it was accepted.
///
/// # Errors
/// When token and reference part.
pub fn check(input: &[u8]) -> Result<bool, Disagreement> {
    let token = match input.split_first() {
        Some((b't', text)) => match std::str::from_utf8(text) {
            Ok(text) => text.to_owned(),
            Err(_) => return Ok(false),
        },
        Some((b'p', parts)) => sign(parts),
        _ => return Ok(false),
    };
    let claims = match keys().verify(&token) {
        Ok(claims) => claims,
        Err(refusal) => {
            return agree(!plain(&token), || format!("refused as {refusal}, and it is a plain token"))
                .map(|()| false);
        }
    };
    let value =
        held(&token).ok_or_else(|| Disagreement("accepted, and its signature does not hold".to_owned()))?;
    for (name, found) in
        [("iss", &claims.iss), ("class", &claims.class), ("home", &claims.home), ("tenant", &claims.tenant)]
    {
        agree(text(&value, name) == Some(found), || format!("another {name} than is written"))?;
    }
    let terms = Terms {
        issuers: vec!["https://identity.example".to_owned()],
        boundary: "eu".to_owned(),
        tenants: vec!["demo".to_owned()],
        skew_s: SKEW,
        longest_s: LONGEST,
    };
    let asked = Asked { class: "eu_only", cells: &["eu-a", "eu-b"], now_s: NOW };
    let (said, expected) = (terms.check(&claims, asked), judged(&value));
    agree(said == expected, || format!("{said:?}, the reference says {expected:?}"))?;
    Ok(said.is_ok())
}

/// A token of a header and claims, as they are.
fn sign(parts: &[u8]) -> String {
    let end = parts.iter().position(|&byte| byte == b'\n').unwrap_or(parts.len());
    let (header, claims) = parts.split_at(end);
    let claims = claims.strip_prefix(b"\n").unwrap_or(claims);
    let signed = format!("{}.{}", letters::text_of(header), letters::text_of(claims));
    let signature = trusted().0.sign(signed.as_bytes());
    format!("{signed}.{}", letters::text_of(&signature))
}

/// The claims of a token, if header and signature are what they have to be.
fn held(token: &str) -> Option<Value> {
    let pieces: Vec<&str> = token.split('.').collect();
    let [head, body, signature] = pieces[..] else { return None };
    let header: Value = serde_json::from_slice(&letters::bytes_of(head)?).ok()?;
    let [key] = &trusted().1;
    let named = text(&header, "kid") == Some(&key.id().to_string()) && text(&header, "alg") == Some("ES256");
    let signature: [u8; 64] = letters::bytes_of(signature)?.try_into().ok()?;
    let sound = named
        && header.get("crit").is_none_or(Value::is_null)
        && key.verifies(format!("{head}.{body}").as_bytes(), &signature);
    sound.then(|| serde_json::from_slice(&letters::bytes_of(body)?).ok())?
}

/// Whether this is a token without anything unusual, which has to be taken as far as its form goes.
fn plain(token: &str) -> bool {
    let header = token.split('.').next().and_then(letters::bytes_of);
    let [key] = &trusted().1;
    let usual = format!(r#"{{"typ":"JWT","alg":"ES256","kid":"{}"}}"#, key.id());
    let texts = ["iss", "sub", "aud", "class", "tenant", "home"];
    header.as_deref() == Some(usual.as_bytes())
        && token.len() <= 2_048
        && held(token).is_some_and(|value| {
            let sub = text(&value, "sub")
                .is_some_and(|sub| sub.len() <= 128 && sub.bytes().all(|b| (33..127).contains(&b)));
            let whole = |name| value.get(name).is_some_and(Value::is_i64);
            let known = value.as_object().is_some_and(|object| object.len() == 8);
            let colons = token.split('.').nth(1).and_then(letters::bytes_of).unwrap_or_default();
            let once = colons.iter().filter(|&&byte| byte == b'"').count() == 2 * (8 + texts.len());
            let sub = sub && text(&value, "sub").is_some_and(|sub| !sub.is_empty());
            sub && known
                && once
                && texts.iter().all(|name| text(&value, name).is_some())
                && whole("exp")
                && whole("iat")
        })
}

/// Time, then whom it is for, then the class.
fn judged(value: &Value) -> Result<(), TokenRefusal> {
    let at = |name| number(value, name);
    let now = i128::from(NOW);
    let (exp, iat) = (at("exp").unwrap_or_default(), at("iat").unwrap_or_default());
    // Times at the ends of what a number holds stay there.
    let held = |time: i128| time.clamp(i128::from(i64::MIN), i128::from(i64::MAX));
    if now >= held(exp + i128::from(SKEW)) {
        return Err(TokenRefusal::Expired);
    }
    if now < held(iat.max(at("nbf").unwrap_or(iat)) - i128::from(SKEW)) {
        return Err(TokenRefusal::Early);
    }
    if held(exp - iat) > i128::from(LONGEST) {
        return Err(TokenRefusal::TooLong);
    }
    let named = |audience: &Value| match audience {
        Value::String(name) => name == "eu",
        Value::Array(names) => names.iter().any(|name| name == "eu"),
        _ => false,
    };
    for (holds, refusal) in [
        (text(value, "iss") == Some("https://identity.example"), TokenRefusal::Issuer),
        (value.get("aud").is_some_and(named), TokenRefusal::Audience),
        (text(value, "tenant") == Some("demo"), TokenRefusal::Tenant),
        (text(value, "class") == Some("eu_only"), TokenRefusal::Class),
        (matches!(text(value, "home"), Some("eu-a" | "eu-b")), TokenRefusal::Home),
    ] {
        if !holds {
            return Err(refusal);
        }
    }
    Ok(())
}

fn keys() -> &'static KeySet {
    static KEYS: OnceLock<KeySet> = OnceLock::new();
    KEYS.get_or_init(set)
}

#[expect(clippy::expect_used, reason = "a committed key; without it there is nothing to compare")]
fn set() -> KeySet {
    let [key] = &trusted().1;
    KeySet::parse(&format!(r#"{{"keys":[{}]}}"#, key.to_jwk())).expect("the demo's key is one")
}
