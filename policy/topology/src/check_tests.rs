use std::collections::BTreeMap;

use domicile_envelope::SigningKey;
use proptest::prelude::*;

use crate::{CellId, ClassId, Topology};

fn sound() -> String {
    let jwk = SigningKey::generate().verifying_key().to_jwk();
    format!(
        r#"
version = 1
serial = 3

[[boundary]]
name = "eu"
countries = ["DE", "FR"]

[[boundary]]
name = "us"
countries = ["US"]

[[cell]]
id = 1
name = "eu-a"
boundary = "eu"
site = "north"
operator = "one"
jurisdiction = "DE"
authority = "cell-a.example:443"

[[cell]]
id = 2
name = "eu-b"
boundary = "eu"
site = "south"
operator = "two"
jurisdiction = "FR"
scheme = "http"
authority = "127.0.0.1:7102"

[[cell]]
id = 3
name = "us-a"
boundary = "us"
site = "west"
operator = "one"
jurisdiction = "US"
authority = "[::1]:7103"

[[class]]
id = 1
name = "eu_only"
boundaries = ["eu"]
cells = [{{ cell = "eu-a", weight = 3 }}, {{ cell = "eu-b" }}]
on_exhaustion = "shed"

[[locale]]
id = 1
name = "de-DE"
class = "eu_only"

[[slot]]
id = 1
name = "home"
items = 24

[[key]]
use = "pin"
jwk = '{jwk}'
"#
    )
}

fn refusal(text: &str) -> String {
    Topology::parse(text).unwrap_err().to_string()
}

#[test]
fn a_sound_file_is_read() {
    let topology = Topology::parse(&sound()).unwrap();
    assert_eq!(topology.cell_named("eu-b").map(|c| c.id), Some(CellId(2)));
    let class = topology.class(ClassId(1)).unwrap();
    assert!(class.allows(CellId(1)) && class.allows(CellId(2)) && !class.allows(CellId(3)));
    assert_eq!(topology.slots[0].relay_wait_ms, 350);
    assert_eq!(topology.clocks.page_limit_ms, 900);
}

#[test]
fn unknown_keys_are_refused_with_place_and_nearest() {
    let text = refusal(&sound().replace("site = \"south\"", "sight = \"south\""));
    assert!(text.contains("unknown key `sight`; the nearest known one is `site`"), "{text}");
    assert!(text.starts_with("line "), "{text}");
    let text = refusal(&sound().replace("[[slot]]", "[clock]\n[[slot]]"));
    assert!(text.contains("`clocks`"), "{text}");
    let text = refusal(&sound().replace("\"shed\"", "\"shedd\""));
    assert!(text.contains("unknown value `shedd`"), "{text}");
}

#[test]
fn another_version_is_not_mistaken_for_typing_errors() {
    let text = refusal(&sound().replace("version = 1", "version = 2").replace("serial", "cereal"));
    assert_eq!(text, "version: this build reads version 1 and the file is version 2");
    assert!(refusal("serial = 1").contains("write `version = 1`"));
    assert!(refusal("version = ").starts_with("line 1"));
}

#[test]
fn a_cell_outside_the_class_s_boundaries_is_refused() {
    let text = refusal(&sound().replace("{ cell = \"eu-b\" }", "{ cell = \"us-a\" }"));
    assert!(
        text.contains("class \"eu_only\"") && text.contains("\"us\", which the class does not allow"),
        "{text}"
    );
}

#[test]
fn each_wrong_reference_is_named_with_the_nearest() {
    let text = refusal(
        &sound()
            .replace("{ cell = \"eu-b\" }", "{ cell = \"eu-c\" }")
            .replace("class = \"eu_only\"", "class = \"eu\""),
    );
    assert!(text.contains("unknown cell \"eu-c\""), "{text}");
    assert!(
        text.contains("locale \"de-DE\": unknown class \"eu\"; the nearest known one is \"eu_only\""),
        "{text}"
    );
}

#[test]
fn authorities_are_host_and_port_only() {
    for wrong in [
        "https://cell-a.example:443",
        "cell-a.example",
        "cell-a.example:443/x",
        "cell-a.example:443?x",
        "cell-a.example:443#x",
        "cell-a.example:443 ",
        "cell-a.example:443\\r\\nx",
        "a:b@cell-a.example:443",
        "cell-a.example:0",
        "cell-a.example:+443",
        "cell a:443",
        ":443",
        "cell-a.example:99999",
        "127.1:443",
        "2130706433:443",
        "0x7F000001.:443",
        "0177.0.0.1:443",
    ] {
        let text = refusal(&sound().replace("cell-a.example:443", wrong));
        assert!(text.contains("cell \"eu-a\": authority"), "{wrong}: {text}");
    }
}

#[test]
fn two_cells_never_share_an_address() {
    for (theirs, own) in [
        ("cell-a.example:443", "CELL-A.example:443"),
        ("cell-a.example:443", "cell-a.example.:443"),
        ("cell-a.example:443", "cell-a.example:0443"),
        ("[2001:db8::a]:443", "[2001:DB8:0:0:0:0:0:A]:443"),
        ("203.0.113.7:443", "[::ffff:203.0.113.7]:00443"),
        ("203.0.113.7:443", "203.0.113.7.:443"),
    ] {
        let text = refusal(&sound().replace("cell-a.example:443", theirs).replace("[::1]:7103", own));
        assert!(
            text.contains("cell \"us-a\": authority") && text.contains("another cell's already"),
            "{own}: {text}"
        );
    }
    assert!(Topology::parse(&sound().replace("[::1]:7103", "cell-a.example:4430")).is_ok());
}

#[test]
fn plain_http_and_demo_keys_stay_on_loopback() {
    let text =
        refusal(&sound().replace("authority = \"127.0.0.1:7102\"", "authority = \"cell-b.example:80\""));
    assert!(text.contains("plain http is for loopback only"), "{text}");
    let text = refusal(&sound().replace("use = \"pin\"", "use = \"pin\"\ntrust = \"demo\""));
    assert!(text.contains("cell \"eu-a\": published demo keys"), "{text}");
    let published = include_str!("../../../deploy/demo/topology.toml");
    let key = published.split("jwk = ").nth(2).and_then(|rest| rest.lines().next()).unwrap();
    let text = refusal(&format!("{}\n[[key]]\nuse = \"pin\"\njwk = {key}\n", sound()));
    assert!(text.contains("published demo keys"), "whatever the file calls them: {text}");
}

#[test]
fn clocks_that_cannot_fit_are_refused_with_the_arithmetic() {
    let text = refusal(&sound().replace("items = 24", "items = 24\nrelay_wait_ms = 500"));
    assert!(text.contains("900 is below 2 × (relay_wait_ms 500 + rtt_ms 60) = 1120"), "{text}");
    let text = refusal(&sound().replace("items = 24", "items = 24\nrelay_wait_ms = 100"));
    assert!(text.contains("gives up before the cell's budget of 120 ms"), "{text}");
}

#[test]
fn secret_keys_and_missing_pin_keys_are_noticed() {
    let secret = SigningKey::generate().to_jwk();
    let text = sound();
    let public = text.split('\'').nth(1).unwrap();
    let refused = refusal(&text.replace(public, &secret));
    assert!(refused.contains("key[0] (use \"pin\"): jwk: a secret key stands in the topology"), "{refused}");
    let second = format!("{text}\n[[key]]\nuse = \"overlay\"\njwk = 'none'\n");
    assert!(refusal(&second).contains("key[1] (use \"overlay\"): jwk: "), "{}", refusal(&second));
    assert!(refusal(&sound().replace("use = \"pin\"", "use = \"root\"")).contains("no key of use \"pin\""));
}

#[test]
fn every_problem_is_reported_at_once() {
    let text = sound()
        .replace("jurisdiction = \"FR\"", "jurisdiction = \"France\"")
        .replace("\"home\"", "\"ho me\"")
        .replace("[\"DE\", \"FR\"]", "[\"Germany\"]");
    assert_eq!(Topology::parse(&text).unwrap_err().problems.len(), 3);
}

#[test]
fn home_cells_follow_the_weights_and_move_little() {
    let topology = Topology::parse(&sound()).unwrap();
    let mut counts = BTreeMap::new();
    for shopper in 0..8_000 {
        *counts.entry(topology.home_cell(ClassId(1), &shopper.to_string()).unwrap()).or_insert(0u32) += 1;
    }
    let first = counts[&CellId(1)];
    // Three to one; four standard deviations of a binomial with n = 8000, p = 0.75 are 155.
    assert!((5_845..=6_155).contains(&first), "{first}");

    let lighter = Topology::parse(&sound().replace("weight = 3", "weight = 2")).unwrap();
    for shopper in (0..8_000).map(|s: u32| s.to_string()) {
        let (before, after) =
            (topology.home_cell(ClassId(1), &shopper), lighter.home_cell(ClassId(1), &shopper));
        assert!(before == after || before == Some(CellId(1)), "only the lighter cell loses shoppers");
    }
}

proptest! {
    #[test]
    fn any_text_is_refused_or_read(text in "\\PC{0,300}") {
        let _ = Topology::parse(&text);
    }

    #[test]
    fn any_damaged_line_is_refused_or_read(line in 0usize..60, garbage in "\\PC{0,40}") {
        let damaged: Vec<String> =
            sound().lines().enumerate().map(|(n, l)| if n == line { garbage.clone() } else { l.to_owned() }).collect();
        let _ = Topology::parse(&damaged.join("\n"));
    }
}
