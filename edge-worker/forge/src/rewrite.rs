//! The pass over a core module: forbidden glue becomes a trap, and the tables go in as data.
//!
//! The alternative for the tables was a component of their own beside the three. It would have cost a call across
//! components and a copy per read, and one more thing to audit; here a read is one function of a dozen instructions
//! inside the module, and afterwards the module has one import less.
//!
//! Replaced imports become functions that are defined *first*, and so do guards in front of imports that stay. Defined
//! functions all move by the same number, and the imports are counted anew.

mod read;
mod scan;

use std::borrow::Cow;
use std::convert::Infallible;

use wasm_encoder::reencode::{self, Reencode, utils};
use wasm_encoder::{
    CodeSection, DataCountSection, DataSection, FunctionSection, ImportSection, Module, SectionId,
};

pub(crate) use self::read::ENTRY_BYTES;
use self::scan::{Replaced, Scan, Stub};
use crate::{Part, trailers};

/// A module after the pass.
#[derive(Debug, Clone)]
pub struct Rewritten {
    /// The module.
    pub bytes: Vec<u8>,
    /// The imports that are traps now, as `module` and `name`.
    pub knocked_out: Vec<(String, String)>,
}

/// Why a module could not be rewritten.
#[derive(Debug, thiserror::Error)]
pub enum RewriteError {
    /// The bytes are not a core module.
    #[error("not a core module")]
    Parse(#[from] wasmparser::Error),
    /// The module cannot be written again.
    #[error("the module cannot be re-encoded")]
    Reencode(#[from] reencode::Error),
    /// The table import is not the function it should be.
    #[error("the module's `tables` import does not have the type of `read`")]
    TableType,
    /// Without it the table function has no memory to put a row in.
    #[error("the module exports no `cabi_realloc`")]
    NoRealloc,
    /// It takes bodies and could keep the trailers behind them.
    #[error("the module takes bodies and cannot drop their trailers: build it from this project's sources")]
    Trailers,
    /// More table data than a module can hold.
    #[error("the tables are larger than 4 GiB")]
    TooLarge,
}

/// Rewrites a module: `rows` are what its `tables` import answers from now on.
///
/// # Errors
/// When the bytes are not a core module of the shape the components have.
pub fn rewrite(module: &[u8], part: Part, rows: &[Vec<u8>]) -> Result<Rewritten, RewriteError> {
    let scan = Scan::of(module, part)?;
    let segment = read::segment(rows).ok_or(RewriteError::TooLarge)?;
    let rows = u32::try_from(rows.len()).map_err(|_| RewriteError::TooLarge)?;
    let knocked_out = scan
        .replaced
        .iter()
        .filter(|replaced| replaced.stub == Stub::Trap)
        .map(|replaced| (replaced.module.clone(), replaced.name.clone()))
        .collect();
    let mut out = Module::new();
    Pass { scan: &scan, segment: &segment, rows }.parse_core_module(
        &mut out,
        wasmparser::Parser::new(0),
        module,
    )?;
    let bytes = out.finish();
    wasmparser::Validator::new_with_features(wasmparser::WasmFeatures::all()).validate_all(&bytes)?;
    Ok(Rewritten { bytes, knocked_out })
}

struct Pass<'a> {
    scan: &'a Scan,
    segment: &'a [u8],
    rows: u32,
}

impl Pass<'_> {
    /// The passive segment stands behind all others, so that these keep their indices too.
    const fn segment_index(&self) -> u32 {
        self.scan.data_segments
    }

    fn body(&mut self, replaced: &Replaced) -> wasm_encoder::Function {
        match replaced.stub {
            Stub::Trap => read::trap(),
            Stub::ReadRow => {
                let realloc = self.scan.function(self.scan.realloc);
                read::row(self.segment_index(), self.rows, realloc)
            }
            Stub::TakeTrailers { take, drop } => trailers::guard(take, drop),
            Stub::DropTrailers { drop } => trailers::lenient_drop(drop),
        }
    }
}

impl Reencode for Pass<'_> {
    type Error = Infallible;

    fn function_index(&mut self, func: u32) -> Result<u32, reencode::Error> {
        Ok(self.scan.function(func))
    }

    fn parse_import_section(
        &mut self,
        imports: &mut ImportSection,
        section: wasmparser::ImportSectionReader<'_>,
    ) -> Result<(), reencode::Error> {
        let replaced = |import: &wasmparser::Import<'_>| {
            matches!(import.ty, wasmparser::TypeRef::Func(_))
                && self
                    .scan
                    .replaced
                    .iter()
                    .any(|r| r.removes() && r.module == import.module && r.name == import.name)
        };
        let kept: Vec<_> = section
            .into_imports()
            .filter(|import| !import.as_ref().is_ok_and(replaced))
            .collect::<Result<_, _>>()?;
        kept.into_iter().try_for_each(|import| self.parse_import(imports, import))
    }

    fn parse_function_section(
        &mut self,
        functions: &mut FunctionSection,
        section: wasmparser::FunctionSectionReader<'_>,
    ) -> Result<(), reencode::Error> {
        for replaced in &self.scan.replaced {
            functions.function(replaced.ty);
        }
        utils::parse_function_section(self, functions, section)
    }

    fn parse_code_section(
        &mut self,
        code: &mut CodeSection,
        section: wasmparser::CodeSectionReader<'_>,
    ) -> Result<(), reencode::Error> {
        let scan = self.scan;
        for replaced in &scan.replaced {
            code.function(&self.body(replaced));
        }
        utils::parse_code_section(self, code, section)
    }

    fn data_count(&mut self, count: u32) -> Result<u32, reencode::Error> {
        Ok(count + u32::from(self.scan.reads_tables))
    }

    fn parse_data_section(
        &mut self,
        data: &mut DataSection,
        section: wasmparser::DataSectionReader<'_>,
    ) -> Result<(), reencode::Error> {
        utils::parse_data_section(self, data, section)?;
        if self.scan.reads_tables {
            data.passive(self.segment.iter().copied());
        }
        Ok(())
    }

    fn intersperse_section_hook(
        &mut self,
        module: &mut Module,
        _after: Option<SectionId>,
        before: Option<SectionId>,
    ) -> Result<(), reencode::Error> {
        // `memory.init` needs the count of segments in front of the code; a module without a segment of the kind has
        // none, and one without any data has no data section either.
        if !self.scan.reads_tables {
            return Ok(());
        }
        if before == Some(SectionId::Code) && !self.scan.has_data_count {
            module.section(&DataCountSection { count: self.scan.data_segments + 1 });
        }
        if before.is_none() && self.scan.data_segments == 0 {
            let mut data = DataSection::new();
            data.passive(self.segment.iter().copied());
            module.section(&data);
        }
        Ok(())
    }

    fn custom_section<'a>(
        &mut self,
        section: wasmparser::CustomSectionReader<'a>,
    ) -> Result<wasm_encoder::CustomSection<'a>, reencode::Error> {
        Ok(wasm_encoder::CustomSection { name: section.name().into(), data: Cow::Borrowed(section.data()) })
    }
}

#[cfg(test)]
mod tests;
