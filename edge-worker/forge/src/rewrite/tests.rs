use wasm_encoder::{
    CodeSection, EntityType, ExportKind, ExportSection, Function, FunctionSection, ImportSection,
    MemorySection, MemoryType, Module, TypeSection, ValType,
};
use wasmparser::{Parser, Payload};

use super::*;

const READ: (&str, &str) = ("domicile:boundary/tables@0.2.0", "read");
const STREAM: (&str, &str) = ("wasi:http/types@0.3.0", "[async-lower][stream-read-0][static]request.new");
const KEPT: (&str, &str) = ("wasi:http/types@0.3.0", "[method]request.get-headers");

/// A module that imports these functions, all of the same type, and calls each of them.
fn module(imports: &[(&str, &str)], realloc: bool) -> Vec<u8> {
    let mut types = TypeSection::new();
    types.ty().function([ValType::I32; 2], []);
    types.ty().function([ValType::I32; 4], [ValType::I32]);
    let mut import_section = ImportSection::new();
    for (module, name) in imports {
        import_section.import(module, name, EntityType::Function(0));
    }
    let mut functions = FunctionSection::new();
    functions.function(0).function(1);
    let mut memories = MemorySection::new();
    memories.memory(MemoryType {
        minimum: 1,
        maximum: None,
        memory64: false,
        shared: false,
        page_size_log2: None,
    });
    let mut exports = ExportSection::new();
    let count = u32::try_from(imports.len()).unwrap();
    if realloc {
        exports.export("cabi_realloc", ExportKind::Func, count + 1);
    }
    let mut caller = Function::new([]);
    for index in 0..count {
        caller.instructions().i32_const(0).i32_const(0).call(index);
    }
    caller.instructions().end();
    let mut allocate = Function::new([]);
    allocate.instructions().i32_const(64).end();
    let mut code = CodeSection::new();
    code.function(&caller).function(&allocate);
    let mut out = Module::new();
    out.section(&types).section(&import_section).section(&functions).section(&memories);
    out.section(&exports).section(&code);
    out.finish()
}

fn imports(module: &[u8]) -> Vec<String> {
    Parser::new(0)
        .parse_all(module)
        .filter_map(|payload| match payload.unwrap() {
            Payload::ImportSection(section) => Some(section),
            _ => None,
        })
        .flat_map(|section| section.into_imports().map(|import| import.unwrap().name.to_owned()))
        .collect()
}

/// What each function of a module calls.
fn calls(module: &[u8]) -> Vec<Vec<u32>> {
    let mut calls = Vec::new();
    for payload in Parser::new(0).parse_all(module) {
        if let Payload::CodeSectionEntry(body) = payload.unwrap() {
            calls.push(
                body.get_operators_reader()
                    .unwrap()
                    .into_iter()
                    .filter_map(|operator| match operator.unwrap() {
                        wasmparser::Operator::Call { function_index } => Some(function_index),
                        _ => None,
                    })
                    .collect(),
            );
        }
    }
    calls
}

#[test]
fn reading_streams_becomes_a_trap_and_forbidden_functions_stay_visible() {
    let rewritten = rewrite(&module(&[STREAM, KEPT, READ], true), Part::Relay, &[b"row".to_vec()]).unwrap();
    assert_eq!(imports(&rewritten.bytes), [KEPT.1]);
    assert_eq!(rewritten.knocked_out, [(STREAM.0.to_owned(), STREAM.1.to_owned())]);
}

#[test]
fn calls_follow_their_functions() {
    let rewritten = rewrite(&module(&[STREAM, KEPT, READ], true), Part::Relay, &[]).unwrap();
    let calls = calls(&rewritten.bytes);
    // Import 0 is what was kept, 1 the trap, 2 the table function, 3 the caller, 4 the allocator: as before.
    assert_eq!(calls, [vec![], vec![4], vec![1, 0, 2], vec![]]);
}

/// A module like those of the bindings: it takes a body, drops what follows it, and nothing else.
fn taker() -> Vec<u8> {
    let mut types = TypeSection::new();
    types.ty().function([ValType::I32; 3], []);
    types.ty().function([ValType::I32], []);
    let mut imports = ImportSection::new();
    imports.import("wasi:http/types@0.3.0", "[static]request.consume-body", EntityType::Function(0));
    let name = "[future-drop-readable-1][static]request.new";
    imports.import("wasi:http/types@0.3.0", name, EntityType::Function(1));
    let mut functions = FunctionSection::new();
    functions.function(1).function(1);
    let mut memories = MemorySection::new();
    memories.memory(MemoryType {
        minimum: 1,
        maximum: None,
        memory64: false,
        shared: false,
        page_size_log2: None,
    });
    let mut take = Function::new([]);
    take.instructions().i32_const(1).i32_const(2).i32_const(8).call(0);
    take.instructions().i32_const(8).call(1).end();
    let mut outer = Function::new([]);
    outer.instructions().local_get(0).call(2).end();
    let mut code = CodeSection::new();
    code.function(&take).function(&outer);
    let mut out = Module::new();
    out.section(&types).section(&imports).section(&functions).section(&memories).section(&code);
    out.finish()
}

#[test]
fn trailers_are_dropped_where_a_body_is_taken() {
    let rewritten = rewrite(&taker(), Part::Relay, &[]).unwrap();
    // Imports 0 and 1 stay; 2 and 3 are the guards in front of them; 4 and 5 are the module's own.
    assert_eq!(calls(&rewritten.bytes), [vec![0, 1], vec![1], vec![2, 3], vec![4]]);
    assert_eq!(imports(&rewritten.bytes).len(), 2);
    assert!(rewritten.knocked_out.is_empty());
    let router = rewrite(&taker(), Part::Router, &[]).unwrap();
    assert_eq!(calls(&router.bytes), [vec![0, 1], vec![2]], "by the router's rules nothing is put in");
}

#[test]
fn a_module_that_cannot_drop_trailers_gets_none() {
    let mut module = taker();
    let at = module.windows(4).position(|window| window == b"drop").unwrap();
    module[at] = b'g';
    let outcome = rewrite(&module, Part::Relay, &[]);
    assert!(matches!(outcome, Err(RewriteError::Trailers)), "{outcome:?}");
}

#[test]
fn a_table_needs_an_allocator() {
    let outcome = rewrite(&module(&[READ], false), Part::Relay, &[]);
    assert!(matches!(outcome, Err(RewriteError::NoRealloc)), "{outcome:?}");
}

#[test]
fn bytes_that_are_no_module_are_refused() {
    for bytes in [&b""[..], b"\0asm", b"<html>"] {
        assert!(rewrite(bytes, Part::Router, &[]).is_err());
    }
}

#[test]
fn the_segment_is_a_directory_and_the_rows() {
    let segment = read::segment(&[b"ab".to_vec(), vec![], b"c".to_vec()]).unwrap();
    assert_eq!(
        segment,
        [24, 0, 0, 0, 2, 0, 0, 0, 26, 0, 0, 0, 0, 0, 0, 0, 26, 0, 0, 0, 1, 0, 0, 0, b'a', b'b', b'c']
    );
}
