//! A start that cannot work says why in one line and exits with its own code.

use std::process::Command;

use crate::process::{run, serve};
use crate::world::World;

/// Runs a start that has to fail with `code`; returns its one line.
fn fails(command: Command, code: i32) -> String {
    let ended = run(command);
    assert_eq!(ended.code, Some(code), "{}", ended.err);
    assert_eq!(ended.out, "", "nothing is ready");
    let line = ended.err.trim_end();
    assert!(line.starts_with("domicile-cell: ") && !line.contains('\n'), "not one line: {line}");
    line.to_owned()
}

fn contains(line: &str, parts: &[&str]) {
    assert!(parts.iter().all(|part| line.contains(part)), "{line}");
}

#[test]
fn files_that_are_missing_broken_or_foreign() {
    let world = World::new();
    let start = || serve(&world, "eu-a", &[]);

    world.write("topology.toml", "version = 1\nserail = 1");
    contains(&fails(start(), 3), &["topology.toml", "serial"]);
    world.write("topology.toml", &world.topology(""));
    contains(&fails(serve(&world, "eu-x", &[]), 3), &["eu-x", "eu-a, eu-b, us-a"]);
    world.write("config.toml", "version = 1\n[budgets]\nrank_ms = 90");
    let config = world.at("config.toml");
    contains(
        &fails(serve(&world, "eu-a", &["--config", config.to_str().unwrap()]), 3),
        &["rank 90", "= 157 ms", "120"],
    );

    world.sign_overlay(|o| o["not_after"] = "soon".into());
    contains(&fails(start(), 5), &["overlay.dsse.json", "not_after"]);
    world.sign_overlay(|o| o["vocabulary"] = "other".into());
    contains(&fails(start(), 5), &["overlay.dsse.json", "vocabulary"]);
    world.sign_overlay(|_| {});

    world.sign_snapshot(|m| m["version"] = 2.into());
    contains(&fails(start(), 4), &["manifest.dsse.json", "version 2"]);
    world.sign_snapshot(|m| m["features"]["cross"][0]["name"] = "clicks".into());
    contains(&fails(start(), 4), &["features.cross[0] = \"clicks\"", "own_count"]);
    world.sign_snapshot(|_| {});
    let embeddings = world.at("snapshot").join("embeddings.f16");
    let whole = std::fs::read(&embeddings).unwrap();
    std::fs::write(&embeddings, &whole[..whole.len() - 2]).unwrap();
    contains(&fails(start(), 4), &["embeddings.f16", "bytes", "publish"]);
    std::fs::remove_file(&embeddings).unwrap();
    contains(&fails(start(), 4), &["embeddings.f16", "readable"]);
}

#[test]
fn models_that_are_none_or_break_the_contract() {
    let world = World::new();
    let start = || serve(&world, "eu-a", &[]);
    let tower = std::fs::read(world.at("snapshot").join("tower.onnx")).unwrap();
    world.replace("full", b"this is not an ONNX file");
    contains(&fails(start(), 7), &["full.onnx", "an ONNX model"]);
    // A good model in the wrong place: its inputs are others.
    world.replace("full", &tower);
    contains(&fails(start(), 7), &["full.onnx", "input \"candidates\"", "none of that name"]);
}

#[test]
fn a_missing_or_unsuitable_onnx_runtime() {
    let world = World::new();
    let mut unnamed = serve(&world, "eu-a", &[]);
    unnamed.env_remove("ORT_DYLIB_PATH");
    contains(&fails(unnamed, 7), &["--onnxruntime", "cargo xtask demo"]);
    let missing = world.at("libonnxruntime.so");
    let missing = missing.to_str().unwrap();
    contains(&fails(serve(&world, "eu-a", &["--onnxruntime", missing]), 7), &[missing, "no such file"]);
    world.write("libonnxruntime.so", "not a library");
    contains(&fails(serve(&world, "eu-a", &["--onnxruntime", missing]), 7), &[missing, "ONNX Runtime"]);
    let library = std::env::var_os("ORT_DYLIB_PATH").expect("set ORT_DYLIB_PATH");
    let whole = std::fs::read(library).unwrap();
    for length in [100, whole.len() / 3, whole.len() - 1] {
        std::fs::write(missing, &whole[..length]).unwrap();
        contains(&fails(serve(&world, "eu-a", &["--onnxruntime", missing]), 7), &[missing, "cut off"]);
    }
}

#[test]
fn a_port_in_use_and_demo_keys_beyond_loopback() {
    let world = World::new();
    let taken = std::net::TcpListener::bind("127.0.0.1:0").unwrap();
    let address = taken.local_addr().unwrap().to_string();
    contains(&fails(serve(&world, "eu-a", &["--listen", &address]), 8), &[&address, "free the port"]);
    world.write("topology.toml", &world.topology("trust = \"demo\""));
    contains(&fails(serve(&world, "eu-a", &["--listen", "0.0.0.0:0"]), 8), &["demo", "127.0.0.1"]);
}

#[test]
fn a_store_that_another_process_has_open() {
    let world = World::new();
    let _open = domicile_cell::features::embedded::EmbeddedStore::open(&world.at("store")).unwrap();
    contains(&fails(serve(&world, "eu-a", &[]), 6), &["features.redb", "already open", "stop the process"]);
}

#[test]
fn a_store_that_is_none_or_damaged() {
    let world = World::new();
    let store = domicile_cell::features::embedded::EmbeddedStore::open(&world.at("store")).unwrap();
    store.begin_import().unwrap().complete().unwrap();
    drop(store);
    let file = world.at("store").join("features.redb");
    let whole = std::fs::read(&file).unwrap();
    for (content, found) in [
        (&b""[..], "found an empty file"),
        (&[b'x'; 20_000][..], "found something else"),
        (&whole[..whole.len() / 2], "found a damaged one"),
    ] {
        std::fs::write(&file, content).unwrap();
        contains(&fails(serve(&world, "eu-a", &[]), 6), &["features.redb", found, "domicile-cell import"]);
    }
}
