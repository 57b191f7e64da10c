//! Which tools made a module, as far as it says so itself.

use std::collections::BTreeMap;

use wasmparser::{KnownCustom, Parser, Payload};

use crate::Modules;

/// The versions that the modules' producers sections name, by tool (WebAssembly tool-conventions, ProducersSection).
///
/// The compiler strips its own entry from a module; what the bindings generator writes into the description of the
/// module's world stays.
#[must_use]
pub fn tools(modules: &Modules) -> BTreeMap<String, String> {
    let mut tools = BTreeMap::new();
    for module in [&modules.router, &modules.popularity, &modules.relay] {
        collect(module, &mut tools);
    }
    tools
}

/// Whatever cannot be read names nothing: whether the module is one is for the rewriting to say.
fn collect(bytes: &[u8], tools: &mut BTreeMap<String, String>) {
    for payload in Parser::new(0).parse_all(bytes) {
        let Ok(Payload::CustomSection(section)) = payload else { continue };
        match section.as_known() {
            KnownCustom::Producers(fields) => {
                for field in fields.into_iter().flatten() {
                    for value in field.values.into_iter().flatten() {
                        tools.insert(value.name.to_owned(), value.version.to_owned());
                    }
                }
            }
            // Its own file format: a component that describes the world.
            _ if section.name().starts_with("component-type") => collect(section.data(), tools),
            _ => {}
        }
    }
}
