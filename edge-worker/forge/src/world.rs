//! The worlds of `wit/`, and whether a component keeps to one.

use wac_types::{ItemKind, Package, Type, Types, WorldId, validate_target};
use wit_parser::{Resolve, SourceMap, UnresolvedPackageGroup};

/// The files of `wit/`, as this build of the forge knows them.
const FILES: [(&str, &str); 3] = [
    ("boundary.wit", include_str!("../../../wit/boundary.wit")),
    ("wasi-http.wit", include_str!("../../../wit/deps/wasi-http/types.wit")),
    ("wasi-clocks.wit", include_str!("../../../wit/deps/wasi-clocks/types.wit")),
];

/// Why a component does not keep to its world.
#[derive(Debug, thiserror::Error)]
pub enum WorldError {
    /// The WIT could not be read: a fault of this build.
    #[error("the WIT of this build cannot be used: {0}")]
    Wit(String),
    /// The bytes are not a component.
    #[error("not a component: {0}")]
    Component(String),
    /// The component imports more, or exports less.
    #[error("{0}")]
    Mismatch(String),
}

/// Checks a component against a world of `wit/` by name.
///
/// # Errors
/// When the component imports what the world does not have, or does not export what the world has.
pub fn check(component: &[u8], world: &str) -> Result<(), WorldError> {
    let mut types = Types::default();
    let wit = Package::from_bytes("wit", None, encoded()?, &mut types)
        .map_err(|e| WorldError::Wit(e.to_string()))?;
    let component = Package::from_bytes("component", None, component.to_vec(), &mut types)
        .map_err(|e| WorldError::Component(e.to_string()))?;
    let world = find(&types, wit.ty(), world).ok_or_else(|| WorldError::Wit(format!("no world {world}")))?;
    validate_target(&types, world, component.ty()).map_err(|report| WorldError::Mismatch(report.to_string()))
}

/// The whole of `wit/` in its binary form.
fn encoded() -> Result<Vec<u8>, WorldError> {
    let wit = |error: String| WorldError::Wit(error);
    let mut groups = FILES.iter().map(|(name, text)| group(name, text));
    let main = groups.next().ok_or_else(|| wit("empty".to_owned()))??;
    let others = groups.collect::<Result<Vec<_>, _>>()?;
    let mut resolve = Resolve::default();
    let package = resolve.push_groups(main, others).map_err(|e| wit(e.to_string()))?;
    wit_component::encode(&resolve, package, false).map_err(|e| wit(e.to_string()))
}

fn group(name: &str, text: &str) -> Result<UnresolvedPackageGroup, WorldError> {
    let mut sources = SourceMap::default();
    sources.push_str(name, text);
    sources.parse().map_err(|(_, error)| WorldError::Wit(error.to_string()))
}

/// A WIT package exports each world as a type, and that type has one component: the world proper.
fn find(types: &Types, package: WorldId, name: &str) -> Option<WorldId> {
    let ItemKind::Type(Type::World(outer)) = types[package].exports.get(name)? else { return None };
    match types[*outer].exports.values().next()? {
        ItemKind::Component(world) => Some(*world),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_wit_of_this_build_has_the_worlds() {
        let mut types = Types::default();
        let wit = Package::from_bytes("wit", None, encoded().unwrap(), &mut types).unwrap();
        for world in ["router", "popularity", "relay", "edge"] {
            assert!(find(&types, wit.ty(), world).is_some(), "{world}");
        }
        assert!(find(&types, wit.ty(), "attic").is_none());
    }
}
