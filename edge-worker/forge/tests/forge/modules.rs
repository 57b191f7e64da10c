//! The forge over the modules that are really shipped, and over those that must never be.

use crate::built::{built, module, modules};
use domicile_forge::{
    AllowList, Audit, Inventory, Modules, Part, Rows, Rule, audit, compose, forge, prepare, rewrite,
};
use domicile_tables::{Lists, RelayTable, RoutingTable};
use wasm_encoder::{Component, ComponentSection as _, Module, ModuleSection, NestedComponentSection};

fn empty_rows() -> Rows {
    Rows {
        router: vec![RoutingTable::default().encode()],
        popularity: vec![Lists::default().encode()],
        relay: vec![RelayTable::default().encode()],
    }
}

fn audit_of(part: Part, module: &[u8]) -> Audit {
    audit(&prepare(part, module, &[]).unwrap()).unwrap()
}

fn names(audit: &Audit, item: &str) -> bool {
    audit.findings.iter().any(|finding| finding.rule == Rule::NotAllowed && finding.item.ends_with(item))
}

#[test]
fn the_shipped_modules_make_an_edge() {
    let artefact = forge(&modules(), &empty_rows()).unwrap();
    assert!(artefact.whole.passed());
    let imports: Vec<_> = artefact.whole.imports.iter().map(|import| import.name.as_str()).collect();
    let expected = [
        "wasi:clocks/types@0.3.0",
        "wasi:http/types@0.3.0",
        "wasi:http/client@0.3.0",
        "wasi:clocks/system-clock@0.3.0",
    ];
    assert_eq!(imports, expected);
    assert!(artefact.bytes_without_tables <= 300_000, "{} bytes", artefact.bytes_without_tables);
    let types_only = artefact.whole.imports.iter().find(|import| import.name == expected[0]).unwrap();
    assert!(types_only.functions.is_empty());
}

/// The lists are what the parts have, not a wish beside it: an item that is no longer needed has to leave the list.
/// Tables and topology change nothing of it.
#[test]
fn the_lists_name_exactly_what_is_there() {
    let components = Part::ALL.map(|part| prepare(part, &module(part), &[]).unwrap());
    for (part, component) in Part::ALL.iter().zip(&components) {
        let lines = Inventory::of(component).unwrap().lines();
        let list: Vec<_> = AllowList::of_part(*part).lines().collect();
        assert_eq!(lines, list, "golden/{part}.txt");
    }
    let [router, popularity, relay] = &components;
    let edge = Inventory::of(&compose(router, popularity, relay).unwrap()).unwrap();
    assert_eq!(edge.lines(), AllowList::of_edge().lines().collect::<Vec<_>>(), "golden/edge.txt");
}

#[test]
fn the_relay_has_lost_what_reads_and_writes_bodies() {
    let rewritten = rewrite(&module(Part::Relay), Part::Relay, &[]).unwrap();
    let lost: Vec<_> = rewritten.knocked_out.iter().map(|(_, name)| name.as_str()).collect();
    for glue in ["stream-read-0", "stream-write-0", "stream-new-0", "stream-drop-writable-0", "future-read-1"]
    {
        assert!(lost.iter().any(|name| name.contains(glue)), "{glue} was there before: {lost:?}");
    }
    let relay = audit_of(Part::Relay, &module(Part::Relay));
    let builtins = &relay.components[0].inventory.builtins;
    assert!(
        !builtins.iter().any(|b| b.starts_with("stream-") && b != "stream-drop-readable stream<u8>"),
        "{builtins:?}"
    );
}

#[test]
fn without_the_pass_the_audit_would_find_the_glue() {
    // Only the tables are put in: the rules of the router knock nothing out.
    let relay = prepare(Part::Router, &module(Part::Relay), &[]).unwrap();
    let audit = audit(&relay).unwrap();
    assert!(names(&audit, "stream-read stream<u8>"), "{audit}");
    assert!(names(&audit, "stream-write stream<u8>"), "{audit}");
}

#[test]
fn a_stranger_inside_is_found() {
    let router = prepare(Part::Router, &module(Part::Router), &[]).unwrap();
    let popularity = prepare(Part::Popularity, &built("fixtures/calls-out.wasm"), &[]).unwrap();
    let relay = prepare(Part::Relay, &module(Part::Relay), &[]).unwrap();
    let audit = audit(&compose(&router, &popularity, &relay).unwrap()).unwrap();
    assert!(!audit.passed());
    assert!(audit.findings.iter().any(|finding| finding.component == "popularity"), "{audit}");
}

/// The two places no list covers: each is appended to what passes, so nothing else can be the cause.
#[test]
fn code_where_no_list_looks_is_found() {
    let [router, popularity, relay] = Part::ALL.map(|part| prepare(part, &module(part), &[]).unwrap());
    let rules = |component: &[u8]| -> Vec<_> {
        audit(component).unwrap().findings.iter().map(|finding| (finding.component, finding.rule)).collect()
    };
    let edge = compose(&router, &popularity, &relay).unwrap();
    assert_eq!(rules(&edge), []);

    let mut stray = edge;
    ModuleSection(&Module::new()).append_to_component(&mut stray);
    assert_eq!(rules(&stray), [("edge", Rule::OwnCode)]);

    let mut inner = Component::new();
    inner.section(&ModuleSection(&Module::new()));
    let mut carrier = relay.clone();
    NestedComponentSection(&inner).append_to_component(&mut carrier);
    let carrying = compose(&router, &popularity, &carrier).unwrap();
    assert_eq!(rules(&carrying), [("relay", Rule::Nested)]);

    let mut more = relay;
    ModuleSection(&Module::new()).append_to_component(&mut more);
    let more = compose(&router, &popularity, &more).unwrap();
    assert_eq!(rules(&more), [("relay", Rule::Nested)], "a module that imports nothing");
}

/// What does nothing is still more than the three parts.
#[test]
fn a_component_without_code_is_found_beside_the_parts_and_in_each() {
    let parts = Part::ALL.map(|part| prepare(part, &module(part), &[]).unwrap());
    let edge = |[router, popularity, relay]: &[Vec<u8>; 3]| compose(router, popularity, relay).unwrap();
    let rules = |component: &[u8]| -> Vec<_> {
        audit(component).unwrap().findings.iter().map(|finding| (finding.component, finding.rule)).collect()
    };
    let empty = Component::new();
    let mut holder = Component::new();
    holder.section(&NestedComponentSection(&empty));
    for inner in [&empty, &holder] {
        let mut stray = edge(&parts);
        NestedComponentSection(inner).append_to_component(&mut stray);
        assert_eq!(rules(&stray), [("edge", Rule::Parts)]);
        for (at, part) in Part::ALL.iter().enumerate() {
            let mut altered = parts.clone();
            NestedComponentSection(inner).append_to_component(&mut altered[at]);
            assert_eq!(rules(&altered[at]), [(part.name(), Rule::Nested)], "before plugging");
            assert_eq!(rules(&edge(&altered)), [(part.name(), Rule::Nested)]);
        }
    }
}

/// What passes the audit and is not ours is still told from ours; the data in it plays no part.
#[test]
fn an_edge_is_its_modules_and_its_data() {
    let rules = |artefact: &[u8], modules: &Modules| -> Vec<_> {
        let mut audit = audit(artefact).unwrap();
        audit.repeat(artefact, modules);
        audit.findings.iter().map(|finding| finding.rule).collect()
    };
    let rows = Rows { popularity: vec![Lists::default().encode(), b"a list".to_vec()], ..empty_rows() };
    let ours = forge(&modules(), &rows).unwrap().bytes;
    assert_eq!(rules(&ours, &modules()), []);
    let more = [ours, vec![0, 2, 1, b'x']].concat();
    assert_eq!(rules(&more, &modules()), [Rule::Modules], "an empty custom section");
    let stranger = Modules { relay: built("fixtures/forwards-trailers.wasm"), ..modules() };
    let theirs = forge(&stranger, &rows).unwrap().bytes;
    assert_eq!(rules(&theirs, &modules()), [Rule::Modules]);
    assert_eq!(rules(&theirs, &stranger), []);
}

#[test]
fn what_is_no_component_is_not_audited() {
    assert!(audit(b"").is_err());
    assert!(audit(b"<html>").is_err());
    assert!(audit(&module(Part::Router)).is_err(), "a core module");
    let mut cut = prepare(Part::Router, &module(Part::Router), &[]).unwrap();
    cut.truncate(cut.len() / 2);
    assert!(audit(&cut).is_err());
}
