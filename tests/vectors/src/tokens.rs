//! Shoppers' tokens.

use base64::Engine as _;
use base64::engine::general_purpose::URL_SAFE_NO_PAD as BASE64URL;
use domicile_jwt::{KeySet, TokenKey};
use domicile_token::{Asked, Audience, Claims, Subject, Terms};
use serde_json::{Value, json};

use crate::{NOW, keys, text};

pub(crate) const ABOUT: &str = "Shoppers' tokens (JWT): `token` is verified under `keys` (JWK Set) by a cell of the \
boundary `eu` that serves the storefront `demo`, for a pin of the class `eu_only`, whose cells are eu-a and eu-b. Clocks \
may differ by 60 s, a token lives an hour at most. `expect` is `ok`, or the problem's code.";

fn claims() -> Option<Claims> {
    Some(Claims {
        iss: "https://identity.shop.example".to_owned(),
        sub: Subject::new("a-shopper")?,
        aud: Audience::One("eu".to_owned()),
        exp: NOW + 900,
        iat: NOW,
        nbf: None,
        class: "eu_only".to_owned(),
        tenant: "demo".to_owned(),
        home: "eu-a".to_owned(),
        anonymous: false,
    })
}

pub(crate) fn make() -> Vec<Value> {
    let set = TokenKey::key_set([&keys::ed25519(), &keys::p256()]).unwrap_or_default();
    let signed = |key: &TokenKey, change: &dyn Fn(&mut Claims)| {
        let mut claims = claims()?;
        change(&mut claims);
        key.sign(&claims).ok()
    };
    let of = |change: &dyn Fn(&mut Claims)| signed(&keys::ed25519(), change).unwrap_or_default();
    let good = of(&|_| {});
    let header = |header: &str| {
        let rest = good.split_once('.').map(|(_, rest)| rest).unwrap_or_default();
        format!("{}.{rest}", BASE64URL.encode(header))
    };
    let unsigned = header(r#"{"typ":"JWT","alg":"none"}"#);
    let unsigned = unsigned.rsplit_once('.').map(|(front, _)| format!("{front}.")).unwrap_or_default();
    let p256 = signed(&keys::p256(), &|_| {}).unwrap_or_default();
    let mixed = [good.rsplit_once('.'), p256.rsplit_once('.')];
    let mixed = match mixed {
        [Some((front, _)), Some((_, signature))] => format!("{front}.{signature}"),
        _ => String::new(),
    };
    let only = |key: &TokenKey| TokenKey::key_set([key]).unwrap_or_default();
    let case = |name: &str, token: &str, expect: &str| json!({ "name": name, "token": token, "keys": set, "expect": expect });
    let mut cases = vec![
        case("Ed25519", &good, "ok"),
        case("P-256", &p256, "ok"),
        case("anonymous", &of(&|c| c.anonymous = true), "ok"),
        case(
            "for several boundaries",
            &of(&|c| c.aud = Audience::Several(vec!["uk".into(), "eu".into()])),
            "ok",
        ),
        case("in another cell of the class: a failover", &of(&|c| c.home = "eu-b".into()), "ok"),
        case("within the clocks' difference", &of(&|c| c.exp = NOW - 59), "ok"),
        case("over", &of(&|c| c.exp = NOW - 60), "token-expired"),
        case("not begun", &of(&|c| c.iat = NOW + 61), "token-early"),
        case("not begun, by nbf", &of(&|c| c.nbf = Some(NOW + 61)), "token-early"),
        case("of too long a life", &of(&|c| c.exp = NOW + 3_601), "token-too-long"),
        case("for another boundary", &of(&|c| c.aud = Audience::One("us".into())), "token-audience"),
        case("of another class", &of(&|c| c.class = "us_only".into()), "token-class"),
        case("with a home outside of the class", &of(&|c| c.home = "us-a".into()), "token-home"),
        case("of another storefront", &of(&|c| c.tenant = "other".into()), "token-tenant"),
        case("alg none", &unsigned, "token-malformed"),
        case("the key's name left away", &header(r#"{"typ":"JWT","alg":"EdDSA"}"#), "token-unknown-key"),
        case("another key's name", &header(r#"{"typ":"JWT","alg":"EdDSA","kid":"x"}"#), "token-unknown-key"),
        case(
            "another algorithm than the key's",
            &header(r#"{"typ":"JWT","alg":"ES256","kid":"ed"}"#),
            "token-algorithm",
        ),
        case(
            "an HMAC with the public key's name",
            &header(r#"{"typ":"JWT","alg":"HS256","kid":"ed"}"#),
            "token-algorithm",
        ),
        case(
            "an extension that has to be understood",
            &header(r#"{"alg":"EdDSA","kid":"ed","crit":["b64"]}"#),
            "token-malformed",
        ),
        case("another token's signature", &mixed, "token-forged"),
        case("two pieces", "aa.bb", "token-malformed"),
        case("nothing", "", "token-malformed"),
    ];
    cases.push(json!({
        "name": "by a key that was just removed", "token": good, "keys": only(&keys::p256()),
        "expect": "token-unknown-key",
    }));
    cases
}

pub(crate) fn answer(case: &Value) -> String {
    let terms = Terms {
        issuers: Vec::new(),
        boundary: "eu".to_owned(),
        tenants: vec!["demo".to_owned()],
        skew_s: 60,
        longest_s: 3_600,
    };
    let asked = Asked { class: "eu_only", cells: &["eu-a", "eu-b"], now_s: NOW };
    let Ok(keys) = KeySet::parse(text(case, "keys")) else { return "no keys".to_owned() };
    let verdict = keys.verify(text(case, "token")).and_then(|claims| terms.check(&claims, asked));
    verdict.map_or_else(|refusal| refusal.as_str().to_owned(), |()| "ok".to_owned())
}
