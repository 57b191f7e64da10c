//! Everything a component imports, exports and asks of the canonical ABI.

use std::collections::BTreeSet;

use domicile_edge_manifest::Interface;
use serde::Serialize;
use wasmparser::component_types::{ComponentEntityType, ComponentItem};
use wasmparser::types::TypesRef;
use wasmparser::{
    ElementItems, Encoding, ExternalKind, Parser, Payload, TypeRef, ValidPayload, Validator, WasmFeatures,
};

use super::builtin::Builtin;
use crate::trailers::Uses;

/// Why there is no inventory.
#[derive(Debug, thiserror::Error)]
pub enum InventoryError {
    /// The bytes are not valid Wasm.
    #[error("not a valid component: {0}")]
    Invalid(#[from] wasmparser::Error),
    /// Valid, but a core module.
    #[error("a core module, not a component")]
    NotAComponent,
}

/// What is in one component, not counting what is in the components inside it.
#[derive(Debug, Clone, Default, Serialize)]
pub struct Inventory {
    /// What it imports.
    pub imports: Vec<Interface>,
    /// What it exports.
    pub exports: Vec<Interface>,
    /// The canonical built-ins it has, but lifting, lowering and dropping of what the interfaces name.
    pub builtins: BTreeSet<String>,
    /// What its core modules import from its interfaces, as `interface function`.
    pub core_imports: BTreeSet<String>,
    /// The functions by which its core modules get trailers that they may keep or hand on.
    pub trailers_kept: BTreeSet<String>,
    /// What the module being read does with trailers.
    #[serde(skip)]
    trailers: Uses,
    /// The built-ins before their types are known.
    #[serde(skip)]
    untyped: Vec<Builtin>,
    /// How many core modules it has.
    pub modules: usize,
    /// The components inside that have code, however deep.
    #[serde(skip)]
    pub components: Vec<Self>,
    /// The components inside that have none: some wrap an export and only give its types their names.
    #[serde(skip)]
    pub bare: Vec<Self>,
}

impl Inventory {
    /// Takes stock of a component.
    ///
    /// # Errors
    /// When the bytes are not a valid component.
    pub fn of(bytes: &[u8]) -> Result<Self, InventoryError> {
        let mut validator = Validator::new_with_features(WasmFeatures::all());
        let mut open: Vec<(Encoding, Self)> = Vec::new();
        for payload in Parser::new(0).parse_all(bytes) {
            let payload = payload?;
            let valid = validator.payload(&payload)?;
            if let Payload::Version { encoding, .. } = &payload {
                open.push((*encoding, Self::default()));
            }
            if let Some((_, inventory)) = open.last_mut() {
                inventory.take(&payload)?;
            }
            if let ValidPayload::Func(function, body) = valid {
                function.into_validator(Default::default()).validate(&body)?;
            } else if let ValidPayload::End(types) = valid {
                let Some((encoding, mut closed)) = open.pop() else { continue };
                if encoding == Encoding::Component {
                    closed.resolve(types.as_ref());
                }
                match (open.last_mut(), encoding) {
                    (Some((_, outer)), Encoding::Component) if closed.is_bare() => outer.bare.push(closed),
                    (Some((_, outer)), Encoding::Component) => outer.components.push(closed),
                    // A core module is part of the component around it.
                    (Some((_, outer)), Encoding::Module) => {
                        outer.modules += 1;
                        outer.core_imports.append(&mut closed.core_imports);
                        outer.trailers_kept.append(&mut closed.trailers.kept);
                    }
                    (None, Encoding::Component) => return Ok(closed),
                    (None, Encoding::Module) => return Err(InventoryError::NotAComponent),
                }
            }
        }
        Err(InventoryError::NotAComponent)
    }

    /// The inventory in the words of the lists: what each line of `golden/*.txt` is compared with.
    #[must_use]
    pub fn lines(&self) -> Vec<String> {
        let interfaces = |word: &'static str, interfaces: &[Interface]| {
            let mut lines = Vec::new();
            for interface in interfaces {
                lines.push(format!("{word} {}", interface.name));
                lines.extend(interface.functions.iter().map(|f| format!("{word} {} {f}", interface.name)));
            }
            lines
        };
        let mut lines = interfaces("import", &self.imports);
        lines.extend(interfaces("export", &self.exports));
        lines.extend(self.builtins.iter().map(|name| format!("builtin {name}")));
        lines.extend(self.core_imports.iter().map(|name| format!("core {name}")));
        lines
    }

    fn is_bare(&self) -> bool {
        self.modules == 0 && self.builtins.is_empty() && self.components.is_empty()
    }

    fn take(&mut self, payload: &Payload<'_>) -> Result<(), InventoryError> {
        match payload {
            Payload::ComponentImportSection(section) => {
                for import in section.clone() {
                    self.imports
                        .push(Interface { name: import?.name.name.to_owned(), functions: Vec::new() });
                }
            }
            Payload::ComponentExportSection(section) => {
                for export in section.clone() {
                    self.exports
                        .push(Interface { name: export?.name.name.to_owned(), functions: Vec::new() });
                }
            }
            Payload::ComponentCanonicalSection(section) => {
                for function in section.clone() {
                    self.untyped.extend(Builtin::of(&function?));
                }
            }
            Payload::ImportSection(section) => {
                for import in section.clone().into_imports() {
                    let import = import?;
                    if matches!(import.ty, TypeRef::Func(_)) {
                        self.trailers.import(import.name);
                    }
                    // Names without a colon are those by which wit-component wires its own shims.
                    if import.module.contains(':')
                        || import.module.starts_with('[')
                        || import.module == "$root"
                    {
                        self.core_imports.insert(format!("{} {}", import.module, import.name));
                    }
                }
            }
            Payload::ExportSection(section) => {
                for export in section.clone() {
                    let export = export?;
                    if export.kind == ExternalKind::Func {
                        self.trailers.escapes(export.index);
                    }
                }
            }
            Payload::ElementSection(section) => {
                for element in section.clone() {
                    match element?.items {
                        ElementItems::Functions(functions) => {
                            for function in functions {
                                self.trailers.escapes(function?);
                            }
                        }
                        ElementItems::Expressions(_, expressions) => {
                            for expression in expressions {
                                self.referenced(&expression?)?;
                            }
                        }
                    }
                }
            }
            Payload::GlobalSection(section) => {
                for global in section.clone() {
                    self.referenced(&global?.init_expr)?;
                }
            }
            Payload::CodeSectionEntry(body) => self.trailers.body(body)?,
            _ => {}
        }
        Ok(())
    }

    /// A constant expression can name a function, too.
    fn referenced(&mut self, expression: &wasmparser::ConstExpr<'_>) -> Result<(), InventoryError> {
        for operator in expression.get_operators_reader() {
            if let wasmparser::Operator::RefFunc { function_index } = operator? {
                self.trailers.escapes(function_index);
            }
        }
        Ok(())
    }

    fn resolve(&mut self, types: TypesRef<'_>) {
        self.builtins = self.untyped.drain(..).map(|builtin| builtin.line(types)).collect();
        for import in &mut self.imports {
            import.functions = functions(types, types.component_item_for_import(&import.name));
        }
        for export in &mut self.exports {
            export.functions = functions(types, types.component_item_for_export(&export.name));
        }
    }
}

fn functions(types: TypesRef<'_>, item: Option<&ComponentItem>) -> Vec<String> {
    match item.map(|item| item.ty) {
        Some(ComponentEntityType::Instance(id)) => types
            .get(id)
            .into_iter()
            .flat_map(|instance| &instance.exports)
            .filter(|(_, item)| matches!(item.ty, ComponentEntityType::Func(_)))
            .map(|(name, _)| name.clone())
            .collect(),
        _ => Vec::new(),
    }
}
