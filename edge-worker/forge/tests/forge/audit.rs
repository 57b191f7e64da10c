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

/// The edge is its parts: whatever else stands in it is named, whether or not there is code in it.
#[test]
fn components_without_code_are_found_wherever_they_are() {
    let empty = || component(0, &[]);
    let inside = component(0, &[component(1, &[empty()])]);
    let bare = "a component without code or exports";
    assert_eq!(found(&inside, Rule::Nested), [("popularity", format!("{bare} inside"))]);

    let beside = component(0, &[component(1, &[]), empty(), component(0, &[empty()])]);
    let parts = found(&beside, Rule::Parts);
    for item in
        [format!("{bare} beside the parts"), format!("{bare} and 1 more component in it beside the parts")]
    {
        assert!(parts.contains(&("edge", item.clone())), "{item:?} in {parts:?}");
    }

    let alone = component(1, &[empty()]);
    assert_eq!(found(&alone, Rule::Nested), [("popularity", format!("{bare} inside"))], "before plugging");
}

#[test]
fn core_modules_that_composition_does_not_make_are_found() {
    let whole = component(0, &[component(4, &[])]);
    assert_eq!(
        found(&whole, Rule::Nested),
        [("popularity", "4 core modules inside, where composition makes 1".to_owned())]
    );
}
