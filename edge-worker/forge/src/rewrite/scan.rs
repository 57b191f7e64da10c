//! A first look at a module: what is replaced, and where things are.

use wasmparser::{CompositeInnerType, ExternalKind, Parser, Payload, TypeRef, ValType};

use super::RewriteError;
use crate::{Part, trailers};

/// The interface whose import the forge replaces. See `wit/boundary.wit`.
const TABLES: &str = "domicile:boundary/tables@0.2.0";

/// What takes the place of an import.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Stub {
    /// `unreachable`.
    Trap,
    /// The function that answers a row.
    ReadRow,
    /// A guard in front of an import that stays and gives out trailers.
    TakeTrailers {
        /// The import's index after the pass.
        take: u32,
        /// That of the import that drops trailers.
        drop: u32,
    },
    /// A guard in front of the import that drops trailers.
    DropTrailers {
        /// The import's index after the pass.
        drop: u32,
    },
}

/// What is to become of an import, before anything has an index.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Fate {
    Kept,
    Trap,
    ReadRow,
    TakeTrailers,
    DropTrailers,
}

impl Fate {
    /// Whether the import is still one after the pass.
    const fn stays(self) -> bool {
        matches!(self, Self::Kept | Self::TakeTrailers | Self::DropTrailers)
    }
}

/// An imported function that becomes a defined one, or gets a defined one in front of it.
#[derive(Debug, Clone)]
pub(super) struct Replaced {
    pub(super) module: String,
    pub(super) name: String,
    pub(super) ty: u32,
    pub(super) stub: Stub,
}

impl Replaced {
    /// Whether the import is gone.
    pub(super) const fn removes(&self) -> bool {
        matches!(self.stub, Stub::Trap | Stub::ReadRow)
    }
}

/// What the pass has to know beforehand.
#[derive(Debug, Clone, Default)]
pub(super) struct Scan {
    /// The imports to replace, in their order.
    pub(super) replaced: Vec<Replaced>,
    /// The new index of every imported function.
    imported: Vec<u32>,
    /// By how much defined functions move: as many as have been put in beside imports that stay.
    guards: u32,
    /// The exported `cabi_realloc`, by its old index.
    pub(super) realloc: u32,
    /// How many data segments there are.
    pub(super) data_segments: u32,
    /// Whether there is a section that counts them.
    pub(super) has_data_count: bool,
    /// Whether the module imports the tables.
    pub(super) reads_tables: bool,
}

/// An imported function as it stands in the module.
struct Import<'a> {
    module: &'a str,
    name: &'a str,
    ty: u32,
}

impl Scan {
    pub(super) fn of(module: &[u8], part: Part) -> Result<Self, RewriteError> {
        let mut scan = Self::default();
        let mut types = Vec::new();
        let mut realloc = None;
        let mut imports = Vec::new();
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
                            imports.push(Import { module: import.module, name: import.name, ty });
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
        scan.replace(&imports, part)?;
        let takes_words = |replaced: &Replaced, words: usize| {
            let ty = usize::try_from(replaced.ty).ok().and_then(|ty| types.get(ty)).and_then(Option::as_ref);
            ty.is_some_and(|ty| {
                ty.params().len() == words
                    && ty.params().iter().all(|param| *param == ValType::I32)
                    && ty.results().is_empty()
            })
        };
        for replaced in &scan.replaced {
            match replaced.stub {
                Stub::ReadRow if !takes_words(replaced, 2) => return Err(RewriteError::TableType),
                Stub::TakeTrailers { .. } if !takes_words(replaced, 3) => return Err(RewriteError::Trailers),
                Stub::DropTrailers { .. } if !takes_words(replaced, 1) => return Err(RewriteError::Trailers),
                _ => {}
            }
        }
        if scan.replaced.iter().any(|replaced| replaced.stub == Stub::ReadRow) {
            scan.reads_tables = true;
            scan.realloc = realloc.ok_or(RewriteError::NoRealloc)?;
        }
        Ok(scan)
    }

    /// The index of a function after the pass.
    pub(super) fn function(&self, old: u32) -> u32 {
        let import = usize::try_from(old).ok().and_then(|old| self.imported.get(old));
        import.copied().unwrap_or(old + self.guards)
    }

    /// Imports that stay move together; what takes the place of one, or stands in front of one, comes right behind
    /// them, in front of all defined functions.
    fn replace(&mut self, imports: &[Import<'_>], part: Part) -> Result<(), RewriteError> {
        let takes_trailers = imports.iter().any(|import| trailers::takes(import.name));
        let fates: Vec<_> = imports.iter().map(|import| fate(import, part, takes_trailers)).collect();
        let staying = fates.iter().filter(|fate| fate.stays()).count();
        let (mut next_kept, mut next_defined) = (0, u32::try_from(staying).unwrap_or(u32::MAX));
        let mut raw = Vec::new();
        for fate in &fates {
            raw.push(next_kept);
            next_kept += u32::from(fate.stays());
        }
        let drop = fates.iter().zip(&raw).find(|(fate, _)| **fate == Fate::DropTrailers).map(|(_, raw)| *raw);
        for ((import, fate), raw) in imports.iter().zip(&fates).zip(raw) {
            let stub = match fate {
                Fate::Kept => {
                    self.imported.push(raw);
                    continue;
                }
                Fate::Trap => Stub::Trap,
                Fate::ReadRow => Stub::ReadRow,
                Fate::TakeTrailers => {
                    Stub::TakeTrailers { take: raw, drop: drop.ok_or(RewriteError::Trailers)? }
                }
                Fate::DropTrailers => Stub::DropTrailers { drop: raw },
            };
            self.imported.push(next_defined);
            next_defined += 1;
            self.guards += u32::from(fate.stays());
            self.replaced.push(Replaced {
                module: import.module.to_owned(),
                name: import.name.to_owned(),
                ty: import.ty,
                stub,
            });
        }
        Ok(())
    }
}

fn fate(import: &Import<'_>, part: Part, takes_trailers: bool) -> Fate {
    if import.module == TABLES && import.name == "read" {
        Fate::ReadRow
    } else if part.knocks_out(import.name) {
        Fate::Trap
    } else if takes_trailers && part.drops_trailers() && trailers::takes(import.name) {
        Fate::TakeTrailers
    } else if takes_trailers && part.drops_trailers() && trailers::drops(import.name) {
        Fate::DropTrailers
    } else {
        Fate::Kept
    }
}
