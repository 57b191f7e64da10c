use std::collections::BTreeMap;

use domicile_jwt::KeySet;
use domicile_token::{Asked, Subject, Terms, TokenRefusal};
use domicile_topology::KeyUse;

use super::*;

/// Noon of a day: the demo's epochs are days, accepted for four hours more.
const NOON: i64 = 20_000 * 86_400 + 43_200;

fn issuer(token_s: i64) -> Issuer {
    let demo = concat!(env!("CARGO_MANIFEST_DIR"), "/../deploy/demo");
    let read = |name: &str| std::fs::read_to_string(format!("{demo}/{name}")).unwrap();
    Issuer {
        topology: Topology::parse(&read("topology.toml")).unwrap(),
        pin_key: SigningKey::from_jwk(&read("keys/pin.jwk")).unwrap(),
        token_key: TokenKey::generate(domicile_jwt::TokenAlgorithm::EdDsa).unwrap(),
        name: "https://identity.invalid".into(),
        tenant: "demo".into(),
        token_s,
    }
}

fn session(subject: &str) -> Session {
    Session { subject: Subject::new(subject).unwrap(), anonymous: false }
}

fn verdict(issuer: &Issuer, issued: &Issued, boundary: &str, now_s: i64) -> Result<Claims, TokenRefusal> {
    let keys = KeySet::parse(&TokenKey::key_set([&issuer.token_key]).unwrap()).unwrap();
    let claims = keys.verify(&issued.token)?;
    let boundary = boundary.to_owned();
    let terms =
        Terms { issuers: vec![], boundary, tenants: vec!["demo".into()], skew_s: 60, longest_s: 3_600 };
    let asked = Asked { class: &issued.class, cells: &["eu-a", "eu-b"], now_s };
    terms.check(&claims, asked).map(|()| claims)
}

#[test]
fn a_cell_takes_what_is_issued_until_its_end_and_not_after() {
    let issuer = issuer(900);
    let issued = issuer.issue(&session("17"), "de-DE", NOON).unwrap();
    assert_eq!((issued.class.as_str(), issued.not_after), ("eu_only", NOON + 900));
    let claims = verdict(&issuer, &issued, "eu", NOON).unwrap();
    assert_eq!((claims.sub.expose(), claims.home, claims.anonymous), ("17", issued.home.clone(), false));
    assert_eq!(verdict(&issuer, &issued, "us", NOON), Err(TokenRefusal::Audience));
    assert!(verdict(&issuer, &issued, "eu", NOON + 959).is_ok(), "the cell's allowance for clocks");
    assert_eq!(verdict(&issuer, &issued, "eu", NOON + 960), Err(TokenRefusal::Expired));
    let keys = issuer.topology.keys_for(KeyUse::Pin);
    let minute = u32::try_from(NOON / 60).unwrap();
    assert_eq!(Pin::parse(&issued.pin).unwrap().verify(&keys, issuer.topology.pin, minute), Ok(1));
}

#[test]
fn whoever_keeps_to_not_after_never_shows_a_pin_that_is_over() {
    let issuer = issuer(86_400);
    // The last second of a day: its epoch is accepted for four hours more, the token for a day.
    let issued = issuer.issue(&session("17"), "de-DE", 20_001 * 86_400 - 1).unwrap();
    assert_eq!(issued.not_after, 20_001 * 86_400 + 4 * 3_600);
    let (keys, epochs) = (issuer.topology.keys_for(KeyUse::Pin), issuer.topology.pin);
    let at = |s: i64| Pin::parse(&issued.pin).unwrap().verify(&keys, epochs, u32::try_from(s / 60).unwrap());
    assert!(at(issued.not_after - 1).is_ok() && at(issued.not_after).is_err());
}

#[test]
fn the_home_is_the_same_from_token_to_token_and_spreads_by_weight() {
    let issuer = issuer(900);
    let mut shares = BTreeMap::<String, u32>::new();
    for subject in (0..500).map(|n| n.to_string()) {
        let home = |now_s| issuer.issue(&session(&subject), "fr-FR", now_s).unwrap().home;
        let first = home(NOON);
        assert_eq!(first, home(NOON + 86_400));
        *shares.entry(first).or_default() += 1;
    }
    // Three to two; four standard deviations of a binomial with n = 500, p = 0.6 are 44. The hash is fixed.
    assert!((256..=344).contains(&shares["eu-a"]), "{shares:?}");
}

#[test]
fn no_cell_no_token() {
    let refusal = |locale: &str| issuer(900).issue(&session("17"), locale, NOON).err();
    assert_eq!(refusal("en-GB"), Some(Refusal::ListOnly));
    assert_eq!(refusal("xx-XX"), Some(Refusal::UnknownLocale));
}
