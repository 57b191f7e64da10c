//! Starts that cannot work say why in one line, with the exit code that `--help` documents.

use std::net::SocketAddr;
use std::path::Path;

use domicile_edge::{Edge, Limits, Settings, StartError, Trust};

use crate::fixture::Artefact;
use crate::guests::{self, Wrong};
use crate::host::settings;

async fn refused(settings: Settings) -> StartError {
    let Err(error) = Edge::start(settings).await else { panic!("it started") };
    assert_eq!(error.to_string().lines().count(), 1, "{error}");
    error
}

#[tokio::test]
async fn a_missing_artefact_is_named() {
    let error = refused(settings(Path::new("no/such/edge.wasm"), &[])).await;
    assert!(
        matches!(error, StartError::Unreadable { .. }) && error.to_string().contains("no/such/edge.wasm"),
        "{error}"
    );
    assert_eq!(error.exit_code(), 3);
}

#[tokio::test]
async fn what_is_not_a_component_is_refused() {
    let mut cut = guests::component(Wrong::Traps);
    cut.truncate(cut.len() / 2);
    for (bytes, says) in [
        (&b"#!/bin/sh"[..], "not WebAssembly"),
        (b"\0asm\x01\0\0\0", "core module"),
        (b"", "not WebAssembly"),
        (&cut[..], "not a component"),
    ] {
        let artefact = Artefact::of(bytes);
        let error = refused(settings(&artefact.path(), &[])).await;
        assert!(matches!(error, StartError::NotAComponent { .. }), "{error}");
        assert!(error.to_string().contains(says), "{error}");
        assert_eq!(error.exit_code(), 3);
    }
}

#[tokio::test]
async fn an_import_outside_the_world_is_named() {
    let artefact = Artefact::of(&guests::importing("wasi:random/random@0.3.0"));
    let error = refused(settings(&artefact.path(), &[])).await;
    assert!(
        matches!(&error, StartError::ForeignImport { wanted, .. } if wanted == &["wasi:random/random@0.3.0"]),
        "{error}"
    );
    assert_eq!(error.exit_code(), 3);
}

#[tokio::test]
async fn a_component_that_exports_something_else_is_refused() {
    let artefact = Artefact::of(&guests::importing("wasi:http/types@0.3.0"));
    let error = refused(settings(&artefact.path(), &[])).await;
    assert!(matches!(error, StartError::WrongWorld { .. }), "{error}");
    assert!(error.to_string().contains("wasi:http/handler"), "{error}");
}

#[tokio::test]
async fn a_port_in_use_is_named() {
    let taken = tokio::net::TcpListener::bind("127.0.0.1:0").await.unwrap();
    let artefact = Artefact::wrong(Wrong::Traps);
    let address = taken.local_addr().unwrap();
    let error = refused(Settings { listen: address, ..settings(&artefact.path(), &[]) }).await;
    assert!(error.to_string().contains(&address.to_string()), "{error}");
    assert_eq!(error.exit_code(), 4);
}

#[tokio::test]
async fn an_admin_address_for_everyone_is_refused() {
    let artefact = Artefact::wrong(Wrong::Traps);
    for admin in ["0.0.0.0:0", "[::]:0", "[::ffff:10.0.0.1]:0"] {
        let admin = Some(admin.parse().unwrap());
        let error = refused(Settings { admin, ..settings(&artefact.path(), &[]) }).await;
        assert!(matches!(error, StartError::AdminNotLoopback(_)), "{error}");
        assert_eq!(error.exit_code(), 2);
    }
}

#[tokio::test]
async fn an_open_address_with_a_cell_on_loopback_is_refused() {
    let artefact = Artefact::wrong(Wrong::Traps);
    let listen = SocketAddr::from(([0, 0, 0, 0], 0));
    for cell in
        ["127.0.0.1:7101", "[::ffff:127.0.0.1]:7101", "0.0.0.0:7101", "LocalHost.:7101", "a.localhost:7101"]
    {
        let mut settings = Settings { listen, trust: Trust::Unsigned, ..settings(&artefact.path(), &[]) };
        settings.outbound = vec![cell.parse().unwrap()];
        let error = refused(settings).await;
        assert!(matches!(error, StartError::PlainOffLoopback(_)), "{cell}: {error}");
        assert_eq!(error.exit_code(), 2);
    }
}

#[tokio::test]
async fn an_open_address_needs_somebodys_word_for_the_artefact() {
    let artefact = Artefact::wrong(Wrong::Traps);
    for listen in ["0.0.0.0:0", "[::]:0", "[::ffff:0.0.0.0]:0"] {
        let listen = listen.parse().unwrap();
        let error = refused(Settings { listen, ..settings(&artefact.path(), &[]) }).await;
        assert!(matches!(error, StartError::UnsignedOffLoopback(_)), "{error}");
        assert_eq!(error.exit_code(), 2);
    }
    let listen = "0.0.0.0:0".parse().unwrap();
    let unsigned = Settings { listen, trust: Trust::Unsigned, ..settings(&artefact.path(), &[]) };
    assert!(Edge::start(unsigned).await.is_ok());
}

#[tokio::test]
async fn an_https_cell_needs_an_authority() {
    let artefact = Artefact::wrong(Wrong::Traps);
    let mut settings = settings(&artefact.path(), &[]);
    settings.outbound = vec!["https://cell.example:443".parse().unwrap()];
    let error = refused(settings).await;
    assert!(error.to_string().contains("--cell-ca"), "{error}");
    assert_eq!(error.exit_code(), 2);
}

#[tokio::test]
async fn a_guest_that_does_not_fit_its_memory_is_refused() {
    let artefact = Artefact::of(&guests::with_memory(Wrong::Traps, 17));
    let limits = Limits { memory_mib: 1, in_flight: 1, ..Limits::default() };
    let error = refused(Settings { limits, ..settings(&artefact.path(), &[]) }).await;
    assert!(error.to_string().contains("memory"), "{error}");
}
