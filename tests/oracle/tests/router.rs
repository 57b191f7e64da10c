//! The router against its reference: on paths made by rule, and on everything that fuzzing has ever found worth
//! keeping.

use std::path::Path;

use domicile_oracle::router::{PINS, check, read, table};
use domicile_router::{Method, Outcome};
use proptest::prelude::*;

fn method() -> impl Strategy<Value = Method> {
    prop_oneof![
        Just(Method::Get),
        Just(Method::Head),
        Just(Method::Post),
        Just(Method::Options),
        Just(Method::Other),
    ]
}

/// A name of the table, one that is not in it, or none at all.
fn segment(known: Vec<String>) -> impl Strategy<Value = String> {
    prop_oneof![
        8 => prop::sample::select(known),
        1 => "[a-zA-Z0-9_-]{0,34}",
        1 => "[a-zA-Z0-9_.%~:;?#-]{0,6}",
    ]
}

fn pin() -> impl Strategy<Value = String> {
    let known = || prop::sample::select(PINS.map(|(.., text)| text.to_owned()).to_vec());
    prop_oneof![
        8 => known(),
        // One letter of the statement or the signature changed, or the text cut.
        2 => (known(), 0usize..104, "[a-zA-Z0-9_-]").prop_map(|(mut pin, at, letter)| {
            pin.replace_range(at..=at, &letter);
            pin
        }),
        1 => (known(), 0usize..104).prop_map(|(pin, length)| pin[..length].to_owned()),
    ]
}

prop_compose! {
    fn path()(
        root in prop_oneof![9 => Just("/v1/"), 1 => "/?(v1|V1|v2|_|\\.|\\.\\.)?/{0,2}".prop_map(|s| &*s.leak())],
        route in 0..4,
        class in segment(classes()),
        pin in pin(),
        cell in segment(names(|t| &t.cells)),
        locale in segment(names(|t| &t.locales)),
        slot in segment(names(|t| &t.slots)),
        end in prop_oneof![6 => Just(""), 3 => Just("?strict"), 1 => Just("?"), 1 => Just("?strict="), 1 => Just("/"), 1 => Just("#")],
    ) -> String {
        match route {
            0 => format!("{root}shelf/{locale}/{slot}{end}"),
            1 => format!("{root}route/{class}{end}"),
            2 => format!("{root}keys/{cell}{end}"),
            _ => format!("{root}sealed/{pin}/{cell}/{locale}/{slot}{end}"),
        }
    }
}

fn classes() -> Vec<String> {
    table().classes.iter().map(|row| row.name.clone()).collect()
}

fn names(of: fn(&domicile_tables::RoutingTable) -> &Vec<domicile_tables::Named>) -> Vec<String> {
    of(table()).iter().map(|row| row.name.clone()).collect()
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(4_096))]

    #[test]
    fn paths_made_by_rule(method in method(), path in path(), minute in 0u32..256) {
        prop_assert_eq!(check(method, &path, minute).err(), None);
    }

    #[test]
    fn any_text(method in method(), path: String, minute: u32) {
        prop_assert_eq!(check(method, &path, minute).err(), None);
    }
}

#[test]
fn the_corpus_of_the_fuzzer() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../fuzz/corpus/router");
    let (mut relayed, mut shelves, mut manifests, mut keys, mut refused) = (0, 0, 0, 0, 0);
    for file in std::fs::read_dir(folder).unwrap() {
        let file = file.unwrap().path();
        let input = std::fs::read(&file).unwrap();
        let Some((method, path, minute)) = read(&input) else { continue };
        match check(method, path, minute) {
            Ok(Outcome::Relay(_)) => relayed += 1,
            Ok(Outcome::Shelf(_)) => shelves += 1,
            Ok(Outcome::Route(_)) => manifests += 1,
            Ok(Outcome::Keys(_)) => keys += 1,
            Ok(_) => refused += 1,
            Err(disagreement) => panic!("{}: {disagreement}", file.display()),
        }
    }
    assert!(
        relayed > 1 && shelves > 1 && manifests > 1 && keys > 0 && refused > 10,
        "{relayed} relayed, {shelves} shelves, {manifests} manifests, {keys} keys, {refused} refused"
    );
}
