//! Guests that go wrong: made here byte by byte, with the edge's own world, so that no compiler is needed.

use std::path::Path;

use wasm_encoder::{
    BlockType, CodeSection, Component, ComponentImportSection, ComponentTypeRef, ComponentTypeSection,
    EntityType, ExportKind, ExportSection, Function, FunctionSection, ImportSection, InstanceType,
    Instruction, MemorySection, MemoryType, Module, TypeSection, ValType,
};
use wit_component::{ComponentEncoder, StringEncoding};
use wit_parser::Resolve;

/// What such a guest does when it is called.
#[derive(Debug, Clone, Copy)]
pub(crate) enum Wrong {
    /// Traps at once.
    Traps,
    /// Computes for ever.
    Loops,
    /// Takes memory until it gets no more, then traps as an allocator would.
    Grows,
    /// Asks to be called again at once, for ever: computes, but never for long.
    Spins,
    /// Waits for something that never comes.
    Waits,
}

/// A component that imports an empty interface of this name and does nothing.
pub(crate) fn importing(name: &str) -> Vec<u8> {
    let mut types = ComponentTypeSection::new();
    types.instance(&InstanceType::new());
    let mut imports = ComponentImportSection::new();
    imports.import(name, ComponentTypeRef::Instance(0));
    let mut component = Component::new();
    component.section(&types).section(&imports);
    component.finish()
}

const ENTRY: &str = "[async-lift]wasi:http/handler@0.3.0#handle";
const CALLBACK: &str = "[callback][async-lift]wasi:http/handler@0.3.0#handle";
/// What a callback may return: call me again, or call me when something in this set has come.
const YIELD: i32 = 1;
const WAIT: i32 = 2;

/// A component of the edge's world that goes wrong in one way.
pub(crate) fn component(wrong: Wrong) -> Vec<u8> {
    with_memory(wrong, 1)
}

/// The same, with so many pages of memory (64 KiB each) to begin with.
pub(crate) fn with_memory(wrong: Wrong, pages: u64) -> Vec<u8> {
    let mut module = module(wrong, pages);
    let wit = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../wit");
    let mut resolve = Resolve::default();
    let (package, _) = resolve.push_dir(&wit).unwrap();
    let world = resolve.select_world(&[package], Some("edge")).unwrap();
    wit_component::embed_component_metadata(&mut module, &resolve, world, StringEncoding::UTF8, false)
        .unwrap();
    ComponentEncoder::default().module(&module).unwrap().validate(true).encode().unwrap()
}

fn module(wrong: Wrong, pages: u64) -> Vec<u8> {
    let mut types = TypeSection::new();
    types.ty().function([ValType::I32], [ValType::I32]);
    types.ty().function([ValType::I32, ValType::I32, ValType::I32], [ValType::I32]);
    types.ty().function([], [ValType::I32]);
    let mut imports = ImportSection::new();
    imports.import("$root", "[waitable-set-new]", EntityType::Function(2));
    let mut functions = FunctionSection::new();
    functions.function(0).function(1);
    let mut memories = MemorySection::new();
    memories.memory(MemoryType {
        minimum: pages,
        maximum: None,
        memory64: false,
        shared: false,
        page_size_log2: None,
    });
    let mut exports = ExportSection::new();
    exports.export("memory", ExportKind::Memory, 0);
    exports.export(ENTRY, ExportKind::Func, 1).export(CALLBACK, ExportKind::Func, 2);
    let mut code = CodeSection::new();
    code.function(&body(wrong)).function(&body(wrong));
    let mut module = Module::new();
    module
        .section(&types)
        .section(&imports)
        .section(&functions)
        .section(&memories)
        .section(&exports)
        .section(&code);
    module.finish()
}

fn body(wrong: Wrong) -> Function {
    let mut function = Function::new([]);
    match wrong {
        Wrong::Traps => {
            function.instruction(&Instruction::Unreachable);
        }
        Wrong::Loops => {
            function
                .instruction(&Instruction::Loop(BlockType::Empty))
                .instruction(&Instruction::Br(0))
                .instruction(&Instruction::End)
                .instruction(&Instruction::Unreachable);
        }
        Wrong::Grows => {
            function
                .instruction(&Instruction::Loop(BlockType::Empty))
                .instruction(&Instruction::I32Const(16))
                .instruction(&Instruction::MemoryGrow(0))
                .instruction(&Instruction::I32Const(-1))
                .instruction(&Instruction::I32Ne)
                .instruction(&Instruction::BrIf(0))
                .instruction(&Instruction::End)
                .instruction(&Instruction::Unreachable);
        }
        Wrong::Spins => {
            function.instruction(&Instruction::I32Const(YIELD));
        }
        Wrong::Waits => {
            function
                .instruction(&Instruction::Call(0))
                .instruction(&Instruction::I32Const(4))
                .instruction(&Instruction::I32Shl)
                .instruction(&Instruction::I32Const(WAIT))
                .instruction(&Instruction::I32Or);
        }
    }
    function.instruction(&Instruction::End);
    function
}
