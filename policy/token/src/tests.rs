use proptest::prelude::*;
use serde_json::json;

use super::{Asked, Audience, Claims, Subject, Terms, TokenRefusal};

const NOW: i64 = 1_800_000_000;

fn terms() -> Terms {
    Terms {
        issuers: vec!["https://shop.example".into()],
        boundary: "eu".into(),
        tenants: vec!["demo".into()],
        skew_s: 60,
        longest_s: 3_600,
    }
}

fn claims() -> Claims {
    Claims {
        iss: "https://shop.example".into(),
        sub: Subject::new("7f3a").unwrap(),
        aud: Audience::One("eu".into()),
        exp: NOW + 900,
        iat: NOW,
        nbf: None,
        class: "eu_only".into(),
        tenant: "demo".into(),
        home: "eu-a".into(),
        anonymous: false,
    }
}

fn check(change: impl FnOnce(&mut Claims), now_s: i64) -> Result<(), TokenRefusal> {
    let mut claims = claims();
    change(&mut claims);
    terms().check(&claims, Asked { class: "eu_only", cells: &["eu-a", "eu-b"], now_s })
}

#[test]
fn a_token_holds_from_its_birth_to_its_end_give_or_take_the_skew() {
    assert_eq!(check(|_| {}, NOW), Ok(()));
    assert_eq!(check(|_| {}, NOW - 60), Ok(()));
    assert_eq!(check(|_| {}, NOW - 61), Err(TokenRefusal::Early));
    assert_eq!(check(|_| {}, NOW + 959), Ok(()));
    assert_eq!(check(|_| {}, NOW + 960), Err(TokenRefusal::Expired));
    assert_eq!(check(|c| c.nbf = Some(NOW + 300), NOW), Err(TokenRefusal::Early));
    assert_eq!(check(|c| c.nbf = Some(0), NOW - 61), Err(TokenRefusal::Early), "not before it was made");
}

#[test]
fn each_statement_that_does_not_hold_here_is_named() {
    let refused = |change: fn(&mut Claims)| check(change, NOW).unwrap_err();
    assert_eq!(refused(|c| c.exp = NOW + 3_601), TokenRefusal::TooLong);
    assert_eq!(refused(|c| c.iss = "https://other.example".into()), TokenRefusal::Issuer);
    assert_eq!(refused(|c| c.aud = Audience::One("us".into())), TokenRefusal::Audience);
    assert_eq!(refused(|c| c.aud = Audience::Several(vec![])), TokenRefusal::Audience);
    assert_eq!(refused(|c| c.tenant = "other".into()), TokenRefusal::Tenant);
    assert_eq!(refused(|c| c.class = "us_only".into()), TokenRefusal::Class);
    assert_eq!(refused(|c| c.home = "us-a".into()), TokenRefusal::Home);
}

#[test]
fn a_failover_within_the_class_is_lawful_and_several_audiences_are_too() {
    assert_eq!(check(|c| c.home = "eu-b".into(), NOW), Ok(()));
    assert_eq!(check(|c| c.aud = Audience::Several(vec!["us".into(), "eu".into()]), NOW), Ok(()));
}

#[test]
fn a_subject_is_never_shown() {
    let text = format!("{:?}", claims());
    assert!(!text.contains("7f3a") && text.contains("Subject(..)"), "{text}");
    for bad in ["", " ", "a b", "é", "a\n", &"a".repeat(129)] {
        assert!(Subject::new(bad).is_none(), "{bad:?}");
    }
}

#[test]
fn names_are_their_own() {
    for refusal in TokenRefusal::ALL {
        assert_eq!(refusal.to_string(), refusal.as_str());
    }
}

#[test]
fn claims_are_read_strictly_and_others_passed_over() {
    let mut value = serde_json::to_value(claims()).unwrap();
    value["email_verified"] = json!(true);
    assert_eq!(serde_json::from_value::<Claims>(value.clone()).unwrap(), claims());
    for (field, bad) in
        [("sub", json!("a b")), ("exp", json!("soon")), ("exp", json!(1.5)), ("aud", json!(7))]
    {
        let mut broken = value.clone();
        broken[field] = bad;
        assert!(serde_json::from_value::<Claims>(broken).is_err(), "{field}");
    }
    for field in ["iss", "sub", "aud", "exp", "iat", "class", "tenant", "home"] {
        let mut without = value.clone();
        without.as_object_mut().unwrap().remove(field);
        assert!(serde_json::from_value::<Claims>(without).is_err(), "{field}");
    }
}

proptest! {
    #[test]
    fn no_time_overflows(exp in any::<i64>(), iat in any::<i64>(), now in any::<i64>()) {
        let _ = check(|c| { c.exp = exp; c.iat = iat }, now);
    }

    #[test]
    fn nothing_is_taken_beyond_its_time(life in 0i64..3_600, offset in -10_000i64..10_000) {
        let verdict = check(|c| c.exp = c.iat + life, NOW + offset);
        prop_assert_eq!(verdict.is_ok(), (-60..life + 60).contains(&offset));
    }
}
