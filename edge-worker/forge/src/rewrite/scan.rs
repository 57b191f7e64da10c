//! A first look at a module: what is replaced, and where things are.

use wasmparser::{CompositeInnerType, ExternalKind, Parser, Payload, TypeRef, ValType};

use super::RewriteError;
use crate::Part;

/// The interface whose import the forge replaces. See `wit/boundary.wit`.
const TABLES: &str = "domicile:boundary/tables@0.1.0";

/// What takes the place of an import.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Stub {
    /// `unreachable`.
    Trap,
    /// The function that answers a row.
    ReadRow,
}

/// An imported function that becomes a defined one.
#[derive(Debug, Clone)]
pub(super) struct Replaced {
    pub(super) module: String,
    pub(super) name: String,
    pub(super) ty: u32,
    pub(super) stub: Stub,
}

/// What the pass has to know beforehand.
#[derive(Debug, Clone, Default)]
pub(super) struct Scan {
    /// The imports to replace, in their order.
    pub(super) replaced: Vec<Replaced>,
    /// The new index of every imported function.
    imported: Vec<u32>,
    /// The exported `cabi_realloc`, by its old index.
    pub(super) realloc: u32,
    /// How many data segments there are.
    pub(super) data_segments: u32,
    /// Whether there is a section that counts them.
    pub(super) has_data_count: bool,
    /// Whether the module imports the tables.
    pub(super) reads_tables: bool,
}

impl Scan {
    pub(super) fn of(module: &[u8], part: Part) -> Result<Self, RewriteError> {
        let mut scan = Self::default();
        let mut types = Vec::new();
        let mut realloc = None;
        let mut stubs = Vec::new();
        for payload in Parser::new(0).parse_all(module) {
            match payload? {
                Payload::TypeSection(section) => {
                    for group in section {
                        types.extend(group?.into_types().map(|ty| match ty.composite_type.inner {
                            CompositeInnerType::Func(func) => Some(func),
                            _ => None,
                        }));
                    }
                }
                Payload::ImportSection(section) => {
                    for import in section.into_imports() {
                        let import = import?;
                        if let TypeRef::Func(ty) = import.ty {
                            stubs.push(scan.import(part, &import, ty));
                        }
                    }
                }
                Payload::ExportSection(section) => {
                    for export in section {
                        let export = export?;
                        if export.name == "cabi_realloc" && export.kind == ExternalKind::Func {
                            realloc = Some(export.index);
                        }
                    }
                }
                Payload::DataCountSection { .. } => scan.has_data_count = true,
                Payload::DataSection(section) => scan.data_segments = section.count(),
                _ => {}
            }
        }
        scan.renumber(&stubs);
        if let Some(read) = scan.replaced.iter().find(|replaced| replaced.stub == Stub::ReadRow) {
            let ty = usize::try_from(read.ty).ok().and_then(|ty| types.get(ty)).and_then(Option::as_ref);
            if !ty.is_some_and(|ty| ty.params() == [ValType::I32; 2] && ty.results().is_empty()) {
                return Err(RewriteError::TableType);
            }
            scan.reads_tables = true;
            scan.realloc = realloc.ok_or(RewriteError::NoRealloc)?;
        }
        Ok(scan)
    }

    /// The index of a function after the pass.
    pub(super) fn function(&self, old: u32) -> u32 {
        usize::try_from(old).ok().and_then(|old| self.imported.get(old)).copied().unwrap_or(old)
    }

    fn import(&mut self, part: Part, import: &wasmparser::Import<'_>, ty: u32) -> Option<Stub> {
        let stub = if import.module == TABLES && import.name == "read" {
            Some(Stub::ReadRow)
        } else if part.knocks_out(import.name) {
            Some(Stub::Trap)
        } else {
            None
        };
        if let Some(stub) = stub {
            self.replaced.push(Replaced {
                module: import.module.to_owned(),
                name: import.name.to_owned(),
                ty,
                stub,
            });
        }
        stub
    }

    /// Kept imports move together; replaced ones stand right behind them, in front of all defined functions.
    fn renumber(&mut self, stubs: &[Option<Stub>]) {
        let kept = (0..).zip(stubs.iter().filter(|stub| stub.is_none())).count();
        let (mut next_kept, mut next_replaced) = (0, u32::try_from(kept).unwrap_or(u32::MAX));
        for stub in stubs {
            let next = if stub.is_some() { &mut next_replaced } else { &mut next_kept };
            self.imported.push(*next);
            *next += 1;
        }
    }
}
