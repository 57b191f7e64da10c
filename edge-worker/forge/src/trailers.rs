//! Trailers are taken away before any code can hold them.
//!
//! `consume-body` answers a body *and* the trailers that may follow it, as handles. A part that hands the trailers on,
//! unread, gives every peer a header channel, and no import tells: passing a handle needs no function. So the pass puts
//! a guard in front of `consume-body` that drops the trailers at once and hands out handle 0 in their place, which no
//! function accepts (Component Model, Canonical ABI: index 0 of a table is never used). Dropping handle 0 is let
//! through, since code that means well drops what it does not need.
//!
//! The audit knows the guard by its instructions and refuses a module that reaches `consume-body` in any other way. For
//! that it takes the names of a module's imports at their word; `repeat.rs` takes nothing.

use std::collections::BTreeSet;

use wasm_encoder::{BlockType, Function, MemArg, MemArgTarget};
use wasmparser::{BinaryReaderError, FunctionBody, Operator};

/// The functions that give out trailers.
const TAKES: [&str; 2] = ["[static]request.consume-body", "[static]response.consume-body"];

/// The built-in that drops them: trailers are the second stream or future in the type of `request.new`.
const DROPS: &str = "[future-drop-readable-1][static]request.new";

/// Where the trailers' handle stands in the answer of `consume-body`: behind that of the body.
const TRAILERS: u64 = 4;

/// Whether an import gives out trailers.
pub(crate) fn takes(name: &str) -> bool {
    TAKES.contains(&name)
}

/// Whether an import drops them.
pub(crate) fn drops(name: &str) -> bool {
    name == DROPS
}

/// The guard in front of `consume-body`: its handle, the future that says how handling went, and where to put the two
/// answers.
pub(crate) fn guard(take: u32, drop: u32) -> Function {
    let word = |offset| MemArg { offset, align: 2, target: MemArgTarget::Memory(0), ordering: None };
    let mut function = Function::new([]);
    let mut code = function.instructions();
    code.local_get(0).local_get(1).local_get(2).call(take);
    code.local_get(2).i32_load(word(TRAILERS)).call(drop);
    code.local_get(2).i32_const(0).i32_store(word(TRAILERS));
    code.end();
    function
}

/// The guard in front of dropping: what was taken away is dropped already.
pub(crate) fn lenient_drop(drop: u32) -> Function {
    let mut function = Function::new([]);
    let mut code = function.instructions();
    code.local_get(0).if_(BlockType::Empty).local_get(0).call(drop).end().end();
    function
}

/// What one core module does with trailers.
#[derive(Debug, Clone, Default)]
pub(crate) struct Uses {
    functions: u32,
    takes: Vec<(u32, String)>,
    drops: Vec<u32>,
    /// The functions by which it gets trailers and may keep them.
    pub(crate) kept: BTreeSet<String>,
}

impl Uses {
    /// Looks at the next imported function.
    pub(crate) fn import(&mut self, name: &str) {
        if takes(name) {
            self.takes.push((self.functions, name.to_owned()));
        } else if drops(name) {
            self.drops.push(self.functions);
        }
        self.functions += 1;
    }

    /// Looks at a function that leaves the module or goes into a table: nobody can say who calls it.
    pub(crate) fn escapes(&mut self, function: u32) {
        self.kept
            .extend(self.takes.iter().filter(|(take, _)| *take == function).map(|(_, name)| name.clone()));
    }

    /// Looks at a body.
    ///
    /// # Errors
    /// When it is not code.
    pub(crate) fn body(&mut self, body: &FunctionBody<'_>) -> Result<(), BinaryReaderError> {
        if self.takes.is_empty() {
            return Ok(());
        }
        let operators = body.get_operators_reader()?.into_iter().collect::<Result<Vec<_>, _>>()?;
        if body.get_locals_reader()?.get_count() == 0 && self.is_guard(&operators) {
            return Ok(());
        }
        for operator in &operators {
            if let Operator::Call { function_index }
            | Operator::ReturnCall { function_index }
            | Operator::RefFunc { function_index } = operator
            {
                self.escapes(*function_index);
            }
        }
        Ok(())
    }

    fn is_guard(&self, operators: &[Operator<'_>]) -> bool {
        use Operator::{Call, End, I32Const, I32Load, I32Store, LocalGet};
        let [
            LocalGet { local_index: 0 },
            LocalGet { local_index: 1 },
            LocalGet { local_index: 2 },
            Call { function_index: take },
            LocalGet { local_index: 2 },
            I32Load { memarg: from },
            Call { function_index: drop },
            LocalGet { local_index: 2 },
            I32Const { value: 0 },
            I32Store { memarg: to },
            End,
        ] = operators
        else {
            return false;
        };
        let word = |memarg: &wasmparser::MemArg| {
            memarg.offset == TRAILERS && matches!(memarg.target, wasmparser::MemArgTarget::Memory(0))
        };
        self.takes.iter().any(|(known, _)| known == take)
            && self.drops.contains(drop)
            && word(from)
            && word(to)
    }
}
