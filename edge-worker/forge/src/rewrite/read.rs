//! The functions the pass puts in, and the data they read.
//!
//! All rows lie in one passive data segment: a directory of (offset, length) pairs, little-endian as the memory is,
//! then the bytes. `memory.init` copies from it by offset, so no row needs a branch of its own, and a passive segment
//! costs nothing when a component is instantiated.

use wasm_encoder::{BlockType, Function, MemArg, MemArgTarget, ValType};

/// The bytes of a directory entry.
const ENTRY: u32 = 8;
/// The same as a size.
pub(crate) const ENTRY_BYTES: usize = 8;

/// The segment of these rows; none when an offset does not fit into 32 bits.
pub(super) fn segment(rows: &[Vec<u8>]) -> Option<Vec<u8>> {
    let mut offset = u32::try_from(rows.len()).ok()?.checked_mul(ENTRY)?;
    let mut out = Vec::new();
    for row in rows {
        let length = u32::try_from(row.len()).ok()?;
        out.extend_from_slice(&offset.to_le_bytes());
        out.extend_from_slice(&length.to_le_bytes());
        offset = offset.checked_add(length)?;
    }
    rows.iter().for_each(|row| out.extend_from_slice(row));
    Some(out)
}

/// A function that traps.
pub(super) fn trap() -> Function {
    let mut function = Function::new([]);
    function.instructions().unreachable().end();
    function
}

/// `read: func(row: u32) -> list<u8>` as the canonical ABI lowers it: the row, and where to put pointer and length.
///
/// A row that is not there is an empty list, whose pointer is never followed but must not be null.
pub(super) fn row(segment: u32, rows: u32, realloc: u32) -> Function {
    const ROW: u32 = 0;
    const RET: u32 = 1;
    const LENGTH: u32 = 2;
    const POINTER: u32 = 3;
    let word = |offset| MemArg { offset, align: 2, target: MemArgTarget::Memory(0), ordering: None };
    let mut function = Function::new([(2, ValType::I32)]);
    let mut code = function.instructions();
    code.local_get(ROW).i32_const(rows.cast_signed()).i32_ge_u().if_(BlockType::Empty);
    code.local_get(RET).i32_const(1).i32_store(word(0));
    code.local_get(RET).i32_const(0).i32_store(word(4));
    code.return_().end();
    // The directory entry goes into the return area first; its length then stands where it belongs.
    code.local_get(RET).local_get(ROW).i32_const(ENTRY.cast_signed()).i32_mul();
    code.i32_const(ENTRY.cast_signed()).memory_init(0, segment);
    code.local_get(RET).i32_load(word(4)).local_set(LENGTH);
    // realloc(no old block, align 1, length)
    code.i32_const(0).i32_const(0).i32_const(1).local_get(LENGTH).call(realloc).local_set(POINTER);
    code.local_get(POINTER).local_get(RET).i32_load(word(0)).local_get(LENGTH).memory_init(0, segment);
    code.local_get(RET).local_get(POINTER).i32_store(word(0));
    code.end();
    function
}
