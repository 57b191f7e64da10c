//! The audit over components written by hand: code at every depth, and nothing of our own modules.

use domicile_forge::{Rule, audit};
use wasm_encoder::{Component, Module, ModuleSection, NestedComponentSection};

/// A component with this many core modules and these components inside.
fn component(modules: usize, inside: &[Component]) -> Component {
    let mut component = Component::new();
    for _ in 0..modules {
        component.section(&ModuleSection(&Module::new()));
    }
    for inner in inside {
        component.section(&NestedComponentSection(inner));
    }
    component
}

/// What a rule found: where, and what.
fn found(component: &Component, rule: Rule) -> Vec<(&'static str, String)> {
    let findings = audit(component.as_slice()).unwrap().findings;
    findings.into_iter().filter(|f| f.rule == rule).map(|f| (f.component, f.item)).collect()
}

#[test]
fn a_part_that_carries_components_with_code_is_found() {
    let carrier = component(1, &[component(1, &[])]);
    let whole = component(0, &[carrier, component(1, &[])]);
    assert_eq!(
        found(&whole, Rule::Nested),
        [("popularity", "1 component with code inside".to_owned())],
        "once: its neighbour carries nothing"
    );
    assert!(found(&whole, Rule::OwnCode).is_empty());
}

#[test]
fn code_is_found_however_deep_it_is() {
    let deep = (0..5).fold(component(1, &[]), |inner, _| component(0, &[inner]));
    assert_eq!(found(&component(0, &[deep]), Rule::Nested).len(), 1);
}

#[test]
fn core_modules_beside_the_parts_are_found() {
    let whole = component(2, &[component(1, &[])]);
    assert_eq!(found(&whole, Rule::OwnCode), [("edge", "2 core modules outside the parts".to_owned())]);
    assert!(found(&whole, Rule::Nested).is_empty());
}

#[test]
fn components_without_code_are_no_parts() {
    let whole = component(0, &[component(1, &[component(0, &[])])]);
    assert!(found(&whole, Rule::Nested).is_empty());
}
