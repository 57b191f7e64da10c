//! The edge's world, as this host gives it.

use std::path::Path;

use wasmtime::Engine;
use wasmtime::component::{Component, Linker};
use wasmtime_wasi::clocks::{WasiClocks, WasiClocksView};
use wasmtime_wasi::p3::bindings::clocks;
use wasmtime_wasi_http::p3::bindings::ServicePre;

use super::store::State;
use crate::start_error::StartError;

/// Every interface this host links, without its version. An artefact that imports another is refused by name.
const GIVEN: [&str; 4] =
    ["wasi:http/types", "wasi:http/client", "wasi:clocks/system-clock", "wasi:clocks/types"];

/// What an artefact has to export.
const HANDLER: &str = "wasi:http/handler";

/// The first bytes of a component: the magic, the component encoding's version and its layer.
const COMPONENT: [u8; 8] = [0, b'a', b's', b'm', 0x0d, 0, 1, 0];
const MODULE: [u8; 4] = [0, b'a', b's', b'm'];

/// Compiles, checks and links an artefact; `path` is for what it says.
pub(super) fn load(engine: &Engine, binary: &[u8], path: &Path) -> Result<ServicePre<State>, StartError> {
    let not_a_component = |detail: String| StartError::NotAComponent { path: path.to_owned(), detail };
    if !binary.starts_with(&COMPONENT) {
        let found = if binary.starts_with(&MODULE) { "it is a core module" } else { "it is not WebAssembly" };
        return Err(not_a_component(found.to_owned()));
    }
    let component =
        Component::from_binary(engine, binary).map_err(|error| not_a_component(one_line(&error)))?;

    let shape = component.component_type();
    let wanted: Vec<String> = shape
        .imports(engine)
        .map(|(name, _)| name)
        .filter(|name| !is_given(name))
        .map(str::to_owned)
        .collect();
    if !wanted.is_empty() {
        return Err(StartError::ForeignImport { path: path.to_owned(), wanted });
    }
    let wrong_world = |detail: String| StartError::WrongWorld { path: path.to_owned(), detail };
    if !shape.exports(engine).any(|(name, _)| interface(name) == HANDLER) {
        return Err(wrong_world(format!("it does not export {HANDLER}")));
    }

    let linker = linker(engine).map_err(|error| StartError::Engine(one_line(&error)))?;
    let pre = linker.instantiate_pre(&component).map_err(|error| wrong_world(one_line(&error)))?;
    ServicePre::new(pre).map_err(|error| wrong_world(one_line(&error)))
}

fn linker(engine: &Engine) -> wasmtime::Result<Linker<State>> {
    let mut linker = Linker::new(engine);
    wasmtime_wasi_http::p3::add_to_linker(&mut linker)?;
    clocks::types::add_to_linker::<_, WasiClocks>(&mut linker, State::clocks)?;
    clocks::system_clock::add_to_linker::<_, WasiClocks>(&mut linker, State::clocks)?;
    Ok(linker)
}

fn is_given(import: &str) -> bool {
    GIVEN.contains(&interface(import))
}

fn interface(name: &str) -> &str {
    name.split_once('@').map_or(name, |(interface, _version)| interface)
}

/// An error and its causes in one line.
pub(super) fn one_line(error: &wasmtime::Error) -> String {
    format!("{error:#}").split_whitespace().collect::<Vec<_>>().join(" ")
}
