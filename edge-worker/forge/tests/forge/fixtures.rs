//! Parts that do what they must not: each fails by the name of what it does.
//!
//! Two ways of making a component of them. *Forged*: as the product makes its own, after the pass. *Unaltered*: as
//! anybody else might, without it, and hand the result out as an edge. What is not a function but the bindings' own
//! glue is disarmed by the pass and found by the audit in whatever did not go through it.

use crate::built::{built, modules};
use domicile_forge::{Audit, ForgeError, Modules, Part, Rows, Rule, audit, check_world, forge, prepare};
use domicile_tables::{Lists, RelayTable, RoutingTable};

/// How a component is made of a module.
#[derive(Clone, Copy, PartialEq)]
enum Made {
    Forged,
    Unaltered,
}

use Made::{Forged, Unaltered};

const BODY: &str = "builtin stream-read stream<u8>";
const TRAILER: &str = "builtin future-read future<result<option<own>, variant>>";

/// The fixture, what it stands in for, how it is made, and the finding that names what it does.
const NAMED: [(&str, Part, Made, Rule, &str); 9] = [
    (
        "reads-header",
        Part::Relay,
        Forged,
        Rule::NotAllowed,
        "import wasi:http/types@0.3.0 [method]request.get-headers",
    ),
    (
        "takes-header",
        Part::Relay,
        Forged,
        Rule::NotAllowed,
        "import wasi:http/types@0.3.0 [method]fields.get-and-delete",
    ),
    (
        "reads-authority",
        Part::Relay,
        Forged,
        Rule::NotAllowed,
        "import wasi:http/types@0.3.0 [method]request.get-authority",
    ),
    ("calls-out", Part::Popularity, Forged, Rule::NotAllowed, "import wasi:http/client@0.3.0 send"),
    ("tells-time", Part::Router, Forged, Rule::NotAllowed, "import wasi:clocks/system-clock@0.3.0 now"),
    ("reads-body", Part::Relay, Unaltered, Rule::NotAllowed, BODY),
    ("drops-stream", Part::Relay, Unaltered, Rule::NotAllowed, BODY),
    ("reads-trailer", Part::Relay, Unaltered, Rule::NotAllowed, TRAILER),
    ("forwards-trailers", Part::Relay, Unaltered, Rule::Trailers, "[static]request.consume-body"),
];

fn component(name: &str, part: Part, made: Made) -> Vec<u8> {
    // By the router's rules the pass puts in the tables and alters nothing else.
    let rules = if made == Forged { part } else { Part::Router };
    prepare(rules, &built(&format!("fixtures/{name}.wasm")), &[]).unwrap()
}

fn names(audit: &Audit, rule: Rule, item: &str) -> bool {
    audit.findings.iter().any(|finding| finding.rule == rule && finding.item == item)
}

#[test]
fn each_fails_by_name() {
    for (name, part, made, rule, item) in NAMED {
        let audit = audit(&component(name, part, made)).unwrap();
        assert!(!audit.passed() && names(&audit, rule, item), "{name}: no {item:?} in\n{audit}");
        let page = audit.to_string();
        assert!(page.contains("FAILED") && page.contains(item), "{name}: the page does not name it\n{page}");
    }
}

#[test]
fn each_is_refused_as_a_part_of_an_edge() {
    let rows = Rows {
        router: vec![RoutingTable::default().encode()],
        popularity: vec![Lists::default().encode()],
        relay: vec![RelayTable::default().encode()],
    };
    for (name, part, made, _, _) in NAMED {
        let module = built(&format!("fixtures/{name}.wasm"));
        let modules = match part {
            Part::Router => Modules { router: module, ..modules() },
            Part::Popularity => Modules { popularity: module, ..modules() },
            Part::Relay => Modules { relay: module, ..modules() },
        };
        match (forge(&modules, &rows), made) {
            (Err(ForgeError::Audit { name: refused, .. }), Forged) => {
                assert_eq!(refused, part.name(), "{name}")
            }
            // Disarmed by the pass: it is an edge, and traps where it tries.
            (Ok(artefact), Unaltered) => assert!(artefact.whole.passed(), "{name}"),
            (outcome, _) => panic!("{name}: {outcome:?}"),
        }
    }
}

/// What calls a function that `wit/` does not have is not of our worlds: against them it does not even compile.
#[test]
fn what_calls_more_is_not_of_its_world() {
    for (name, part, made, _, item) in NAMED {
        let refused = check_world(&component(name, part, made), part.name());
        let function = item.rsplit(' ').next().unwrap();
        match made {
            Forged => {
                let reason = refused.unwrap_err().to_string();
                let interface = item.split(' ').nth(1).unwrap();
                assert!(reason.contains(function) || reason.contains(interface), "{name}: {reason}");
            }
            Unaltered => assert!(refused.is_ok(), "{name}: built-ins are in no world"),
        }
    }
}

/// The pass leaves nothing of what it disarms.
#[test]
fn the_pass_disarms_the_rest() {
    for (name, part, _, _, item) in NAMED.into_iter().filter(|named| named.2 == Unaltered) {
        let audit = audit(&component(name, part, Forged)).unwrap();
        assert!(audit.passed(), "{name}:\n{audit}");
        let inventory = &audit.components[0].inventory;
        assert!(
            !inventory.lines().iter().any(|line| line == item) && inventory.trailers_kept.is_empty(),
            "{name}"
        );
    }
}

#[test]
fn our_own_relay_keeps_trailers_unless_the_pass_takes_them() {
    let relay = modules().relay;
    let unaltered = audit(&prepare(Part::Router, &relay, &[]).unwrap()).unwrap();
    assert!(names(&unaltered, Rule::Trailers, "[static]request.consume-body"), "{unaltered}");
    assert!(names(&unaltered, Rule::Trailers, "[static]response.consume-body"), "{unaltered}");
    assert!(audit(&prepare(Part::Relay, &relay, &[]).unwrap()).unwrap().passed());
}
