use base64::Engine as _;
use base64::engine::general_purpose::URL_SAFE_NO_PAD as BASE64URL;
use domicile_token::{Audience, Claims, Subject, TokenRefusal};
use proptest::prelude::*;
use serde_json::{Value, json};

use super::{KeySet, KeySetError};
use crate::{MintError, TokenAlgorithm, TokenKey};

fn claims() -> Claims {
    Claims {
        iss: "https://shop.example".into(),
        sub: Subject::new("7f3a").unwrap(),
        aud: Audience::One("eu".into()),
        exp: 2_000_000_000,
        iat: 1_999_999_000,
        nbf: None,
        class: "eu_only".into(),
        tenant: "demo".into(),
        home: "eu-a".into(),
        anonymous: false,
    }
}

fn set(keys: &[&TokenKey]) -> KeySet {
    KeySet::parse(&TokenKey::key_set(keys.iter().copied()).unwrap()).unwrap()
}

/// A token with another header or payload, under the signature it had.
fn with(token: &str, part: usize, change: impl FnOnce(&mut Value)) -> String {
    let mut parts: Vec<String> = token.split('.').map(str::to_owned).collect();
    let mut value: Value = serde_json::from_slice(&BASE64URL.decode(&parts[part]).unwrap()).unwrap();
    change(&mut value);
    parts[part] = BASE64URL.encode(value.to_string());
    parts.join(".")
}

#[test]
fn a_token_of_either_kind_is_verified() {
    for key in [TokenKey::ed25519("a").unwrap(), TokenKey::p256("b").unwrap()] {
        let read = TokenKey::from_jwk(&key.to_jwk().unwrap()).unwrap();
        assert_eq!(set(&[&key]).verify(&read.sign(&claims()).unwrap()), Ok(claims()));
    }
}

#[test]
fn each_forgery_is_refused_by_name() {
    let (ed, ec) = (TokenKey::ed25519("ed").unwrap(), TokenKey::p256("ec").unwrap());
    let keys = set(&[&ed, &ec]);
    let token = ed.sign(&claims()).unwrap();
    let refusal = |token: &str| keys.verify(token).unwrap_err();

    assert_eq!(refusal(&with(&token, 1, |c| c["class"] = "us_only".into())), TokenRefusal::Forged);
    assert_eq!(refusal(&with(&token, 0, |h| h["typ"] = "x".into())), TokenRefusal::Forged);
    assert_eq!(refusal(&with(&token, 0, |h| h["kid"] = "ec".into())), TokenRefusal::Algorithm);
    assert_eq!(refusal(&with(&token, 0, |h| h["alg"] = "HS256".into())), TokenRefusal::Algorithm);
    assert_eq!(refusal(&with(&token, 0, |h| h["alg"] = "none".into())), TokenRefusal::Malformed);
    assert_eq!(refusal(&with(&token, 0, |h| h["crit"] = json!(["b64"]))), TokenRefusal::Malformed);
    assert_eq!(refusal(&with(&token, 0, |h| h["kid"] = "gone".into())), TokenRefusal::UnknownKey);
    let nameless = with(&token, 0, |h| drop(h.as_object_mut().unwrap().remove("kid")));
    assert_eq!(refusal(&nameless), TokenRefusal::UnknownKey);
    let (unsigned, _) = token.rsplit_once('.').unwrap();
    assert_eq!(refusal(&format!("{unsigned}.")), TokenRefusal::Forged);
    for text in ["", ".", "..", "a.b.c", unsigned, &"a".repeat(4_000)] {
        assert_eq!(refusal(text), TokenRefusal::Malformed, "{text:.20}");
    }
    // A key of the same name by somebody else.
    let other = TokenKey::ed25519("ed").unwrap();
    assert_eq!(refusal(&other.sign(&claims()).unwrap()), TokenRefusal::Forged);
}

#[test]
fn the_demo_s_key_is_known_by_its_point_under_any_name() {
    let demo = include_str!("../../../../deploy/demo/keys/token-keys.json");
    assert_eq!(KeySet::parse(demo).unwrap().published(), Some("demo"));
    let renamed = demo.replace("\"kid\":\"demo\"", "\"kid\":\"ours\"");
    assert_eq!(KeySet::parse(&renamed).unwrap().published(), Some("ours"));
    assert_eq!(set(&[&TokenKey::ed25519("demo").unwrap()]).published(), None);
}

#[test]
fn a_removed_key_s_tokens_are_refused_at_once() {
    let (old, new) = (TokenKey::ed25519("old").unwrap(), TokenKey::ed25519("new").unwrap());
    let token = old.sign(&claims()).unwrap();
    assert!(set(&[&old, &new]).verify(&token).is_ok());
    assert_eq!(set(&[&new]).verify(&token), Err(TokenRefusal::UnknownKey));
}

#[test]
fn a_set_that_cannot_serve_is_refused_with_the_key_s_name() {
    let refusal = |value: Value| KeySet::parse(&value.to_string()).err().unwrap();
    let good: Value =
        serde_json::from_str(&TokenKey::ed25519("a").unwrap().to_public_jwk().unwrap()).unwrap();
    let changed = |change: fn(&mut Value)| {
        let mut key = good.clone();
        change(&mut key);
        refusal(json!({ "keys": [key] }))
    };
    assert!(matches!(KeySet::parse("{"), Err(KeySetError::Form { line: 1, .. })));
    let none = KeySet::parse(&json!({ "keys": [] }).to_string()).unwrap();
    assert_eq!((none.names().count(), none.verify("a.b.c")), (0, Err(TokenRefusal::Malformed)));
    assert_eq!(refusal(json!({ "keys": vec![good.clone(); 65] })), KeySetError::TooMany);
    assert_eq!(refusal(json!({ "keys": [good.clone(), good.clone()] })), KeySetError::Twice("a".into()));
    assert_eq!(changed(|k| k["kid"] = "".into()), KeySetError::Nameless(1));
    assert_eq!(changed(|k| k["d"] = "AA".into()), KeySetError::Secret { kid: "a".into() });
    assert_eq!(changed(|k| k["x"] = "AA".into()), KeySetError::Point { kid: "a".into() });
    assert_eq!(changed(|k| k["x"] = 7.into()), KeySetError::Members(1));
    let shared = json!({ "kty": "oct", "kid": "s", "k": "AA" });
    assert_eq!(refusal(json!({ "keys": [good, shared] })), KeySetError::Secret { kid: "s".into() });
}

#[test]
fn keys_for_somebody_else_are_passed_over_and_verify_nothing() {
    let (mine, other) = (TokenKey::ed25519("mine").unwrap(), TokenKey::ed25519("other").unwrap());
    let public = |key: &TokenKey| -> Value { serde_json::from_str(&key.to_public_jwk().unwrap()).unwrap() };
    let changes: [fn(&mut Value); 8] = [
        |k| k["kty"] = "RSA".into(),
        |k| k["kty"] = json!(["OKP"]),
        |k| k["crv"] = "Ed448".into(),
        |k| k["use"] = "enc".into(),
        |k| k["alg"] = "ECDH-ES".into(),
        |k| k["key_ops"] = json!(["deriveBits"]),
        |k| *k = json!({ "kty": "RSA", "n": "AQAB", "e": "AQAB" }),
        |k| *k = json!(null),
    ];
    for (place, change) in changes.into_iter().enumerate() {
        let mut foreign = public(&other);
        change(&mut foreign);
        assert_eq!(KeySet::parse(&json!({ "keys": [foreign] }).to_string()).err(), Some(KeySetError::Empty));
        let set = KeySet::parse(&json!({ "keys": [foreign, public(&mine)] }).to_string()).unwrap();
        assert!(set.verify(&mine.sign(&claims()).unwrap()).is_ok(), "{place}");
        let refusal = set.verify(&other.sign(&claims()).unwrap()).unwrap_err();
        assert_eq!(refusal, TokenRefusal::UnknownKey, "{place}");
    }
    let mut plain = public(&mine);
    for name in ["use", "alg"] {
        plain.as_object_mut().unwrap().remove(name);
    }
    plain["key_ops"] = json!(["verify"]);
    let set = KeySet::parse(&json!({ "keys": [plain] }).to_string()).unwrap();
    assert!(set.verify(&mine.sign(&claims()).unwrap()).is_ok(), "what is not stated is not asked");
}

#[test]
fn a_key_that_is_made_for_use_has_its_thumbprint_as_its_name() {
    for algorithm in TokenAlgorithm::ALL {
        let key = TokenKey::generate(algorithm).unwrap();
        assert_eq!((key.algorithm(), key.kid().len()), (algorithm, 43));
        assert_eq!(set(&[&key]).verify(&key.sign(&claims()).unwrap()), Ok(claims()));
        // Secret or public, a key file gives the same public half.
        let public = key.to_public_jwk().unwrap();
        assert_eq!(TokenKey::public_jwk(&key.to_jwk().unwrap()), Ok(public.clone()));
        assert_eq!(TokenKey::public_jwk(&public), Ok(public.clone()));
        assert_eq!(algorithm.as_str().parse(), Ok(algorithm));
        let altered = public.replace("\"x\":\"", "\"x\":\"AA");
        assert_eq!(TokenKey::public_jwk(&altered), Err(MintError::Public));
    }
    assert!("RS256".parse::<TokenAlgorithm>().is_err());
    // RFC 8037, appendix A.3.
    let known = r#"{"kty":"OKP","crv":"Ed25519","kid":"k","alg":"EdDSA","use":"sig","x":"11qYAYKxCrfVS_7TyWQHOg7hcvPapiMlrwIaaPcHURo","d":"nWGxne_9WmC6hEr0kuwsxERJxWl7MmkZcDusAxyuf2A"}"#;
    let thumbprint = TokenKey::from_jwk(known).unwrap().thumbprint().unwrap();
    assert_eq!(thumbprint, "kPrK_qmxVWaYVA9wwBF6Iuo3vVzz7TxHCTwXBygrS4k");
}

#[test]
fn a_secret_key_is_neither_shown_nor_quoted() {
    let key = TokenKey::ed25519("a").unwrap();
    assert_eq!(format!("{key:?}"), "TokenKey(\"a\", secret)");
    assert!(!key.to_public_jwk().unwrap().contains("\"d\""));
    let text = key.to_jwk().unwrap().replace("\"kid\"", "\"dik\"");
    assert!(TokenKey::from_jwk(&text).unwrap_err().to_string().starts_with("line 1"));
    let other = TokenKey::ed25519("a").unwrap().to_jwk().unwrap();
    let x = |jwk: &str| serde_json::from_str::<Value>(jwk).unwrap()["x"].as_str().unwrap().to_owned();
    let mixed = key.to_jwk().unwrap().replace(&x(&key.to_jwk().unwrap()), &x(&other));
    assert!(TokenKey::from_jwk(&mixed).is_err());
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(64))]

    #[test]
    fn any_text_is_verified_or_refused(text in "[a-zA-Z0-9_.-]{0,300}") {
        prop_assert!(set(&[&TokenKey::ed25519("a").unwrap()]).verify(&text).is_err());
    }

    #[test]
    fn one_altered_character_never_verifies(at in any::<prop::sample::Index>(), letter in "[A-Za-z0-9_.-]") {
        let key = TokenKey::p256("a").unwrap();
        let token = key.sign(&claims()).unwrap();
        let at = at.index(token.len());
        let mut altered = token.clone();
        altered.replace_range(at..=at, &letter);
        prop_assume!(altered != token);
        prop_assert!(set(&[&key]).verify(&altered).is_err());
    }
}
