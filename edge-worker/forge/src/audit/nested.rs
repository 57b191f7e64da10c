//! What stands inside a component and may not.
//!
//! An empty component does nothing today, and is a place that nobody counted: the page says what an edge is made of, so
//! whatever is made of more is refused, with code or without. What composition itself puts inside a part is known by its
//! form and not by its name, which anybody can give: for each export one component without code that takes the export's
//! functions and types in under `import-…` and gives them out again, and beside the part's own module the two by which
//! its imports get at its memory.

use domicile_edge_manifest::Interface;

use super::Inventory;

/// How names begin under which a function goes into the component of an export.
const FUNCTION: &str = "import-func-";
/// The same for a type.
const TYPE: &str = "import-type-";
/// A part's own core module, and the two that composition makes for one with imports.
const MODULES: usize = 3;

/// Everything directly inside a part that is not of its composition, each in words.
pub(super) fn strangers(part: &Inventory) -> Vec<String> {
    let mut found = Vec::new();
    if !part.components.is_empty() {
        found.push(format!("{} with code inside", counted(part.components.len(), "component")));
    }
    let mut exports: Vec<_> = part.exports.iter().map(functions).collect();
    for bare in &part.bare {
        let own = passed_on(bare).and_then(|names| exports.iter().position(|export| *export == names));
        match own {
            Some(at) => drop(exports.swap_remove(at)),
            None => found.push(format!("{} inside", described(bare))),
        }
    }
    let most = if part.imports.is_empty() { 1 } else { MODULES };
    if part.modules > most {
        let modules = counted(part.modules, "core module");
        found.push(format!("{modules} inside, where composition makes {most}"));
    }
    found
}

/// A component without code, in words.
pub(super) fn described(bare: &Inventory) -> String {
    let inside = match bare.bare.len() {
        0 => String::new(),
        inside => format!(" and {} in it", counted(inside, "more component")),
    };
    let exports: Vec<_> = bare.exports.iter().map(|export| export.name.as_str()).collect();
    match exports.as_slice() {
        [] => format!("a component without code or exports{inside}"),
        exports => format!("a component without code{inside} that exports {}", exports.join(", ")),
    }
}

/// A number of things.
pub(super) fn counted(number: usize, what: &str) -> String {
    if number == 1 { format!("1 {what}") } else { format!("{number} {what}s") }
}

/// The functions that a component takes in, if it is of the form that composition gives an export's.
fn passed_on(bare: &Inventory) -> Option<Vec<&str>> {
    let fits = |import: &Interface| import.name.starts_with(FUNCTION) || import.name.starts_with(TYPE);
    if !bare.bare.is_empty() || !bare.imports.iter().all(fits) {
        return None;
    }
    let names = bare.imports.iter().filter_map(|import| import.name.strip_prefix(FUNCTION));
    let mut names: Vec<_> = names.collect();
    names.sort_unstable();
    (!names.is_empty()).then_some(names)
}

fn functions(export: &Interface) -> Vec<&str> {
    let mut names: Vec<_> = export.functions.iter().map(String::as_str).collect();
    names.sort_unstable();
    names
}
