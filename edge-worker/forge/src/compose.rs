//! From rewritten modules to one component.

use wac_graph::{CompositionGraph, EncodeOptions, PackageId, plug};
use wac_types::Package;
use wit_component::ComponentEncoder;

/// Why the parts do not make an edge.
#[derive(Debug, thiserror::Error)]
pub enum ComposeError {
    /// The module does not fit the world it was built for.
    #[error("a module cannot become a component: {0}; take all three modules from one release")]
    Componentise(String),
    /// The components do not fit each other.
    #[error("the components do not fit together: {0}; take all three modules from one release")]
    Plug(String),
}

/// Makes a component of a core module that carries its world.
///
/// # Errors
/// When the module imports or exports what its world does not have.
pub fn componentise(module: &[u8]) -> Result<Vec<u8>, ComposeError> {
    // `{:#}` because the reason is at the end of the chain.
    let fail = |error| ComposeError::Componentise(format!("{error:#}"));
    ComponentEncoder::default().validate(true).module(module).map_err(fail)?.encode().map_err(fail)
}

/// Plugs router and popularity into the relay.
///
/// # Errors
/// When an export of the two does not fit the relay's import.
pub fn compose(router: &[u8], popularity: &[u8], relay: &[u8]) -> Result<Vec<u8>, ComposeError> {
    let mut graph = CompositionGraph::new();
    let router = register(&mut graph, "domicile:router", router)?;
    let popularity = register(&mut graph, "domicile:popularity", popularity)?;
    let relay = register(&mut graph, "domicile:relay", relay)?;
    plug(&mut graph, vec![router, popularity], relay).map_err(|error| ComposeError::Plug(chain(&error)))?;
    graph.encode(EncodeOptions::default()).map_err(|error| ComposeError::Plug(chain(&error)))
}

fn register(graph: &mut CompositionGraph, name: &str, bytes: &[u8]) -> Result<PackageId, ComposeError> {
    let package = Package::from_bytes(name, None, bytes.to_vec(), graph.types_mut())
        .map_err(|error| ComposeError::Plug(format!("{name}: {error:#}")))?;
    graph.register_package(package).map_err(|error| ComposeError::Plug(format!("{name}: {error}")))
}

/// An error with its causes: the last one is the one that helps.
fn chain(error: &dyn std::error::Error) -> String {
    let mut text = error.to_string();
    let mut source = error.source();
    while let Some(error) = source {
        text.push_str(": ");
        text.push_str(&error.to_string());
        source = error.source();
    }
    text
}
